#include "jade/contact/collision_model.h"

#include <algorithm>

#include <fmt/format.h>

namespace jade {
namespace {

/// A ball around the shape, in its own frame: the middle of its extent along the axes and the farthest point from it.
std::pair<Vec3, double> ball_around(const PreparedShape& shape) {
  if (shape.is_half_space()) return {Vec3::Zero(), std::numeric_limits<double>::infinity()};
  const ConvexCore& core = shape.core();
  Vec3 centre;
  for (int k = 0; k < 3; ++k)
    centre[k] = 0.5 * (core.support(Vec3::Unit(k))[k] + core.support(-Vec3::Unit(k))[k]);
  return {centre, core.reach(centre)};
}

int index_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

CollisionModel::CollisionModel(const Model& model)
    : scene_(&model.scene()),
      filter_(model.scene()),
      materials_(static_cast<int>(model.scene().materials.size())) {
  const SceneDescription& scene = *scene_;
  pair_of_materials_.assign(materials_ * materials_, -1);
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
    const int a = index_of(scene.materials, scene.pairs[k].first);
    const int b = index_of(scene.materials, scene.pairs[k].second);
    pair_of_materials_[a * materials_ + b] = pair_of_materials_[b * materials_ + a] = static_cast<int>(k);
  }

  std::vector<Mistake> mistakes;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& body = model.bodies()[i];
    for (std::size_t s = 0; s < scene.bodies[i].shapes.size(); ++s) {
      const ShapeDescription& described = scene.bodies[i].shapes[s];
      try {
        CollisionShape shape{.body = static_cast<int>(i),
                             .index = static_cast<int>(s),
                             .material = index_of(scene.materials, described.material),
                             .anchor = {},
                             .X_LS = body.X_LB * transform_of(described.X_BS),
                             .geometry = PreparedShape(described.geometry)};
        if (body.link >= 0) {
          const int tree = model.links()[body.link].tree;
          shape.anchor = {tree, body.link - model.trees()[tree].first};
        }
        shape.turned = shape.X_LS.R != Mat3::Identity();
        const auto [centre, reach] = ball_around(shape.geometry);
        shape.centre_L = shape.X_LS * centre;
        shape.centre_S = centre;
        shape.centred = centre.isZero(0);
        shape.reach = reach;
        if (body.link >= 0 && model.links()[body.link].motion == LinkMotion::free)
          shape.reach_from_reference =
              shape.geometry.core().reach(shape.X_LS.inverse() * model.links()[body.link].reference_L);
        shapes_.push_back(std::move(shape));
      } catch (const InvalidInput& error) {
        for (Mistake mistake : error.mistakes()) {
          mistake.place = fmt::format("bodies[{}] \"{}\" / shapes[{}] / {}", i, body.name, s, mistake.place);
          mistakes.push_back(std::move(mistake));
        }
      }
    }
  }
  if (!mistakes.empty()) throw InvalidInput(fmt::format("scene \"{}\"", scene.name), std::move(mistakes));
}

CollisionModel::CollisionModel(const Model& model, const CollisionModel& other) : CollisionModel(other) {
  scene_ = &model.scene();
}

bool CollisionModel::can_meet(int a, int b) const {
  const CollisionShape &first = shapes_[a], &second = shapes_[b];
  return filter_.bodies_can_meet(first.body, second.body) &&
         shapes_can_meet(scene_->bodies[first.body].shapes[first.index],
                         scene_->bodies[second.body].shapes[second.index]);
}

int CollisionModel::material_pair(int a, int b) const {
  return pair_of_materials_[shapes_[a].material * materials_ + shapes_[b].material];
}

}  // namespace jade
