#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "jade/model/scene_check.h"
#include "jade/model/scene_fields.h"

namespace jade::scene_check {
namespace {

void check_axes(const JointDescription& joint, const Notes& notes) {
  using enum JointKind;
  const JointKind kind = joint.kind;
  notes.at("pitch").add_if(kind != screw && joint.pitch != 0,
                           fmt::format("is given for a {} joint", name_of(kind)),
                           "leave it away, or make this a screw joint");
  if (kind == fixed || has_quaternion(kind)) return;
  const bool axis = has_direction(joint.axis);
  notes.at("axis").add_if(!axis, fmt::format("has length {:g}", joint.axis.norm()),
                          "give a direction such as [0, 0, 1]");
  if (kind != universal && kind != planar) return;
  const bool second = has_direction(joint.second_axis);
  notes.at("second_axis")
      .add_if(!second, fmt::format("has length {:g}", joint.second_axis.norm()),
              "give a direction such as [0, 1, 0]");
  if (!axis || !second) return;

  // Two angles about one axis are one angle; six digits are what a person or another program writes.
  const Vec3 a = joint.axis.normalized(), b = joint.second_axis.normalized();
  constexpr double kDigits = 1e-6;
  if (a.cross(b).norm() < kDigits)
    notes.at("second_axis").add("is parallel to axis", "give a direction across the first");
  else if (kind == planar && std::abs(a.dot(b)) > kDigits)
    notes.at("second_axis")
        .add(fmt::format("is not orthogonal to axis (cosine {:.3g})", a.dot(b)),
             "give two orthogonal directions of the plane");
}

void check_limits(const JointDescription& joint, const Notes& notes) {
  const std::size_t n = static_cast<std::size_t>(velocity_count(joint.kind));
  if (has_quaternion(joint.kind)) {
    const auto refuse = [&](const char* key, const std::vector<double>& list) {
      notes.at(key).add_if(!list.empty(), fmt::format("is given for a {} joint", name_of(joint.kind)),
                           "leave it away: its position is no list of angles");
    };
    refuse("lower", joint.lower);
    refuse("upper", joint.upper);
    refuse("stiffness", joint.stiffness);
    refuse("rest_position", joint.rest_position);
    return;
  }
  if (!joint.motion.empty() && !(joint.lower.empty() && joint.upper.empty()))
    notes.at(joint.lower.empty() ? "upper" : "lower")
        .add("is given together with a prescribed motion",
             "keep one of them: a prescribed joint stops at nothing");
  for (std::size_t k = 0; k < n; ++k) {
    const bool has_lower = k < joint.lower.size(), has_upper = k < joint.upper.size();
    const double start = k < joint.position.size() ? joint.position[k] : 0;
    if (has_lower && has_upper && joint.lower[k] >= joint.upper[k]) {
      notes.at("lower", k)
          .add(fmt::format("is {}, not below upper, {}", joint.lower[k], joint.upper[k]),
               "swap them, or use a fixed joint");
      continue;
    }
    if (has_lower && start < joint.lower[k])
      notes.at("position", k)
          .add(fmt::format("starts at {}, below the limit {}", start, joint.lower[k]),
               "start within the limits");
    if (has_upper && start > joint.upper[k])
      notes.at("position", k)
          .add(fmt::format("starts at {}, above the limit {}", start, joint.upper[k]),
               "start within the limits");
  }
}

void check_lists(const JointDescription& joint, const Notes& notes) {
  const auto check_size = [&](const char* key, std::size_t size, int wanted) {
    notes.at(key).add_if(
        size != 0 && size != static_cast<std::size_t>(wanted), fmt::format("has {} entries", size),
        wanted == 0 ? fmt::format("leave it away for a {} joint", name_of(joint.kind))
                    : fmt::format("give {} for a {} joint, or none", wanted, name_of(joint.kind)));
  };
  const int n = velocity_count(joint.kind);
  check_size("position", joint.position.size(), position_count(joint.kind));
  check_size("velocity", joint.velocity.size(), n);
  check_size("damping", joint.damping.size(), n);
  check_size("stiffness", joint.stiffness.size(), n);
  check_size("rest_position", joint.rest_position.size(), n);
  check_size("armature", joint.armature.size(), n);
  check_size("effort_limit", joint.effort_limit.size(), n);
  check_size("lower", joint.lower.size(), n);
  check_size("upper", joint.upper.size(), n);
  check_size("effort", joint.effort.size(), n);
  check_size("motion", joint.motion.size(), n);

  const auto check_sign = [&](const char* key, const std::vector<double>& list, bool zero_allowed) {
    for (std::size_t k = 0; k < list.size(); ++k)
      notes.at(key, k).add_if(
          list[k] < 0 || (list[k] == 0 && !zero_allowed), fmt::format("is {}", list[k]),
          zero_allowed ? "give 0 or more" : "give a positive number, or \"inf\" for none");
  };
  check_sign("damping", joint.damping, true);
  check_sign("stiffness", joint.stiffness, true);
  check_sign("armature", joint.armature, true);
  check_sign("effort_limit", joint.effort_limit, false);
  notes.at("limit_restitution")
      .add_if(joint.limit_restitution < 0 || joint.limit_restitution > 1,
              fmt::format("is {}", joint.limit_restitution), "give a number from 0 to 1");
}

void check_signal(const Signal& signal, const Notes& notes) {
  notes.at("times").add_if(signal.times.empty(), "is empty", "give at least one sample");
  notes.at("values").add_if(
      signal.values.size() != signal.times.size(),
      fmt::format("has {} entries for {} times", signal.values.size(), signal.times.size()),
      "give one value for each time");
  for (std::size_t i = 1; i < signal.times.size(); ++i)
    if (signal.times[i] <= signal.times[i - 1]) {
      notes.at("times", i)
          .add(fmt::format("is {} after {}", signal.times[i], signal.times[i - 1]), "let times increase");
      return;
    }
}

/// A signal at time 0, as `value_at` would give it; the signal has been checked.
double starting_value(const Signal& signal) {
  const auto after = std::upper_bound(signal.times.begin(), signal.times.end(), 0.0) - signal.times.begin();
  const std::size_t i = static_cast<std::size_t>(after);
  if (i == 0) return signal.values.front();
  if (i == signal.times.size()) return signal.values.back();
  const double s = (0.0 - signal.times[i - 1]) / (signal.times[i] - signal.times[i - 1]);
  return signal.values[i - 1] + s * (signal.values[i] - signal.values[i - 1]);
}

void check_motion(const JointDescription& joint, const Notes& notes) {
  const bool possible = joint.kind != JointKind::fixed && !has_quaternion(joint.kind);
  notes.at("motion").add_if(!joint.motion.empty() && !possible,
                            fmt::format("is prescribed for a {} joint", name_of(joint.kind)),
                            "prescribe revolute, prismatic, screw, universal or planar joints");
  for (std::size_t k = 0; k < joint.motion.size(); ++k) {
    const Signal& signal = joint.motion[k];
    notes.at("motion", k)
        .at("interpolation")
        .add_if(signal.interpolation != Signal::Interpolation::linear,
                "is \"hold\", which makes velocity jump", "use \"linear\"");
    const bool usable = !signal.times.empty() && signal.values.size() == signal.times.size();
    if (usable && k < joint.velocity.size() && joint.velocity[k] != starting_value(signal))
      notes.at("velocity", k)
          .add(fmt::format("is {}, but the prescribed motion starts with {}", joint.velocity[k],
                           starting_value(signal)),
               "leave velocity away: the motion gives it");
  }
}

}  // namespace

void check_placement(const Placement& placement, const Notes& notes) {
  notes.at("orientation")
      .add_if(!has_direction(placement.orientation.coeffs()), "has no direction",
              "give a quaternion [w, x, y, z] such as [1, 0, 0, 0]");
}

void check_joint(const JointDescription& joint, const Notes& notes) {
  check_axes(joint, notes);
  check_lists(joint, notes);
  check_limits(joint, notes);
  check_motion(joint, notes);
  for (std::size_t k = 0; k < joint.effort.size(); ++k) check_signal(joint.effort[k], notes.at("effort", k));
  for (std::size_t k = 0; k < joint.motion.size(); ++k) check_signal(joint.motion[k], notes.at("motion", k));

  check_placement(joint.X_PJ, notes.at("X_PJ"));
  check_placement(joint.X_BK, notes.at("X_BK"));
  const bool has_position = joint.position.size() == static_cast<std::size_t>(position_count(joint.kind));
  if (has_quaternion(joint.kind) && has_position) {
    const Vec4 q = Eigen::Map<const Vec4>(joint.position.data() + joint.position.size() - 4);
    notes.at("position")
        .add_if(!has_direction(q), "ends with a quaternion w x y z that has no direction",
                "let its last four numbers be such as 1, 0, 0, 0");
  }
  if (joint.kind != JointKind::free) return;
  notes.at("parent").add_if(!joint.parent.empty(), fmt::format("is \"{}\" for a free joint", joint.parent),
                            "leave it away: a free body hangs on the world");
  notes.at("X_PJ").add_if(joint.X_PJ != Placement{}, "is given for a free joint",
                          "say where the body is by position");
  notes.at("X_BK").add_if(joint.X_BK != Placement{}, "is given for a free joint",
                          "say where the body is by position");
}

}  // namespace jade::scene_check
