#include "jade/model/model.h"

namespace jade {

SpatialInertia& SpatialInertia::operator+=(const SpatialInertia& other) {
  mass += other.mass;
  moment += other.moment;
  inertia += other.inertia;
  return *this;
}

SpatialInertia transformed(const Transform& X_AB, const SpatialInertia& inertia_B) {
  const double m = inertia_B.mass;
  const Vec3 h = X_AB.R * inertia_B.moment;  // about B's origin, axes of A
  const Vec3& p = X_AB.p;
  // Parallel axes for a first moment that need not vanish: Σ m_k (|r_k + p|² 1 − (r_k + p)(r_k + p)ᵀ).
  const Mat3 shift = (2 * h.dot(p) + m * p.squaredNorm()) * Mat3::Identity() - h * p.transpose() -
                     p * h.transpose() - m * p * p.transpose();
  return {m, h + m * p, X_AB.R * inertia_B.inertia * X_AB.R.transpose() + shift};
}

int Model::body_named(std::string_view name) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].name == name) return static_cast<int>(i);
  std::string names;
  for (const Body& body : bodies_) names += (names.empty() ? "" : ", ") + body.name;
  throw InvalidInput("model", {{.place = "body \"" + std::string(name) + "\"",
                                .problem = "does not exist",
                                .remedy = "use one of: " + names}});
}

State initial_state(const Model& model) {
  State state{VecX::Zero(model.nq()), VecX::Zero(model.nv())};
  for (std::size_t i = 0; i < model.joints().size(); ++i) {
    const Joint& joint = model.joints()[i];
    const JointDescription& described = model.scene().bodies[i].joint;
    auto q = state.q.segment(joint.q, joint.nq);
    auto v = state.v.segment(joint.v, joint.nv);
    for (std::size_t k = 0; k < described.position.size(); ++k)
      q[static_cast<int>(k)] = described.position[k];
    for (std::size_t k = 0; k < described.velocity.size(); ++k)
      v[static_cast<int>(k)] = described.velocity[k];

    // A prescribed joint starts with the velocity of its signal.
    for (std::size_t k = 0; k < described.motion.size(); ++k)
      v[static_cast<int>(k)] = value_at(described.motion[k], 0.0);

    if (joint.kind == JointKind::ball || joint.kind == JointKind::free) {
      auto quaternion = q.tail<4>();
      if (described.position.empty()) quaternion[0] = 1;
      quaternion.normalize();
    }
  }
  return state;
}

double value_at(const Signal& signal, double t) {
  const auto& times = signal.times;
  std::size_t after = 0;
  while (after < times.size() && times[after] <= t) ++after;
  if (after == 0) return signal.values.front();
  const std::size_t before = after - 1;
  if (after == times.size() || signal.interpolation == Signal::Interpolation::hold)
    return signal.values[before];
  const double s = (t - times[before]) / (times[after] - times[before]);
  return signal.values[before] + s * (signal.values[after] - signal.values[before]);
}

}  // namespace jade
