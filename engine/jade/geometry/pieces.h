#pragma once

#include "jade/geometry/prepared_shape.h"

namespace jade {

/// A shape as a tree of boxes over convex pieces: the triangles of a mesh that is not convex under its tree, any
/// other shape as one piece under one box.
class Pieces {
 public:
  explicit Pieces(const PreparedShape& shape) : core_(shape.core()), tree_(shape.tree()) {
    if (tree_) return;
    Vec3 low, high;
    for (int k = 0; k < 3; ++k) {
      high[k] = core_.support(Vec3::Unit(k))[k];
      low[k] = core_.support(-Vec3::Unit(k))[k];
    }
    whole_ = {(low + high) / 2, (high - low) / 2 + Vec3::Constant(core_.radius), 0, 1};
  }
  const TriangleTree::Node& node(int i) const { return tree_ ? tree_->nodes()[i] : whole_; }
  ConvexCore piece(int k) const { return tree_ ? tree_->triangle(k) : core_; }

 private:
  const ConvexCore& core_;
  const TriangleTree* tree_;
  TriangleTree::Node whole_;
};

/// Which of two boxes to open: the larger, unless it is a leaf.
inline bool opens_first(const TriangleTree::Node& s, const TriangleTree::Node& t) {
  return t.count > 0 || (s.count == 0 && s.half.squaredNorm() >= t.half.squaredNorm());
}

}  // namespace jade
