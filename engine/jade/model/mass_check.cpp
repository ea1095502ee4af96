#include <cmath>
#include <map>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "jade/math/rotation.h"
#include "jade/model/scene_check.h"
#include "jade/model/scene_fields.h"

namespace jade::scene_check {
namespace {

/// Mass, first moment and rotational inertia of bodies welded together, about the origin of the joint frame K
/// that they hang on, in its axes. `solid`: a body without inertia is among them, whose shapes give it some in every direction.
struct Weld {
  double mass = 0;
  Vec3 moment = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
  bool solid = false;
  bool carries_joint = false;  ///< a moving joint hangs on it, so that more inertia may come from there

  void add(const InertiaDescription& body, const Transform& X_KB) {
    const Vec3 c = X_KB * body.com;
    mass += body.mass;
    moment += body.mass * c;
    inertia += X_KB.R * body.inertia * X_KB.R.transpose() +
               body.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  }
};

/// Directions of motion that a joint allows at zero position: angular above linear velocity, about K's origin.
Mat6X motion_subspace(const JointDescription& joint) {
  using enum JointKind;
  Mat6X S = Mat6X::Zero(6, velocity_count(joint.kind));
  const Vec3 a = joint.axis.normalized(), b = joint.second_axis.normalized();
  switch (joint.kind) {
    case fixed:
      break;
    case revolute:
      S.topRows<3>() = a;
      break;
    case prismatic:
      S.bottomRows<3>() = a;
      break;
    case screw:
      S << a, joint.pitch * a;
      break;
    case universal:
      S.topRows<3>() << a, b;
      break;
    case planar:
      S.topRows<3>().col(2) = a.cross(b);
      S.bottomRows<3>().leftCols<2>() << a, b;
      break;
    case ball:
      S.topRows<3>().setIdentity();
      break;
    case free:
      S.bottomRows<3>().leftCols<3>().setIdentity();
      S.topRows<3>().rightCols<3>().setIdentity();
      break;
  }
  return S;
}

/// Whether the joint can move in some direction without moving any mass:
///   kinetic energy ½ vᵀ (Sᵀ I S + armature) v vanishes for some v ≠ 0,   I = [inertia [h]; [h]ᵀ m 1]
bool moves_nothing(const JointDescription& joint, Weld weld) {
  // A free body is seen from its centre of mass, so that nothing is lost far from its origin.
  if (joint.kind == JointKind::free && weld.mass > 0) {
    const Vec3 c = weld.moment / weld.mass;
    weld.inertia -= weld.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
    weld.moment.setZero();
  }
  Mat6 I;
  I << weld.inertia, skew(weld.moment), skew(weld.moment).transpose(), weld.mass * Mat3::Identity();
  const Mat6X S = motion_subspace(joint);
  MatX M = S.transpose() * I * S;
  for (std::size_t k = 0; k < joint.armature.size(); ++k)
    M(static_cast<int>(k), static_cast<int>(k)) += joint.armature[k];
  // Scaled to a unit diagonal, so that metres and radians compare; below 1e-12 only rounding is left.
  if (!(M.diagonal().minCoeff() > 0)) return true;
  const VecX scale = M.diagonal().cwiseSqrt().cwiseInverse();
  M = scale.asDiagonal() * M * scale.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<MatX>(M, Eigen::EigenvaluesOnly).eigenvalues()[0] < 1e-12;
}

bool has_density(const BodyDescription& body) {
  for (const ShapeDescription& shape : body.shapes)
    if (shape.density) return true;
  return false;
}

}  // namespace

void check_inertia(const InertiaDescription& inertia, const Notes& notes) {
  notes.at("mass").add_if(inertia.mass < 0, fmt::format("is {}", inertia.mass), "give 0 kg or more");
  const Mat3& I = inertia.inertia;
  if (!I.allFinite()) return;
  const double size = I.cwiseAbs().maxCoeff();
  const Notes here = notes.at("inertia");
  if ((I - I.transpose()).cwiseAbs().maxCoeff() > 1e-12 * size)
    return here.add("is not symmetric", "mirror it at its diagonal");
  if (inertia.mass == 0 && size > 0)
    return here.add("is given without mass", "give the mass; a rotor's inertia is the joint's armature");

  // Principal moments of a distribution of positive masses are positive, and none exceeds the sum of the others:
  // I₁ + I₂ − I₃ = 2 ∫ x₃² dm. Files carry some six digits, so as much is allowed for.
  const Vec3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(I, Eigen::EigenvaluesOnly).eigenvalues();
  const double allowed = 1e-6 * size;
  const std::string moments = fmt::format("{:.6g}, {:.6g}, {:.6g}", principal[0], principal[1], principal[2]);
  if (principal[0] < -allowed)
    here.add(fmt::format("has principal moments {}", moments), "give moments that are not negative");
  else if (principal[2] > principal[0] + principal[1] + allowed)
    here.add(fmt::format("has principal moments {}, the last above the sum of the others", moments),
             "no masses have such moments: recompute them about the centre of mass");
}

void check_masses(const SceneDescription& scene, const CollisionFilter& filter, const Notes& notes) {
  std::map<std::string, int> index;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) index[scene.bodies[i].name] = static_cast<int>(i);
  const auto body = [&](int i) -> const BodyDescription& {
    return scene.bodies[static_cast<std::size_t>(i)];
  };

  std::map<int, Weld> welds;
  for (const auto& [name, i] : index) {
    if (filter.fixed_to_world(i)) continue;
    // From the body up to the one that its weld hangs on.
    const int top = filter.weld(i);
    Transform X_TB;
    for (int b = i; b != top; b = index.at(body(b).joint.parent))
      X_TB = transform_of(body(b).joint.X_PJ) * transform_of(body(b).joint.X_BK).inverse() * X_TB;
    const Transform X_KB = transform_of(body(top).joint.X_BK).inverse() * X_TB;

    Weld& weld = welds[top];
    if (body(i).inertia) weld.add(*body(i).inertia, X_KB);
    if (!body(i).inertia) weld.solid = true;
    if (!body(i).inertia && !has_density(body(i)))
      notes.at("bodies", static_cast<std::size_t>(i), name)
          .add("moves and has no mass", "give it inertia, or a density to its shapes");
    if (i == top && !body(i).joint.parent.empty()) {
      const int carrier = filter.weld(index.at(body(i).joint.parent));
      if (carrier >= 0) welds[carrier].carries_joint = true;
    }
  }
  for (const auto& [top, weld] : welds) {
    const JointDescription& joint = body(top).joint;
    if (weld.solid || weld.carries_joint || !joint.motion.empty() || !moves_nothing(joint, weld)) continue;
    notes.at("bodies", static_cast<std::size_t>(top), body(top).name)
        .add(fmt::format("can move at its {} joint without moving any mass", name_of(joint.kind)),
             "give it mass and rotational inertia, or armature to the joint");
  }
}

}  // namespace jade::scene_check
