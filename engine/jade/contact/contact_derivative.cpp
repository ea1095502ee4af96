#include "jade/contact/contact_derivative.h"

#include "jade/math/rotation.h"

namespace jade {

void ContactMotion::place(const std::vector<RowTree>& trees, Anchor a, Anchor b, const Vec3& p) {
  p_ = p;
  part_count_ = 0;
  size_ = 0;
  const auto part_of = [&](int tree) {
    for (int i = 0; i < part_count_; ++i)
      if (parts_[i].tree == tree) return parts_[i].first;
    parts_[part_count_++] = {tree, size_, trees[tree].model->nv()};
    size_ += trees[tree].model->nv();
    return parts_[part_count_ - 1].first;
  };
  const Anchor anchors[2] = {a, b};
  for (int side = 0; side < 2; ++side) {
    Side& s = sides_[side];
    s.columns.clear();
    s.sign = side == 0 ? -1 : 1;
    const Anchor on = anchors[side];
    if (on.tree < 0) continue;
    s.first = part_of(on.tree);
    const Model& model = *trees[on.tree].model;
    const DynamicsWorkspace& work = *trees[on.tree].work;
    s.arm = p - work.origin[0];
    int depth = 0;
    for (int i = on.link; i >= 0; i = model.links()[i].parent) ++depth;
    for (int i = on.link; i >= 0; i = model.links()[i].parent) {
      const Link& link = model.links()[i];
      --depth;
      for (int k = link.nv; k-- > 0;)
        s.columns.push_back(
            {work.S[link.v + k], s.first + link.v + k, depth, link.motion == LinkMotion::free && k < 3});
    }
  }
  J_.setZero(3, size_);
  for (const Side& side : sides_)
    for (const Column& column : side.columns) J_.col(column.local) += side.sign * at(column.S, side.arm);
}

void ContactMotion::displacement(int side, const Vec3& c, Mat3X& translation, Mat3X& rotation) const {
  translation.setZero(3, size_);
  rotation.setZero(3, size_);
  const Side& s = sides_[side];
  const Vec3 arm = s.arm + (c - p_);
  for (const Column& column : s.columns) {
    translation.col(column.local) = at(column.S, arm);
    rotation.col(column.local) = column.S.head<3>();
  }
}

Vec3 ContactMotion::spin(const VecX& x) const {
  Vec3 spin = Vec3::Zero();
  for (const Side& side : sides_)
    for (const Column& column : side.columns) spin += side.sign * x[column.local] * column.S.head<3>();
  return spin;
}

void ContactMotion::velocity_by_position(const VecX& x, const Mat3X& P, Mat3X& out) const {
  out.noalias() = skew(spin(x)) * P;
  for (const Side& side : sides_) {
    // What lies behind the link of each column: summed on the way from the contact to the world.
    Vec6 behind = Vec6::Zero();
    const int n = static_cast<int>(side.columns.size());
    for (int first = 0; first < n;) {
      int end = first;
      while (end < n && side.columns[end].depth == side.columns[first].depth) ++end;
      Vec6 own = Vec6::Zero();
      for (int i = first; i < end; ++i)
        if (!side.columns[i].carries) own += x[side.columns[i].local] * side.columns[i].S;
      for (int i = first; i < end; ++i) {
        const Column& j = side.columns[i];
        const Vec6 moved = cross_motion(j.S, j.carries ? Vec6(behind + own) : behind);
        out.col(j.local) += side.sign * at(moved, side.arm);
      }
      behind += own;
      for (int i = first; i < end; ++i)
        if (side.columns[i].carries) behind += x[side.columns[i].local] * side.columns[i].S;
      first = end;
    }
  }
}

void ContactMotion::force_by_point(const Vec3& F, const Mat3X& P, MatX& out) const {
  out.setZero(size_, P.cols());
  const Mat3X turn = -(skew(F) * P);  // dp × F
  for (const Side& side : sides_)
    for (const Column& k : side.columns) out.row(k.local) += side.sign * (k.S.head<3>().transpose() * turn);
}

void ContactMotion::force_by_position(const Vec3& F, const Mat3X& P, MatX& out) const {
  force_by_point(F, P, out);
  for (const Side& side : sides_) {
    Vec6 wrench;
    wrench << cross3(side.arm, F), F;
    for (const Column& j : side.columns) {
      // (S_j × S_k)·Φ = −S_k·(S_j ×* Φ)
      const Vec6 carried = -side.sign * cross_force(j.S, wrench);
      for (const Column& k : side.columns)
        if (moves(j, k)) out(k.local, j.local) += k.S.dot(carried);
    }
  }
}

void contact_by_position(const ContactMotion& motion, const FeatureContactDerivative& derivative,
                         const Transform& X_WA, const Transform& X_WB, Mat3X& N, Mat3X& P) {
  Mat3X translation, rotation;
  N.setZero(3, motion.size());
  P.setZero(3, motion.size());
  for (int side = 0; side < 2; ++side) {
    motion.displacement(side, side == 0 ? X_WA.p : X_WB.p, translation, rotation);
    N += derivative.normal.middleCols<3>(6 * side) * translation +
         derivative.normal.middleCols<3>(6 * side + 3) * rotation;
    P += derivative.midpoint.middleCols<3>(6 * side) * translation +
         derivative.midpoint.middleCols<3>(6 * side + 3) * rotation;
  }
}

}  // namespace jade
