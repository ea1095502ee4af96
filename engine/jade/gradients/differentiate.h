#pragma once

#include <functional>

#include "jade/math/types.h"

namespace jade {

/// What differences say about a function at a point, along one direction.
enum class Smoothness {
  regular,     ///< differences from both sides settle on one value
  kink,        ///< each side settles, on values of its own
  edge,        ///< there is one side only: a parameter at the end of its range
  unresolved,  ///< differences do not settle: a jump, or kinks too near to step between them
};
const char* name_of(Smoothness smoothness);

struct DifferenceSettings {
  double first_step = 1e-2;  ///< along the direction as it is given; halved from there
  int levels =
      22;  ///< the last step is first_step / 2^(levels − 1), 5e-9: below that rounding is all there is
  int order = 5;          ///< of the extrapolation: an entry knows this many steps besides its own
  double settled = 2e-7;  ///< error estimate, relative to the size, that counts as settled
  double enough = 1e-11;  ///< error estimate at which no smaller step is tried
  /// Steps are tried down to here however well larger ones settle: contacts change their minds within 1e-6.
  double least_look = 3e-7;
  /// By how much the slopes of both sides may differ beyond their error estimates, relative to the size, for the two to be
  /// one: half a millionth moves a central difference by a quarter of it.
  double same_slope = 5e-7;
  /// How well these slopes must be known to say so. Where contacts leave no more than a micrometre to step in, one side alone
  /// is rounding to some millionths; a kink below that moves what a derivative is held against, so that no derivative
  /// passes which would not pass without.
  double known_slope = 5e-6;
  /// Whether slopes that single steps leave open are looked for in fits over many places.
  bool fits = true;
  /// How many evaluations such fits may take: most that find something take a few hundred.
  int most_fitted = 800;
  /// What each number of the function is rounded by without a scatter along the direction, where the caller knows: what the last
  /// digits of its start do to it, say. Small steps make no doubts of larger ones by less than the largest of these allows; whether
  /// the slopes of both sides are one is not judged by them. Empty: only what scatters.
  VecX rounding = {};
};

/// One-sided and central differences of one function with shared evaluations.
struct Differences {
  Smoothness smoothness = Smoothness::unresolved;
  VecX value;        ///< at a kink the mean of both sides
  VecX left, right;  ///< from below and from above; empty where a side does not exist
  double error = 0;  ///< estimate for `value`, relative to `size`
  double size = 0;   ///< largest entry, at least `least_size`
};

/// Derivative at s = 0 of a vector function, by Ridders' extrapolation over a long sequence of steps h_k = h₀/2ᵏ.
///   central    D_k = (f(h_k) − f(−h_k)) / 2h_k      error series in h²
///   one-sided  D_k = ±(f(±h_k) − f(0)) / h_k        error series in h
/// Each entry of the Neville tableau knows at most `order` + 1 neighbouring steps, so that one which are all nearer than the
/// next kink knows nothing of it; the entry that agrees best with its neighbours wins, and that disagreement is its error.
/// A central difference settles on the mean at a kink, so it is trusted only where both sides say the same.
/// Rounding of f is measured and not guessed: a step whose conditioning is 1e4 scatters by 1e-12, which at steps of 1e-8 looks
/// like a kink to who expects 1e-14.
/// f may throw InvalidInput or StepError where it does not exist: such steps are left out.
/// To differentiate on a manifold let f move the point: f(s) = g(q ⊕ s d).
/// C. Ridders, "Accurate computation of F'(x) and F'(x)F''(x)", Advances in Engineering Software 4(2), 1982.
Differences differentiate(const std::function<VecX(double)>& f, double least_size = 0,
                          const DifferenceSettings& settings = {});

}  // namespace jade
