#pragma once

#include <optional>

#include "jade/math/types.h"

namespace jade {

/// Small loads f of contacts that touch without one, and how fast these open, w:
///   0 ≤ f ⟂ w = A f + b ≥ 0
/// A: what a load with its friction does to the opening of each, any matrix of theirs. Where several loads do the same, as on the
/// four corners of a face, they are shared as those of a step: the limit of a vanishing compliance W, which is
///   zᵀ W f = 0 for all z with zᵀ A = 0, of those that carry.
struct WeakContacts {
  MatX A;
  VecX W;

  /// nullopt: none was found.
  std::optional<VecX> loads(const VecX& b) const;
};

}  // namespace jade
