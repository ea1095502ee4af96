#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "jade/lcp/island_state.h"

namespace jade::lcp {

/// A factorisation of the coupled equations of given classes, K = S (A + ε W) P (see ClassTableau).
/// Only the columns of slipping normals differ from the symmetric A, so they are put last:
///   K = [A₁₁ K₁₂; A₂₁ K₂₂],   A₁₁ + ε W = L Lᵀ,   Y = L⁻¹K₁₂,   Z = L⁻¹A₁₂,   S = K₂₂ − Zᵀ Y = LU
/// One Cholesky when nothing slips, no pivoting outside the small block S.
class ClassEquations {
 public:
  /// False when a pivot vanishes.
  bool factor(const ContactIsland& island, const std::vector<RowClass>& classes, double epsilon);

  int size() const { return k_; }
  double epsilon() const { return epsilon_; }
  /// The free rows in the order of the equations and unknowns.
  const std::vector<int>& free_rows() const { return free_; }
  /// In place: r becomes K⁻¹ r, or K⁻ᵀ r.
  void solve(double* r) const;
  void solve_transposed(double* r) const;

 private:
  bool cholesky();
  bool schur_complement(const ContactIsland& island, const std::vector<RowClass>& classes, double epsilon);
  void forward(double* r) const;
  void backward(double* r) const;

  double epsilon_ = 0;
  int k_ = 0;   ///< free rows
  int k1_ = 0;  ///< of them, rows whose column of K is a column of A
  std::vector<int> free_;
  std::vector<double> L_, Y_, Z_, S_;
  std::vector<int> pivot_;
  mutable std::vector<double> permuted_;
};

/// Solves S A P x = −b_X for the classes in `state` by the proximal iteration x ← x + (K + ε W)⁻¹(−b_X − K x) from
/// the forces in `state`. Leaves f, v, σ and the residual. `Solver` has free_rows(), size(), epsilon() and solve(r).
template <class Solver>
void refine(const ContactIsland& island, const Solver& solver, std::vector<double>& scratch,
            IslandState& state) {
  constexpr int max_iterations = 12;   // each gains a factor ε / (smallest non-zero eigenvalue)
  constexpr double rounding = 1e-14;   // what is left of a row after cancellation of its terms
  constexpr double worthwhile = 0.25;  // stop when an iteration gains less than this
  const std::vector<int>& free = solver.free_rows();
  const int k = solver.size();
  scratch.resize(k);
  double before = HUGE_VAL;
  for (int iteration = 0;; ++iteration) {
    tie_forces(island, state);
    evaluate(island, state);
    double error = 0;
    for (int p = 0; p < k; ++p) {
      const double v = state.v[free[p]];
      scratch[p] = -v;
      if (std::abs(v) > error * state.sigma[free[p]]) error = std::abs(v) / state.sigma[free[p]];
    }
    if (!(error > rounding) || !(error < worthwhile * before) || iteration == max_iterations) return;
    before = error;
    solver.solve(scratch.data());
    for (int p = 0; p < k; ++p) state.f[free[p]] += scratch[p];
  }
}

/// The same from x = 0, which also settles redundant rows: the limit is the solution of a vanishing compliance.
/// The first steps need no look at A: what (K + ε W)⁻¹ leaves of −b is ε W x, so step follows step as
/// δ ← (K + ε W)⁻¹ ε W δ, which keeps out of the null space of redundant rows as well.
template <class Solver>
void polish(const ContactIsland& island, const Solver& solver, std::vector<double>& scratch,
            IslandState& state) {
  constexpr int blind_steps = 3;
  constexpr double rounding = 1e-15;  // of the largest force
  const std::vector<int>& free = solver.free_rows();
  const int k = solver.size();
  scratch.resize(k);
  std::fill(state.f.begin(), state.f.end(), 0.0);
  for (int p = 0; p < k; ++p) scratch[p] = -island.b[free[p]];
  double largest = 0, moved = HUGE_VAL;
  for (int step = 0; step < blind_steps && moved > rounding * largest; ++step) {
    if (step > 0) {
      for (int p = 0; p < k; ++p) scratch[p] *= solver.epsilon() * island.diagonal[free[p]];
    }
    solver.solve(scratch.data());
    moved = 0;
    for (int p = 0; p < k; ++p) {
      moved = std::max(moved, std::abs(scratch[p]));
      state.f[free[p]] += scratch[p];
    }
    largest = std::max(largest, moved);
  }
  refine(island, solver, scratch, state);
}

/// Newton's method on classes: solve the equations of the classes, read the classes off the projection, repeat.
/// True when the residual fell to `target`.
bool newton_on_classes(const ContactIsland& island, double epsilon, double target, int max_steps,
                       ClassEquations& equations, std::vector<double>& scratch, IslandState& state);

}  // namespace jade::lcp
