#include "jade/gradients/link_motion.h"

#include <algorithm>

#include "jade/dynamics/kinematics.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

bool is_free_body(const Model& model) {
  return model.links().size() == 1 && model.links()[0].motion == LinkMotion::free &&
         !model.links()[0].prescribed;
}

bool is_flat(const Model& model) {
  return std::all_of(model.links().begin(), model.links().end(), [](const Link& link) {
    return link.motion != LinkMotion::ball && link.motion != LinkMotion::free;
  });
}

const Link& root_of(const Model& whole, int tree) {
  return whole.links()[static_cast<std::size_t>(whole.trees()[static_cast<std::size_t>(tree)].first)];
}

/// A translation of a free link takes the columns of its own rotation along.
bool carries(const Link& link, int k) { return link.motion == LinkMotion::free && k < link.v + 3; }

}  // namespace

PlacedTree::PlacedTree(const Model& model)
    : work(model),
      alone_(is_free_body(model)),
      motion_(model.links().size()),
      known_(model.links().size(), 0) {}

void PlacedTree::move_to(const Model& model, const VecX& q) {
  update_positions(model, q, work);
  std::fill(known_.begin(), known_.end(), 0);
}

const Mat6X& PlacedTree::motion(const Model& model, int link) {
  Mat6X& J = motion_[static_cast<std::size_t>(link)];
  if (known_[static_cast<std::size_t>(link)]) return J;
  known_[static_cast<std::size_t>(link)] = 1;
  J.setZero(6, model.nv());
  const Vec3 r = reference(link) - work.origin[0];
  for (int i = link; i >= 0; i = model.links()[i].parent)
    for (int k = model.links()[i].v; k < model.links()[i].v + model.links()[i].nv; ++k) {
      J.col(k).head<3>() = work.S[k].tail<3>() + cross3(work.S[k].head<3>(), r);
      J.col(k).tail<3>() = work.S[k].head<3>();
    }
  return J;
}

/// A displacement of coordinate j moves everything behind its link by the twist S_j, and with it the columns S_k of all
/// later joints, by S_j × S_k; columns of its own joint stay, except those that it carries.
void PlacedTree::motion_by_position(const Model& model, int link, const VecX& x, Mat6X& out) {
  const Mat6X& J = motion(model, link);
  out.setZero(6, model.nv());
  const Vec3 r = reference(link) - work.origin[0], spin = J.bottomRows<3>() * x;
  Vec6 behind = Vec6::Zero();
  for (int i = link; i >= 0; i = model.links()[i].parent) {
    const Link& at = model.links()[i];
    Vec6 own = Vec6::Zero(), carried = Vec6::Zero();
    for (int k = at.v; k < at.v + at.nv; ++k) (carries(at, k) ? carried : own) += x[k] * work.S[k];
    for (int j = at.v; j < at.v + at.nv; ++j) {
      const Vec6 moved = cross_motion(work.S[j], carries(at, j) ? Vec6(behind + own) : behind);
      out.col(j).head<3>() = moved.tail<3>() + cross3(moved.head<3>(), r) + cross3(spin, J.col(j).head<3>());
      out.col(j).tail<3>() = moved.head<3>();
    }
    behind += own + carried;
  }
}

void PlacedTree::force_by_position(const Model& model, int link, const Vec6& W, MatX& out) {
  const Mat6X& J = motion(model, link);
  out.setZero(model.nv(), model.nv());
  const Vec3 r = reference(link) - work.origin[0], force = W.head<3>();
  Vec6 about_O;
  about_O << W.tail<3>() + cross3(r, force), force;
  for (int j_link = link; j_link >= 0; j_link = model.links()[j_link].parent) {
    const Link& at = model.links()[j_link];
    for (int j = at.v; j < at.v + at.nv; ++j) {
      const Vec3 turning = cross3(J.col(j).head<3>(), force);  // the force is taken along with its point
      // (S_j × S_k)·Φ = −S_k·(S_j ×* Φ), of columns that move
      Vec6 moving = -cross_force(work.S[j], about_O);
      moving.head<3>() += turning;
      for (int i = link; i >= 0; i = model.links()[i].parent) {
        const Link& behind = model.links()[i];
        for (int k = behind.v; k < behind.v + behind.nv; ++k) {
          const bool moves = j_link < i || (j_link == i && carries(at, j) && !carries(at, k));
          out(k, j) = moves ? work.S[k].dot(moving) : work.S[k].head<3>().dot(turning);
        }
      }
    }
  }
}

GradientTree::GradientTree(const Model& whole, int tree)
    : model(whole.tree_alone(tree)),
      q(root_of(whole, tree).q),
      v(root_of(whole, tree).v),
      first_link(whole.trees()[static_cast<std::size_t>(tree)].first),
      alone(is_free_body(model)),
      bare(alone && model.damping().isZero(0) && model.stiffness().isZero(0) && model.armature().isZero(0)),
      flat(is_flat(model)),
      start(model),
      middle(model),
      end(model),
      derivative(model) {}

void GradientTree::update_integration() {
  if (flat) return;
  if (!alone) return integration_jacobians(model, displacement, integration);
  const Vec3 theta = displacement.tail<3>();
  turned = rotation_exp(theta);
  turned_by = rotation_left_jacobian(theta);
}

TreeSolver& GradientTree::new_factor() {
  if (factors_used_ == factors_.size()) factors_.emplace_back(model);
  return factors_[factors_used_++];
}

}  // namespace jade
