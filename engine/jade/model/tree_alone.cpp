#include "jade/model/model.h"

namespace jade {
namespace {

std::vector<int> shifted(const std::vector<int>& indices, int first, int count, int shift) {
  std::vector<int> part(indices.begin() + first, indices.begin() + first + count);
  for (int& index : part)
    if (index >= 0) index -= shift;
  return part;
}

}  // namespace

Model Model::tree_alone(int tree) const {
  const auto [first, end, origin_link] = trees_[tree];
  const int q = links_[first].q, v = links_[first].v;
  Model alone;
  alone.gravity_ = gravity_;
  alone.links_.assign(links_.begin() + first, links_.begin() + end);
  for (Link& link : alone.links_) {
    if (link.parent >= 0) link.parent -= first;
    link.subtree_end -= first;
    link.tree = 0;
    link.q -= q;
    link.v -= v;
  }
  alone.trees_ = {{0, end - first, origin_link - first}};
  const bool last = tree + 1 == static_cast<int>(trees_.size());
  alone.nq_ = (last ? nq_ : links_[end].q) - q;
  alone.nv_ = (last ? nv_ : links_[end].v) - v;

  const auto part = [&](const VecX& numbers) -> VecX { return numbers.segment(v, alone.nv_); };
  alone.damping_ = part(damping_);
  alone.stiffness_ = part(stiffness_);
  alone.rest_position_ = part(rest_position_);
  alone.armature_ = part(armature_);
  alone.effort_limit_ = part(effort_limit_);
  alone.lower_ = part(lower_);
  alone.upper_ = part(upper_);
  alone.limit_restitution_ = part(limit_restitution_);
  alone.least_inertia_ = part(least_inertia_);
  alone.velocity_parent_ = shifted(velocity_parent_, v, alone.nv_, v);
  alone.velocity_link_ = shifted(velocity_link_, v, alone.nv_, first);
  alone.velocity_position_ = shifted(velocity_position_, v, alone.nv_, q);
  alone.has_springs_ = (alone.stiffness_.array() > 0).any();
  alone.has_dampers_ = (alone.damping_.array() > 0).any();
  return alone;
}

}  // namespace jade
