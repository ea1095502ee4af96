#include "jade/model/parameter.h"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/core.h>

namespace jade {
namespace {

constexpr const char* kInertiaNames[] = {"mass",       "moment x",   "moment y",   "moment z",
                                         "inertia xx", "inertia yy", "inertia zz", "inertia xy",
                                         "inertia xz", "inertia yz"};
constexpr const char* kAxes[] = {"x", "y", "z"};
constexpr int kRow[] = {0, 1, 2, 0, 0, 1}, kColumn[] = {0, 1, 2, 1, 2, 2};

bool in_range(int i, std::size_t size) { return i >= 0 && static_cast<std::size_t>(i) < size; }

bool exists(const Model& model, const ParameterId& id) {
  const bool velocity = id.component == 0 && in_range(id.index, static_cast<std::size_t>(model.nv()));
  switch (id.kind) {
    case ParameterKind::inertia:
      return in_range(id.index, model.bodies().size()) && in_range(id.component, 10);
    case ParameterKind::friction:
    case ParameterKind::restitution:
      return id.component == 0 && in_range(id.index, model.scene().pairs.size());
    case ParameterKind::damping:
      return velocity;
    case ParameterKind::stiffness:
      return velocity && model.velocity_position()[id.index] >= 0;
    case ParameterKind::gravity:
      return id.index == 0 && in_range(id.component, 3);
    case ParameterKind::step_size:
      break;
  }
  return false;
}

void require(const Model& model, const ParameterId& id) {
  if (exists(model, id)) return;
  throw InvalidInput("parameter", {{.place = fmt::format("kind {}, index {}, component {}",
                                                         static_cast<int>(id.kind), id.index, id.component),
                                    .problem = "is no parameter of this model",
                                    .remedy = "use one that parameters_of(model) lists"}});
}

double inertia_number(const SpatialInertia& inertia, int component) {
  if (component == 0) return inertia.mass;
  if (component < 4) return inertia.moment[component - 1];
  return inertia.inertia(kRow[component - 4], kColumn[component - 4]);
}

void set_inertia_number(SpatialInertia& inertia, int component, double value) {
  if (component == 0) {
    inertia.mass = value;
  } else if (component < 4) {
    inertia.moment[component - 1] = value;
  } else {
    const int row = kRow[component - 4], column = kColumn[component - 4];
    inertia.inertia(row, column) = inertia.inertia(column, row) = value;
  }
}

const char* problem_with(const SpatialInertia& inertia) {
  if (inertia.mass == 0 && inertia.moment.isZero(0) && inertia.inertia.isZero(0)) return nullptr;
  if (!(inertia.mass > 0)) return "mass is not positive";
  const Vec3 com = inertia.moment / inertia.mass;
  const Mat3 about_com = transformed({Mat3::Identity(), -com}, inertia).inertia;
  const Vec3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(about_com, Eigen::EigenvaluesOnly).eigenvalues();
  // Rounding of the shift to the centre of mass.
  const double slack = 1e-12 * inertia.inertia.norm();
  if (principal[0] < -slack) return "inertia about the centre of mass is not positive";
  if (principal[2] > principal[0] + principal[1] + slack) return "inertia violates the triangle inequality";
  return nullptr;
}

InertiaDescription described(const SpatialInertia& inertia) {
  if (inertia.mass == 0) return {};
  const Vec3 com = inertia.moment / inertia.mass;
  return {inertia.mass, com, transformed({Mat3::Identity(), -com}, inertia).inertia};
}

std::string joint_coordinate(const Model& model, int velocity) {
  for (const Joint& joint : model.joints())
    if (velocity >= joint.v && velocity < joint.v + joint.nv)
      return fmt::format("\"{}\" [{}]", joint.name, velocity - joint.v);
  return "";
}

}  // namespace

SpatialInertia unit_inertia(int component) {
  SpatialInertia unit;
  set_inertia_number(unit, component, 1);
  return unit;
}

std::vector<ParameterId> parameters_of(const Model& model) {
  std::vector<ParameterId> ids;
  for (int b = 0; b < static_cast<int>(model.bodies().size()); ++b)
    for (int c = 0; c < 10 && model.bodies()[b].link >= 0; ++c) ids.push_back({ParameterKind::inertia, b, c});
  for (int p = 0; p < static_cast<int>(model.scene().pairs.size()); ++p) {
    ids.push_back({ParameterKind::friction, p, 0});
    ids.push_back({ParameterKind::restitution, p, 0});
  }
  for (int k = 0; k < model.nv(); ++k) {
    ids.push_back({ParameterKind::damping, k, 0});
    if (model.velocity_position()[k] >= 0) ids.push_back({ParameterKind::stiffness, k, 0});
  }
  for (int c = 0; c < 3; ++c) ids.push_back({ParameterKind::gravity, 0, c});
  ids.push_back({ParameterKind::step_size, 0, 0});
  return ids;
}

double parameter_value(const Model& model, const ParameterId& id) {
  require(model, id);
  switch (id.kind) {
    case ParameterKind::inertia:
      return inertia_number(model.bodies()[id.index].inertia, id.component);
    case ParameterKind::friction:
      return model.scene().pairs[id.index].friction;
    case ParameterKind::restitution:
      return model.scene().pairs[id.index].restitution;
    case ParameterKind::damping:
      return model.damping()[id.index];
    case ParameterKind::stiffness:
      return model.stiffness()[id.index];
    case ParameterKind::gravity:
      return model.gravity()[id.component];
    case ParameterKind::step_size:
      break;
  }
  return 0;
}

std::string name_of(const Model& model, const ParameterId& id) {
  if (id.kind == ParameterKind::step_size) return "step size";
  require(model, id);
  const auto pair = [&](const char* what) {
    const MaterialPair& p = model.scene().pairs[id.index];
    return fmt::format("{} of \"{}\"/\"{}\"", what, p.first, p.second);
  };
  switch (id.kind) {
    case ParameterKind::inertia:
      return fmt::format("{} of \"{}\"", kInertiaNames[id.component], model.bodies()[id.index].name);
    case ParameterKind::friction:
      return pair("friction");
    case ParameterKind::restitution:
      return pair("restitution");
    case ParameterKind::damping:
      return fmt::format("damping of {}", joint_coordinate(model, id.index));
    case ParameterKind::stiffness:
      return fmt::format("stiffness of {}", joint_coordinate(model, id.index));
    case ParameterKind::gravity:
      return fmt::format("gravity {}", kAxes[id.component]);
    case ParameterKind::step_size:
      break;
  }
  return "";
}

/// Writes values into a copy of a model, keeping its scene true to them.
class ParameterSetter {
 public:
  explicit ParameterSetter(const Model& model) : model_(model) {}

  void set(const ParameterValue& parameter) {
    const auto& [id, value] = parameter;
    require(model_, id);
    if (!std::isfinite(value)) return refuse(id, "is not finite", "give a number");
    const bool negative = value < 0;
    switch (id.kind) {
      case ParameterKind::inertia:
        set_inertia_number(model_.bodies_[id.index].inertia, id.component, value);
        changed_.push_back(id);
        break;
      case ParameterKind::friction:
        if (negative) return refuse(id, "is negative", "give a coefficient of at least 0");
        model_.scene_.pairs[id.index].friction = value;
        break;
      case ParameterKind::restitution:
        if (negative || value > 1) return refuse(id, "is outside [0, 1]", "give a coefficient from 0 to 1");
        model_.scene_.pairs[id.index].restitution = value;
        break;
      case ParameterKind::damping:
      case ParameterKind::stiffness:
        if (negative) return refuse(id, "is negative", "give at least 0");
        set_passive(id, value);
        break;
      case ParameterKind::gravity:
        model_.gravity_[id.component] = value;
        break;
      case ParameterKind::step_size:
        break;
    }
  }

  Model take() {
    for (const ParameterId& id : changed_) {
      const SpatialInertia& inertia = model_.bodies_[id.index].inertia;
      if (const char* problem = problem_with(inertia))
        refuse(id, problem, "change mass, moment and inertia together so that some matter could have them");
      model_.scene_.bodies[id.index].inertia = described(inertia);
    }
    if (!mistakes_.empty()) throw InvalidInput("parameters", mistakes_);
    model_.scene_.gravity = model_.gravity_;
    model_.refresh();
    return std::move(model_);
  }

 private:
  void refuse(const ParameterId& id, const char* problem, const char* remedy) {
    mistakes_.push_back({name_of(model_, id), problem, remedy});
  }

  void set_passive(const ParameterId& id, double value) {
    const bool damping = id.kind == ParameterKind::damping;
    (damping ? model_.damping_ : model_.stiffness_)[id.index] = value;
    for (const Joint& joint : model_.joints_) {
      if (id.index < joint.v || id.index >= joint.v + joint.nv) continue;
      JointDescription& description = model_.scene_.bodies[joint.body].joint;
      auto& list = damping ? description.damping : description.stiffness;
      list.resize(static_cast<std::size_t>(joint.nv), 0.0);
      list[static_cast<std::size_t>(id.index - joint.v)] = value;
    }
  }

  Model model_;
  std::vector<ParameterId> changed_;
  std::vector<Mistake> mistakes_;
};

Model Model::with(std::span<const ParameterValue> values) const {
  ParameterSetter setter(*this);
  for (const ParameterValue& value : values) setter.set(value);
  return setter.take();
}

}  // namespace jade
