#include "jade/gradients/differentiate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <Eigen/Cholesky>

#include "jade/base/error.h"
#include "jade/stepping/step.h"

namespace jade {
namespace {

double size_of(const VecX& x) { return x.size() == 0 ? 0 : x.lpNorm<Eigen::Infinity>(); }

// What is taken for the rounding of a function, as a multiple of what was seen of it.
constexpr double kCaution = 3;
// Slopes of both sides that differ by as many times what they are known to are surely two.
constexpr double kSureKink = 3;
// Of their distance from a third: two differences that are as near to each other say the same.
constexpr double kAgree = 0.3;

/// Neville's tableau, row by row, for differences whose error is a series in powers of h^(log2 ratio).
class Tableau {
 public:
  Tableau(double ratio, const DifferenceSettings& settings)
      : ratio_(ratio), order_(settings.order), same_(settings.same_slope) {}

  /// The difference for the next step, each number of it known up to its `noises`; nullopt where the function does not
  /// exist, which starts the tableau anew. `unseen`: what rounding may do to it without a scatter.
  void add(const std::optional<VecX>& difference, const VecX& noises, double unseen) {
    const double noise = size_of(noises);
    absent_ = !difference;
    if (absent_) {
      row_.clear();
      return;
    }
    doubt(*difference, std::max(noise, unseen));
    std::vector<VecX> next{*difference};
    double power = ratio_;
    for (std::size_t k = 1; k <= row_.size() && k <= static_cast<std::size_t>(order_); ++k, power *= ratio_) {
      next.push_back((next[k - 1] * power - row_[k - 1]) / (power - 1));
      // Two that agree by chance know no more than rounding lets them, which the tableau magnifies.
      const VecX apart = (next[k] - next[k - 1]).cwiseAbs().cwiseMax((next[k] - row_[k - 1]).cwiseAbs());
      const double error = std::max(size_of(apart), 3e-2 * rounding_gain() * noise);
      if (best_.size() == 0 || error < error_) {
        best_ = next[k];
        error_ = error;
        errors_ = kCaution * apart + rounding_gain() * noises;
        noise_ = noise;
        unseen_ = unseen;
        distance_ = size_of(*difference - best_);
      }
    }
    row_ = std::move(next);
  }

  /// Smaller steps come nearer to the derivative. Where they do not, by more than a kink moves a central difference by whose slopes
  /// count as one, what larger ones settled on is that of a function beyond a kink: a step of contacts is nearly linear on either
  /// side of one. Below what rounding may do at worst, two of them that agree with each other say so too: rounding would scatter
  /// them.
  void doubt(const VecX& difference, double noise) {
    if (best_.size() == 0) return;
    const double distance = size_of(difference - best_),
                 allowed = std::max(0.9 * distance_, 0.5 * same_ * size_of(best_));
    const bool suspect = distance > allowed + noise / kCaution;
    const bool again = suspect && suspect_.size() > 0 && size_of(difference - suspect_) <= kAgree * distance;
    if (distance > allowed + noise || again) {
      best_.resize(0);
      error_ = std::numeric_limits<double>::infinity();
      row_.clear();
    }
    if (suspect && best_.size() > 0) {
      suspect_ = difference;
      return;
    }
    suspect_.resize(0);
    distance_ = distance;
  }

  /// Π (rᵏ + 1) / (rᵏ − 1) over all orders, to a whole number.
  double rounding_gain() const { return ratio_ < 3 ? 8 : 2; }

  const VecX& best() const { return best_; }
  double noise() const { return noise_; }  ///< of the smallest step that it knows
  /// What rounding may do to `best` without a scatter.
  double unseen() const { return rounding_gain() * unseen_; }
  double error() const { return error_; }
  /// What each number of `best` may be off by at worst: one that hardly scatters is known better than the largest is.
  const VecX& errors() const { return errors_; }
  bool exists() const { return best_.size() > 0; }
  bool absent() const { return absent_; }

 private:
  double ratio_;
  int order_;
  double same_;
  bool absent_ = false;  ///< the function did not exist at the last step
  std::vector<VecX> row_;
  VecX best_, errors_;
  double distance_ = 0;  ///< of the last difference from it
  VecX suspect_;         ///< the last difference, if it was farther from it than rounding explains as a rule
  double noise_ = 0, unseen_ = 0;
  double error_ = std::numeric_limits<double>::infinity();
};

std::optional<VecX> evaluate(const std::function<VecX(double)>& f, double s) {
  try {
    VecX value = f(s);
    if (value.allFinite()) return value;
  } catch (const InvalidInput&) {
  } catch (const StepError&) {
  }
  return std::nullopt;
}

/// Rounding of a function, number by number: what second differences on either side alone leave at places that are all the same to
/// its derivative. The slope is not in them, a kink or a jump at zero is not between them, and curvature is far below rounding
/// there. A kink in between them looks like rounding of 1e-11 of itself, which at the smallest step is little beside it.
VecX noise_of(const std::function<VecX(double)>& f, const VecX& f0) {
  VecX scatter = VecX::Zero(f0.size());
  for (const double side : {-2e-12, 2e-12}) {
    std::array<std::optional<VecX>, 5> at;
    for (std::size_t k = 0; k < at.size(); ++k) at[k] = evaluate(f, static_cast<double>(k + 1) * side);
    for (std::size_t k = 2; k < at.size(); ++k)
      if (at[k - 2] && at[k - 1] && at[k])
        scatter = scatter.cwiseMax((*at[k - 2] - 2 * *at[k - 1] + *at[k]).cwiseAbs());
  }
  // A few places of many. A hundred roundings of the result at least: it may round once where its arguments do not. Where it is
  // worse conditioned than a million it is not called noise: such a function changes its mind.
  const VecX least = 1e-14 * (VecX::Ones(f0.size()) + f0.cwiseAbs());
  const double most = 1e-10 * (1 + size_of(f0));
  return (kCaution * scatter).cwiseMax(least).cwiseMin(most);
}

/// What the steps up to one of them say.
struct Verdict {
  Differences differences;
  int outer = 0;                                             ///< level of the largest step
  double central = std::numeric_limits<double>::infinity();  ///< error of the central difference
  double sides = std::numeric_limits<double>::infinity();    ///< of the difference of both sides
  double score = std::numeric_limits<double>::infinity();    ///< below 1 both are known well enough
  double noise = 0;  ///< what rounding may do to the central difference, of which a tableau sees a part

  bool is_regular() const { return differences.smoothness == Smoothness::regular; }
  /// No other step has anything to add.
  bool is_clear(const DifferenceSettings& settings) const {
    return is_regular() && !is_noisy(settings) && central <= kClear * settings.settled * differences.size &&
           sides <= settings.same_slope * differences.size;
  }

  /// Neighbouring steps may agree by chance, or beyond a kink that rounding hides: many places must say the same.
  bool is_noisy(const DifferenceSettings& settings) const {
    return noise > kNoisy * settings.settled * differences.size;
  }

  /// Not settled, or at a kink that may be rounding, but not far from it: more places may tell.
  bool is_near(const DifferenceSettings& settings) const {
    const Smoothness smoothness = differences.smoothness;
    if (smoothness != Smoothness::unresolved && smoothness != Smoothness::kink) return false;
    const double scale = differences.size;
    return central <= kNear * settings.settled * scale && sides <= kNear * settings.known_slope * scale &&
           size_of(differences.right - differences.left) <= kNear * settings.known_slope * scale;
  }

  // As a share of what counts as settled.
  static constexpr double kClear = 0.05, kNear = 30, kNoisy = 0.5;
};

/// Values of a function at ± h₀/2ᵏ, each looked at once, from the smallest step outward: what is beyond the nearest kink is
/// of no use, and often dear, as a stack that is torn apart.
class Looks {
 public:
  Looks(const std::function<VecX(double)>& f, double least_size, const DifferenceSettings& settings)
      : f_(f),
        least_size_(least_size),
        settings_(settings),
        f0_(f(0)),
        roundings_(noise_of(f, f0_)),
        rounding_(size_of(roundings_)),
        levels_(static_cast<std::size_t>(settings.levels)) {}

  /// Smaller steps for a derivative of this size, down to where rounding is a ten-thousandth of it: what two steps of
  /// many impacts make ten thousand times larger has its next kink ten thousand times nearer. False: there are none.
  bool step_closer(double size) {
    const int last = static_cast<int>(levels_.size()) - 1;
    if (at(last).above && at(last).below)
      size = std::max(size, size_of(*at(last).above - *at(last).below) / (2 * step(last)));
    const double least = rounding_ / (1e-4 * std::max(size, std::numeric_limits<double>::min()));
    const std::size_t before = levels_.size();
    for (int k = 0; k < kMostCloser && step(static_cast<int>(levels_.size())) >= least; ++k)
      levels_.emplace_back();
    return levels_.size() > before;
  }

  /// The best that every stride-th step says, from the smallest up to where larger ones tell nothing more, or to a given one.
  Verdict outward(int stride, int outermost = 0) {
    const int last = static_cast<int>(levels_.size()) - 1, patience = stride > 1 ? 3 : 4;
    Verdict best;
    best.outer = last;
    for (int outer = last - 2 * stride, worse = 0; outer >= std::max(0, outermost); outer -= stride) {
      Verdict verdict = judge(outer, stride);
      const bool looked_enough = step(outer) >= settings_.least_look;
      worse = verdict.score < 0.9 * best.score ? 0 : worse + 1;
      if (verdict.score < best.score || outer == last - 2 * stride) best = std::move(verdict);
      if (worse >= patience || (looked_enough && !at(outer).above && !at(outer).below)) break;
      if (looked_enough && best.is_regular() && best.central <= settings_.enough * best.differences.size &&
          best.sides <= settings_.same_slope * best.differences.size)
        break;
    }
    return best;
  }

  /// Slopes from many places on both sides at once, where single steps are too noisy: in the little room that contacts leave
  /// rounding is a millionth, and the mean of a hundred places knows it ten times better. Odd and even part of f by
  /// least squares,
  ///   ½ (f(s) − f(−s)) = C s + C₃ s³ (+ C₂ s |s|),   ½ (f(s) + f(−s)) = f₀ + K |s| + K₂ s² + K₃ |s|³
  /// C the derivative and 2 K the kink, each with its deviation from what the fit leaves; C₂, where it is more than its own,
  /// is that of a function which bends differently on both sides, as what is pressed from above and free from below. Where that is more than neighbours
  /// differ by anyway f is no such polynomial, and a smaller window is tried.
  std::optional<Differences> fit(int outer) {
    double window = step(outer);
    for (int k = 0; k < kMostWindows; ++k) {
      std::vector<Level> known(static_cast<std::size_t>(kPlaces.back()));
      double smaller = 0.5;
      for (const int places : kPlaces) {
        if (fitted_ + 2 * places > settings_.most_fitted) return std::nullopt;
        const Fitted fitted = fit_within(window, places, known);
        if (!fitted.smooth) break;
        if (fitted.differences.smoothness == Smoothness::regular || places == kPlaces.back() ||
            fitted.missing > kHopeful * std::sqrt(static_cast<double>(kPlaces.back()) / places))
          return fitted.differences;
        smaller = std::sqrt(0.5);  // few places saw nothing else: it is nearly smooth
      }
      window *= smaller;
    }
    return std::nullopt;
  }

 private:
  struct Level {
    bool known = false;
    std::optional<VecX> above, below;
  };

  static constexpr std::array<int, 3> kPlaces{16, 48,
                                              144};  // of a fit, on either side; each has those before
  static constexpr int kMostWindows = 7, kMostCloser = 8;
  static constexpr double kDeviations = 3;
  static constexpr double kHopeful = 1.5;  // more places may do better than they promise
  static constexpr double kMisfit = 4;     // deviations of one estimate of the noise from another

  double step(int level) const { return std::ldexp(settings_.first_step, -level); }

  const Level& at(int level) {
    Level& one = levels_[static_cast<std::size_t>(level)];
    if (!one.known) one = {true, evaluate(f_, step(level)), evaluate(f_, -step(level))};
    return one;
  }

  Verdict judge(int outer, int stride) {
    const double ratio = std::ldexp(1, stride);
    Tableau central(ratio * ratio, settings_), right(ratio, settings_), left(ratio, settings_);
    for (int level = outer; level < static_cast<int>(levels_.size()); level += stride) {
      const double h = step(level);
      const VecX noise = roundings_ / h;
      const double unseen = kCaution * size_of(settings_.rounding) / h;
      const auto& [known, above, below] = at(level);
      right.add(above ? std::optional<VecX>((*above - f0_) / h) : std::nullopt, noise, unseen);
      left.add(below ? std::optional<VecX>((f0_ - *below) / h) : std::nullopt, noise, unseen);
      central.add(above && below ? std::optional<VecX>((*above - *below) / (2 * h)) : std::nullopt, noise,
                  unseen);
    }
    Verdict verdict{.differences = {.left = left.best(), .right = right.best()},
                    .outer = outer,
                    .central = central.error(),
                    .sides = left.error() + right.error(),
                    .noise = central.noise()};
    Differences& result = verdict.differences;
    result.size = least_size_;
    for (const Tableau* t : {&central, &right, &left})
      result.size = std::max(result.size, size_of(t->best()));
    const double scale = result.size > 0 ? result.size : 1;
    const double settled = settings_.settled * scale;
    if (!left.exists() || !right.exists()) {
      const Tableau& only = left.exists() ? left : right;
      result.value = only.exists() ? only.best() : VecX::Zero(f0_.size());
      result.error = only.error() / scale;
      const Tableau& other = left.exists() ? right : left;
      if (other.absent() && only.error() <= settled) result.smoothness = Smoothness::edge;
      if (other.absent()) verdict.score = only.error() / settled;
      return verdict;
    }
    verdict.score = std::max(central.error() / settled, verdict.sides / (settings_.known_slope * scale));
    // A central difference knows nothing of f(0): it settles on the mean at a kink, and across a jump that is taken back.
    // Only where both sides settle as well, on slopes that are one as far as rounding tells, is there a derivative.
    // Number by number: a kink of one is not hidden by the rounding of another.
    const VecX allowed =
        (left.errors() + right.errors()).cwiseMin(verdict.sides).array() + settings_.same_slope * scale;
    const bool same_slope = ((right.best() - left.best()).cwiseAbs().array() <= allowed.array()).all();
    // And they look as far as it does: where one side has been taken back for smaller steps the slopes of both may be one as far as
    // these know, while larger ones tell of two.
    const bool same_place =
        !central.exists() ||
        ((central.best() - 0.5 * (left.best() + right.best())).cwiseAbs().array() <= allowed.array()).all();
    if (central.exists() && central.error() <= settled && same_slope && same_place &&
        verdict.sides <= settings_.known_slope * scale) {
      result.smoothness = Smoothness::regular;
      result.value = central.best();
      result.error = central.error() / scale;
      return verdict;
    }
    result.value = 0.5 * (left.best() + right.best());
    result.error = verdict.sides / scale;
    const bool known =
        size_of(right.best() - left.best()) > kSureKink * verdict.sides + left.unseen() + right.unseen();
    if (!same_slope && known && verdict.sides <= 2e-5 * scale) result.smoothness = Smoothness::kink;
    return verdict;
  }

  /// Least squares with the columns of `basis`: coefficients of one of them, their deviations, and whether what is left
  /// is noise.
  struct Fit {
    VecX coefficient;
    VecX deviations;  ///< of its numbers
    bool smooth = true;
    double deviation() const { return size_of(deviations); }
  };
  Fit fit_of(const MatX& basis, const MatX& data, int wanted) const {
    const Eigen::LLT<MatX> normal(basis.transpose() * basis);
    const MatX solution = normal.solve(basis.transpose() * data), left = data - basis * solution;
    const double gain = std::sqrt(normal.solve(MatX::Identity(basis.cols(), basis.cols()))(wanted, wanted));
    const auto n = data.rows();
    // Third differences of white noise are √20 of it.
    const MatX third = data.bottomRows(n - 3) - 3 * data.middleRows(2, n - 3) +
                       3 * data.middleRows(1, n - 3) - data.topRows(n - 3);
    Fit fit{.coefficient = solution.row(wanted).transpose()};
    const double least = 1e-16 * (1 + size_of(f0_));
    const VecX misfit = left.colwise().norm().transpose() / std::sqrt(static_cast<double>(n - basis.cols()));
    const VecX local = third.colwise().norm().transpose() / std::sqrt(20.0 * static_cast<double>(n - 3));
    // Entries that hardly scatter beside others are rounded to few numbers, and such noise is not white.
    const double share = 1 + kMisfit / std::sqrt(static_cast<double>(n)),
                 least_scatter = 0.1 * size_of(local);
    fit.smooth = size_of(misfit) <= rounding_;  // a jump is between neighbours as well
    for (Eigen::Index c = 0; c < data.cols(); ++c)
      fit.smooth = fit.smooth && misfit[c] <= share * std::max(local[c], least_scatter) + least;
    fit.deviations = gain * misfit.cwiseMax(std::max(least, least_scatter));
    return fit;
  }

  struct Fitted {
    Differences differences;
    bool smooth = false;                                       ///< f is such a polynomial up to its rounding
    double missing = std::numeric_limits<double>::infinity();  ///< times the accuracy that is asked for
  };
  /// `known`: values at all places of the last fit, of which each of the others takes some.
  Fitted fit_within(double window, int places, std::vector<Level>& known) {
    MatX odd(places, f0_.size()), even(places, f0_.size());
    MatX odd_basis(places, 3), even_basis(places, 4);
    for (int k = 0; k < places; ++k) {
      const double x = (k + 1.0) / places;
      Level& at = known[static_cast<std::size_t>((k + 1) * (kPlaces.back() / places) - 1)];
      if (!at.known) {
        at = {true, evaluate(f_, x * window), evaluate(f_, -x * window)};
        fitted_ += 2;
      }
      if (!at.above || !at.below) return {};
      odd.row(k) = (0.5 * (*at.above - *at.below)).transpose();
      even.row(k) = (0.5 * ((*at.above - f0_) + (*at.below - f0_))).transpose();
      odd_basis.row(k) << x, x * x * x, x * x;
      even_basis.row(k) << 1, x, x * x, x * x * x;
    }
    const Fit bend = fit_of(odd_basis, odd, 2), kink = fit_of(even_basis, even, 1);
    const bool bends = size_of(bend.coefficient) > kDeviations * bend.deviation();
    const Fit slope = fit_of(bends ? odd_basis : MatX(odd_basis.leftCols(2)), odd, 0);
    Fitted fitted{.smooth = slope.smooth && kink.smooth};
    Differences& result = fitted.differences;
    const VecX half = kink.coefficient / window;
    result.value = slope.coefficient / window;
    result.left = result.value - half;
    result.right = result.value + half;
    result.size = std::max(least_size_, size_of(result.value));
    const double scale = result.size > 0 ? result.size : 1;
    result.error = kDeviations * slope.deviation() / window / scale;
    const VecX allowed = (2 * kDeviations / window) * kink.deviations;
    const double sides = size_of(allowed) / scale;
    const bool same_slope =
        ((2 * half).cwiseAbs().array() <= allowed.array() + settings_.same_slope * scale).all();
    fitted.missing = std::max(result.error / settings_.settled, sides / settings_.known_slope);
    if (fitted.smooth && fitted.missing <= 1 && same_slope) result.smoothness = Smoothness::regular;
    return fitted;
  }

  const std::function<VecX(double)>& f_;
  const double least_size_;
  const DifferenceSettings& settings_;
  const VecX f0_;
  const VecX roundings_;   ///< of each number
  const double rounding_;  ///< the largest of them
  std::vector<Level> levels_;
  int fitted_ = 0;  ///< evaluations for fits so far
};

}  // namespace

const char* name_of(Smoothness smoothness) {
  constexpr const char* names[] = {"regular", "kink", "edge", "unresolved"};
  return names[static_cast<int>(smoothness)];
}

Differences differentiate(const std::function<VecX(double)>& f, double least_size,
                          const DifferenceSettings& settings) {
  Looks looks(f, least_size, settings);
  // Every other step settles most functions.
  const Verdict quick = looks.outward(2);
  if (quick.is_clear(settings)) return quick.differences;
  const auto look_closely = [&] {
    const Verdict all = looks.outward(1, std::isfinite(quick.score) ? quick.outer - 2 : 0);
    const Verdict& better = quick.is_regular() && quick.score < all.score ? quick : all;
    const bool doubtful = better.is_regular() && better.is_noisy(settings);
    Differences found = better.differences;
    if (doubtful) found.smoothness = Smoothness::unresolved;
    if (!settings.fits || !(doubtful || better.is_near(settings))) return found;
    const std::optional<Differences> fitted = looks.fit(better.outer);
    return fitted && fitted->smoothness == Smoothness::regular ? *fitted : found;
  };
  const Differences found = look_closely();
  if (found.smoothness != Smoothness::unresolved || !looks.step_closer(found.size)) return found;
  const Differences closer = look_closely();
  return closer.smoothness == Smoothness::regular ? closer : found;
}

}  // namespace jade
