#pragma once

#include <array>

#include "jade/math/types.h"

namespace jade {

/// Where to look next for the fixed point x = g(x), from the last few looks (Anderson's mixing):
///   r_k = g_k − x_k,   γ = argmin |r_k − ΔR γ|,   x_{k+1} = g_k − ΔG γ
///   ΔR, ΔG  differences of the last residuals and images, at most kDepth columns
/// Plain iteration, x_{k+1} = g_k, needs log(1e-14)/log(ρ) looks where g contracts by ρ, three hundred for 0.9. For a linear g
/// of n numbers this needs n + 1 looks whatever ρ is, above 1 as well; near a solution every smooth g is linear.
/// It decides on the way only: a place that has settled is one that g maps onto itself.
/// D. G. Anderson, "Iterative procedures for nonlinear integral equations", Journal of the ACM 12(4), 1965; H. Walker and
/// P. Ni, "Anderson acceleration for fixed-point iterations", SIAM Journal on Numerical Analysis 49(4), 2011.
class FixedPoint {
 public:
  static constexpr int kDepth = 5;

  /// Forgets all looks; memory stays.
  void begin() { looks_ = 0; }
  /// After a look at x with g(x) = g: x becomes the next place.
  void advance(VecX& x, const VecX& g);

 private:
  struct Look {
    VecX residual, image;  ///< differences to the look before
  };
  std::array<Look, kDepth> looks_back_;
  std::array<VecX, kDepth> basis_;  ///< orthonormal, of the residuals' differences
  VecX residual_, image_;           ///< of the last look
  int looks_ = 0;
};

}  // namespace jade
