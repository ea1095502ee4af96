#include "jade/lcp/exact_classes.h"

#include <algorithm>

namespace jade::lcp {
namespace {

/// Pivots are looked for everywhere, which takes a tenth of a millisecond beyond.
constexpr int kMostRows = 64;

}  // namespace

/// K = S A P, P with the slipping tangents that follow their normals.
bool ExactClasses::factor(const ContactIsland& island, const IslandState& state) {
  free_.clear();
  for (int i = 0; i < island.n; ++i)
    if (is_free(state.classes[i])) free_.push_back(i);
  const int k = static_cast<int>(free_.size());
  if (k == 0 || k > kMostRows) return false;
  K_.resize(k, k);
  W_.resize(k);
  for (int q = 0; q < k; ++q) {
    const int j = free_[q];
    const double* a = island.column(j);
    W_[q] = island.diagonal[j];
    for (int p = 0; p < k; ++p) K_(p, q) = a[free_[p]];
    if (j >= island.m) continue;
    for (int t = island.tangent_begin[j]; t < island.tangent_begin[j + 1]; ++t) {
      const double slope = slip_slope(island, state.classes, t);
      if (slope == 0) continue;
      const double* tangent = island.column(t);
      for (int p = 0; p < k; ++p) K_(p, q) += slope * tangent[free_[p]];
    }
  }
  return inverse_.factor_shared(K_, W_);
}

void ExactClasses::refine(const ContactIsland& island, double target, IslandState& state) {
  constexpr int max_iterations = 4;
  constexpr double worthwhile = 0.25;
  double before = HUGE_VAL;
  for (int i = 0; i <= max_iterations; ++i) {
    tie_forces(island, state);
    evaluate(island, state);
    if (i == max_iterations || state.residual <= 0.01 * target || !(state.residual < worthwhile * before))
      return;
    before = state.residual;
    correct(state);
  }
}

void ExactClasses::correct(IslandState& state) {
  r_.resize(static_cast<long>(free_.size()), 1);
  for (std::size_t p = 0; p < free_.size(); ++p) r_(static_cast<long>(p), 0) = -state.v[free_[p]];
  inverse_.solve(r_);
  for (std::size_t p = 0; p < free_.size(); ++p) state.f[free_[p]] += r_(static_cast<long>(p), 0);
}

bool ExactClasses::solve_shares(const ContactIsland& island, double tolerance, IslandState& state) {
  if (std::ranges::none_of(state.classes, is_slipping) || !factor(island, state)) return false;
  std::ranges::fill(state.f, 0.0);
  std::copy_n(island.b.begin(), island.n, state.v.begin());
  constexpr int corrections = 2;
  for (int i = 0; i < corrections; ++i) {
    correct(state);
    tie_forces(island, state);
    evaluate(island, state);
  }
  return state.residual <= tolerance;
}

bool ExactClasses::solve(const ContactIsland& island, double target, int max_steps, IslandState& state) {
  for (int step = 0; step < max_steps; ++step) {
    if (!factor(island, state)) return false;
    refine(island, target, state);
    if (state.residual <= target) return true;
    if (!reclassify(island, state)) return false;
  }
  return false;
}

}  // namespace jade::lcp
