#include "jade/lcp/exact_classes.h"

#include <algorithm>

namespace jade::lcp {

bool ExactClasses::factor(const ContactIsland& island, const IslandState& state) {
  rows_.read(island, state.classes);
  return equations_.factor(rows_, [&](int j) { return island.column(j); });
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
    correct(equations_, state);
  }
}

void ExactClasses::correct(ExactEquations& equations, IslandState& state) {
  const std::vector<int>& free = rows_.free;
  r_.resize(free.size());
  for (std::size_t p = 0; p < free.size(); ++p) r_[p] = -state.v[free[p]];
  equations.solve(r_.data());
  for (std::size_t p = 0; p < free.size(); ++p) state.f[free[p]] += r_[p];
}

bool ExactClasses::solve_shares(const ContactIsland& island, double tolerance, ExactEquations& equations,
                                IslandState& state) {
  if (!equations.factor(rows_, [&](int j) { return island.column(j); })) return false;
  std::ranges::fill(state.f, 0.0);
  std::copy_n(island.b.begin(), island.n, state.v.begin());
  constexpr int corrections = 2;
  for (int i = 0; i < corrections; ++i) {
    correct(equations, state);
    tie_forces(island, state);
    evaluate(island, state);
  }
  return state.residual <= tolerance;
}

bool ExactClasses::solve_shares(const ContactIsland& island, double tolerance, IslandState& state) {
  rows_.read(island, state.classes);
  return solve_shares(island, tolerance, equations_, state) ||
         solve_shares(island, tolerance, compliant_, state);
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
