#include "jade/model/model.h"

#include <algorithm>

#include <Eigen/Eigenvalues>
#include <fmt/core.h>

#include "jade/base/suggest.h"

namespace jade {
namespace {

double smallest_eigenvalue(const Mat3& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Mat3>(symmetric, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

Mat3 inertia_about_com(const SpatialInertia& inertia) {
  const Vec3 com = inertia.moment / inertia.mass;
  return transformed({Mat3::Identity(), -com}, inertia).inertia;
}

/// See Model::least_inertia. Articulated inertia is at least the link's own; where that is nothing (inside universal
/// and planar joints) the link that follows turns about its centre of mass with at least its smallest principal
/// inertia λ, and resists a push past its centre of mass, at distance r, like m λ / (λ + m r²).
double least_inertia_of(const std::vector<Link>& links, int i, int component) {
  const Link& link = links[i];
  const SpatialInertia& own = link.inertia;
  if (own.mass == 0) {
    int next = i;
    while (next < link.subtree_end && links[next].inertia.mass == 0) ++next;
    if (next == link.subtree_end) return 0;
    const double m = links[next].inertia.mass;
    const double lambda = std::max(0.0, smallest_eigenvalue(inertia_about_com(links[next].inertia)));
    if (link.motion != LinkMotion::prismatic) return lambda;
    const double m_r_squared = links[next].inertia.moment.squaredNorm() / m;
    return m_r_squared == 0 ? m : m * lambda / (lambda + m_r_squared);
  }
  switch (link.motion) {
    case LinkMotion::revolute:
      return own.inertia(2, 2);
    case LinkMotion::prismatic:
      return own.mass;
    case LinkMotion::screw:
      return own.inertia(2, 2) + link.pitch * link.pitch * own.mass;
    case LinkMotion::ball:
      return smallest_eigenvalue(own.inertia);
    case LinkMotion::free:
      return component < 3 ? own.mass : smallest_eigenvalue(inertia_about_com(own));
  }
  return 0;
}

}  // namespace

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

void Model::refresh() {
  for (Link& link : links_) link.inertia = {};
  for (const Body& body : bodies_)
    if (body.link >= 0) links_[body.link].inertia += transformed(body.X_LB, body.inertia);
  least_inertia_ = armature_;
  for (int k = 0; k < nv_; ++k) {
    const int link = velocity_link_[k];
    least_inertia_[k] += std::max(0.0, least_inertia_of(links_, link, k - links_[link].v));
  }
  has_springs_ = (stiffness_.array() != 0).any();
  has_dampers_ = (damping_.array() != 0).any();
}

int Model::body_named(std::string_view name) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].name == name) return static_cast<int>(i);
  std::vector<std::string> names;
  for (const Body& body : bodies_) names.push_back(body.name);
  throw InvalidInput("model", {{.place = fmt::format("body \"{}\"", name),
                                .problem = "does not exist",
                                .remedy = suggest(name, names)}});
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
