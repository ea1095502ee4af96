#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "jade/lcp/island_state.h"

namespace jade::lcp {

/// The unknowns of given classes: the free rows, and the slipping tangents that follow some of them.
struct ClassRows {
  struct Slip {
    int column;    ///< which of the slipping normals it follows
    int tangent;   ///< row
    double slope;  ///< ±μ
  };
  std::vector<int> free;  ///< first the rows whose column of K is a column of A, then the slipping normals
  int plain = 0;          ///< how many come first
  std::vector<Slip> slips;

  /// Those of an island.
  void read(const ContactIsland& island, const std::vector<RowClass>& classes);
};

/// A factorisation of the coupled equations of given classes, K = S (A + ε W) P (see ClassTableau).
/// Only the columns of slipping normals differ from the symmetric A, so they are put last:
///   K = [A₁₁ K₁₂; A₂₁ K₂₂],   A₁₁ + ε W = L D Lᵀ,   Y = L⁻¹K₁₂,   Z = D⁻¹L⁻¹A₁₂,   S = K₂₂ − Zᵀ Y = LU
/// One symmetric factorisation when nothing slips, no pivoting outside the small block S. It works on blocks of 4 × 4
/// numbers, a register wide; what is missing in the last block is filled with rows of the unit matrix.
class ClassEquations {
 public:
  /// Any positive pivot will do, or only one that keeps this much of its A_ii: then no row is nearly redundant.
  static constexpr double kAnyPivot = 0;

  /// False when a pivot vanishes.
  bool factor(const ContactIsland& island, const std::vector<RowClass>& classes, double epsilon);
  /// The same for rows of any matrix: `column(j)` points to its column j.
  template <class Columns>
  bool factor(const Columns& column, double epsilon, double least_pivot);
  /// Whose unknowns they are; to be filled before `factor(column, …)`.
  ClassRows& rows() { return rows_; }
  const ClassRows& rows() const { return rows_; }

  int size() const { return k_; }
  double epsilon() const { return epsilon_; }
  /// The free rows in the order of the equations and unknowns.
  const std::vector<int>& free_rows() const { return rows_.free; }
  /// What an array for `solve` has to have room for: whole registers.
  static int room(int k) { return (k + 3) / 4 * 4; }
  /// In place: r becomes K⁻¹ r, or K⁻ᵀ r. Has room(size()) numbers, of which only size() count.
  void solve(double* r) const;
  void solve_transposed(double* r) const;

 private:
  bool factor_symmetric(double least_pivot);
  bool factor_slipping(double least_pivot);
  void gather_columns(int top, bool side_by_side);
  bool factor_columns(int top, double least_pivot);
  bool factor_diagonal_block(int top, double least_pivot, const double* sizes);
  bool factor_schur_complement(double least_pivot);
  void pad(double* r) const;
  void forward(double* r) const;
  void scale(double* r) const;
  void backward(double* r) const;

  ClassRows rows_;
  std::vector<const double*> columns_;  ///< of the matrix: of the free rows, then of the slipping tangents
  double epsilon_ = 0;
  int k_ = 0;       ///< free rows
  int k1_ = 0;      ///< of them, rows whose column of K is a column of A
  int stride_ = 0;  ///< of L, Y and Z: k1 rounded up to whole registers
  /// Blocks of L below the diagonal; on it, blocks of L⁻¹.
  std::vector<double> L_;
  std::vector<double> transposed_;  ///< the diagonal blocks again, by rows
  std::vector<double> inverse_;     ///< 1 / D
  std::vector<double> D_;
  std::vector<double> Y_, Z_, S_;
  std::vector<int>
      end_;  ///< per block of columns: all below this row are zero, as in a stack the bodies further up
  std::vector<int> pivot_;
  std::vector<double> sizes_;  ///< of the diagonal of K₂₂
};

template <class Columns>
bool ClassEquations::factor(const Columns& column, double epsilon, double least_pivot) {
  epsilon_ = epsilon;
  k_ = static_cast<int>(rows_.free.size());
  k1_ = rows_.plain;
  stride_ = (k1_ + 3) / 4 * 4;
  const std::size_t slips = rows_.slips.size(), columns = rows_.free.size() + slips;
  if (columns_.size() < columns) columns_.resize(columns);
  for (int p = 0; p < k_; ++p) columns_[p] = column(rows_.free[p]);
  for (std::size_t s = 0; s < slips; ++s) columns_[k_ + s] = column(rows_.slips[s].tangent);
  return factor_symmetric(least_pivot) && (k_ == k1_ || factor_slipping(least_pivot));
}

/// Whether some friction at its bound in a row that does not slip (`rests(t)`) is left over from an earlier motion: a
/// vanishing compliance would let it go. Forces f belong to the classes of `rows`, whose equations `solver` has factored; y
/// has room(k) numbers.
///   (A + η W) f_η + b = v_η,   f_η = f − η P y + O(η²),   K y = W_X x   ⇒   dv_t/dη = W_t f_t − A_t P y
/// The row stays where it is as long as its force opposes that velocity: then its share of the load would be larger if
/// the bound allowed it.
template <class Solver, class Columns, class Rests>
bool carries_stress(const ClassRows& rows, const Solver& solver, const Columns& column, const double* f,
                    const Rests& rests, double* y) {
  // A share that only just reaches its bound: y is as exact as ε leaves it.
  constexpr double equal = 1e-5;
  const int* free = rows.free.data();
  const int k = static_cast<int>(rows.free.size());
  bool solved = false;
  for (const ClassRows::Slip& slip : rows.slips) {
    const int t = slip.tangent;
    if (!rests(t)) continue;
    if (!solved) {
      for (int q = 0; q < k; ++q) y[q] = column(free[q])[free[q]] * f[free[q]];
      solver.solve(y);
      solved = true;
    }
    const double* a = column(t);
    const double own = a[t] * f[t];
    double velocity = own;
    for (int q = 0; q < k; ++q) velocity -= a[free[q]] * y[q];
    for (const ClassRows::Slip& other : rows.slips)
      velocity -= a[other.tangent] * (other.slope * y[rows.plain + other.column]);
    if ((slip.slope > 0 ? velocity : -velocity) > equal * std::abs(own)) return true;
  }
  return false;
}

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
  scratch.resize(ClassEquations::room(k));
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
void polish_blindly(const ContactIsland& island, const Solver& solver, std::vector<double>& scratch,
                    IslandState& state) {
  constexpr int blind_steps = 3;
  constexpr double rounding = 1e-15;  // of the largest force
  const std::vector<int>& free = solver.free_rows();
  const int k = solver.size();
  scratch.resize(ClassEquations::room(k));
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
  tie_forces(island, state);
}

/// And with a look at A until nothing is left to gain.
template <class Solver>
void polish(const ContactIsland& island, const Solver& solver, std::vector<double>& scratch,
            IslandState& state) {
  polish_blindly(island, solver, scratch, state);
  refine(island, solver, scratch, state);
}

/// Newton's method on classes: solve the equations of the classes, read the classes off the projection, repeat.
/// True when the residual fell to `target`; otherwise the forces are those of the classes, or these have none.
bool newton_on_classes(const ContactIsland& island, double epsilon, double target, int max_steps,
                       ClassEquations& equations, std::vector<double>& scratch, IslandState& state);

}  // namespace jade::lcp
