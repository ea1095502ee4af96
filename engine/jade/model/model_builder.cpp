#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <fmt/core.h>

#include "jade/geometry/mass_properties.h"
#include "jade/geometry/mesh_file.h"
#include "jade/model/model.h"

namespace jade {
namespace {

Transform transform_of(const Placement& placement) {
  return {placement.orientation.normalized().toRotationMatrix(), placement.position};
}

/// A rotation whose z column is the direction of `axis`; exact for the coordinate axes.
Mat3 frame_with_z(const Vec3& axis) {
  const Vec3 z = axis.normalized();
  // The coordinate axis that follows the largest component is never nearly parallel to z.
  int largest = 0;
  z.cwiseAbs().maxCoeff(&largest);
  const Vec3 x = (Vec3::Unit((largest + 1) % 3) - z[(largest + 1) % 3] * z).normalized();
  Mat3 R;
  R << x, z.cross(x), z;
  return R;
}

/// Mass properties about the centre of mass, moved to the frame that `X_FC` gives their axes and centre in.
SpatialInertia spatial_inertia(double mass, const Mat3& about_com, const Transform& X_FC) {
  return transformed(X_FC, {mass, Vec3::Zero(), 0.5 * (about_com + about_com.transpose())});
}

SpatialInertia inertia_of(const BodyDescription& body, const std::string& folder) {
  if (body.inertia)
    return spatial_inertia(body.inertia->mass, body.inertia->inertia, {Mat3::Identity(), body.inertia->com});
  SpatialInertia sum;
  for (const ShapeDescription& shape : body.shapes) {
    if (!shape.density) continue;
    const auto* mesh = std::get_if<TriangleMesh>(&shape.geometry);
    const auto [mass, com, inertia] =
        mass_properties(mesh ? Shape(load_mesh(*mesh, folder)) : shape.geometry, *shape.density);
    sum += spatial_inertia(mass, inertia, transform_of(shape.X_BS) * Transform{Mat3::Identity(), com});
  }
  return sum;
}

/// One elementary motion of a joint, with its axis in J.
struct Motion {
  LinkMotion kind;
  Vec3 axis = Vec3::UnitZ();
};

std::vector<Motion> motions_of(const JointDescription& joint) {
  switch (joint.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
      return {{LinkMotion::revolute, joint.axis}};
    case JointKind::prismatic:
      return {{LinkMotion::prismatic, joint.axis}};
    case JointKind::screw:
      return {{LinkMotion::screw, joint.axis}};
    case JointKind::universal:
      return {{LinkMotion::revolute, joint.axis}, {LinkMotion::revolute, joint.second_axis}};
    case JointKind::planar:
      return {{LinkMotion::prismatic, joint.axis},
              {LinkMotion::prismatic, joint.second_axis},
              {LinkMotion::revolute, joint.axis.cross(joint.second_axis)}};
    case JointKind::ball:
      return {{LinkMotion::ball}};
    case JointKind::free:
      return {{LinkMotion::free}};
  }
  return {};
}

int positions_of(LinkMotion motion) {
  return motion == LinkMotion::ball ? 4 : motion == LinkMotion::free ? 7 : 1;
}
int velocities_of(LinkMotion motion) {
  return motion == LinkMotion::ball ? 3 : motion == LinkMotion::free ? 6 : 1;
}

}  // namespace

/// Walks the scene depth first, so that every subtree is a range of links.
class ModelBuilder {
 public:
  explicit ModelBuilder(const SceneDescription& scene) {
    model_.scene_ = scene;
    model_.gravity_ = scene.gravity;
    model_.bodies_.resize(scene.bodies.size());
    model_.joints_.resize(scene.bodies.size());
    std::unordered_map<std::string, std::vector<int>> children;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      children[scene.bodies[i].joint.parent].push_back(static_cast<int>(i));

    // Welded bodies are placed with their link, so a stack of bodies to visit, first child on top.
    std::vector<int> pending;
    const auto push_children = [&](const std::string& name) {
      const auto& list = children[name];
      pending.insert(pending.end(), list.rbegin(), list.rend());
    };
    push_children("");
    while (!pending.empty()) {
      const int body = pending.back();
      pending.pop_back();
      add_body(body);
      push_children(scene.bodies[body].name);
    }
    collect_coordinates();
    number_links();
    model_.refresh();
    choose_points();
  }

  Model take() { return std::move(model_); }

 private:
  void add_body(int index) {
    const BodyDescription& described = model_.scene_.bodies[index];
    const JointDescription& joint = described.joint;
    Body& body = model_.bodies_[index];
    body.name = described.name;
    body.inertia = inertia_of(described, model_.scene_.folder);
    index_of_[described.name] = index;

    // From the frame of the link before, over the elementary motions, to the frame of the body.
    int link = -1;
    Transform X;  // the joint's axes at zero position, in `link`
    if (!joint.parent.empty()) {
      const Body& parent = model_.bodies_[index_of_.at(joint.parent)];
      link = parent.link;
      X = parent.X_LB;
    }
    const bool placed = joint.kind != JointKind::free;
    if (placed) X = X * transform_of(joint.X_PJ);
    const int first_q = model_.nq_, first_v = model_.nv_;
    for (const Motion& motion : motions_of(joint)) {
      const Mat3 R_JL = frame_with_z(motion.axis);
      link = add_link(link, motion.kind, X * Transform{R_JL, Vec3::Zero()});
      model_.links_[link].pitch = joint.kind == JointKind::screw ? joint.pitch : 0;
      model_.links_[link].prescribed = !joint.motion.empty();
      X = {R_JL.transpose(), Vec3::Zero()};
    }
    body.link = link;
    body.X_LB = placed ? X * transform_of(joint.X_BK).inverse() : X;

    model_.joints_[index] = {.name = joint.name.empty() ? described.name : joint.name,
                             .kind = joint.kind,
                             .body = index,
                             .q = first_q,
                             .nq = model_.nq_ - first_q,
                             .v = first_v,
                             .nv = model_.nv_ - first_v};
  }

  int add_link(int parent, LinkMotion motion, const Transform& X_PJ) {
    const int index = static_cast<int>(model_.links_.size());
    Link link;
    link.parent = parent;
    link.motion = motion;
    link.q = model_.nq_;
    link.v = model_.nv_;
    link.nv = velocities_of(motion);
    link.X_PJ = X_PJ;
    model_.links_.push_back(link);
    model_.nq_ += positions_of(motion);
    model_.nv_ += link.nv;
    return index;
  }

  void number_links() {
    auto& links = model_.links_;
    const int count = static_cast<int>(links.size());
    for (int i = 0; i < count; ++i) {
      Link& link = links[i];
      if (link.parent < 0) model_.trees_.push_back({.first = i, .end = count, .origin_link = i});
      link.tree = static_cast<int>(model_.trees_.size()) - 1;
      Tree& tree = model_.trees_.back();
      if (tree.first == i && model_.trees_.size() > 1) model_.trees_[model_.trees_.size() - 2].end = i;
      link.subtree_end = i + 1;
      for (int j = link.parent; j >= 0; j = links[j].parent) links[j].subtree_end = i + 1;
      for (int k = 0; k < link.nv; ++k) {
        const int before = link.parent < 0 ? -1 : links[link.parent].v + links[link.parent].nv - 1;
        model_.velocity_parent_.push_back(k > 0 ? link.v + k - 1 : before);
        model_.velocity_link_.push_back(i);
        model_.velocity_position_.push_back(link.nv == 1 ? link.q : -1);
      }
    }
  }

  /// Points that stay where they are when parameters change.
  void choose_points() {
    for (Link& link : model_.links_)
      if (link.motion == LinkMotion::free && link.inertia.mass > 0)
        link.reference_L = link.inertia.moment / link.inertia.mass;
    for (Tree& tree : model_.trees_) {
      tree.origin_link = tree.first;
      while (tree.origin_link + 1 < tree.end && model_.links_[tree.origin_link].inertia.mass == 0)
        ++tree.origin_link;
    }
  }

  void collect_coordinates() {
    const int nv = model_.nv_;
    model_.damping_ = model_.stiffness_ = model_.rest_position_ = model_.armature_ = VecX::Zero(nv);
    model_.effort_limit_ = model_.upper_ = VecX::Constant(nv, std::numeric_limits<double>::infinity());
    model_.lower_ = -model_.upper_;
    model_.limit_restitution_ = VecX::Zero(nv);
    for (const Joint& joint : model_.joints_) {
      const JointDescription& described = model_.scene_.bodies[joint.body].joint;
      const auto copy = [&](const std::vector<double>& from, VecX& to) {
        for (std::size_t k = 0; k < from.size(); ++k) to[joint.v + static_cast<int>(k)] = from[k];
      };
      copy(described.damping, model_.damping_);
      copy(described.stiffness, model_.stiffness_);
      copy(described.rest_position, model_.rest_position_);
      copy(described.armature, model_.armature_);
      copy(described.effort_limit, model_.effort_limit_);
      copy(described.lower, model_.lower_);
      copy(described.upper, model_.upper_);
      model_.limit_restitution_.segment(joint.v, joint.nv).setConstant(described.limit_restitution);
    }
  }

  Model model_;
  std::unordered_map<std::string, int> index_of_;
};

Model build_model(const SceneDescription& scene) {
  std::vector<Mistake> mistakes = check_scene(scene);
  if (!mistakes.empty()) throw InvalidInput(fmt::format("scene \"{}\"", scene.name), std::move(mistakes));
  return ModelBuilder(scene).take();
}

}  // namespace jade
