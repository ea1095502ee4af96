#pragma once

#include <cstddef>
#include <vector>

namespace jade::lcp {

__extension__ typedef __float128 Quad;  ///< 113 bits: the last resort against cancellation

/// Lemke's method for 0 ≤ x ⟂ w = M x + q ≥ 0 with the lexicographic ratio test, which cannot cycle.
/// C. E. Lemke, "Bimatrix equilibrium points and mathematical programming", Management Science 11(7), 1965;
/// Cottle, Pang, Stone, "The Linear Complementarity Problem", algorithms 4.4.1 and 4.9.
///
/// The tableau is a dictionary: basic = q̄ + T · nonbasic, n × (n + 1), by columns. An artificial variable z₀
/// enters with w + e z₀ and leaves at a solution; a column that nothing blocks is a secondary ray. For a copositive
/// M and q in the right cone a ray is impossible, for any other M it decides nothing.
template <class Real>
class Lemke {
 public:
  enum class Outcome { solved, ray, pivot_limit };

  struct Settings {
    double pivot_tolerance;  ///< entries below are taken for zero; M and q are of size one
    int max_pivots;
  };

  /// Space for M (n × n by columns) and q, to be filled before `run`; M is destroyed.
  void resize(int n);
  Real& M(int i, int j) { return tableau_[static_cast<std::size_t>(j) * n_ + i]; }
  Real& q(int i) { return q_[i]; }

  Outcome run(const Settings& settings);
  /// After `solved`, and also after the other outcomes (then z₀ is left over).
  Real x(int i) const;
  Real artificial() const;
  int pivots() const { return pivots_; }

 private:
  // Variables: w_i is i, x_i is n + i, z₀ is 2n.
  int blocking_row(int column, Real tolerance) const;
  bool lexicographically_less(int row, int other, int column) const;
  void pivot(int row, int column);

  int n_ = 0;
  int pivots_ = 0;
  std::vector<Real> tableau_;  ///< n × (n + 1)
  std::vector<Real> q_;
  std::vector<int> basic_;     ///< variable of each row
  std::vector<int> nonbasic_;  ///< variable of each column
  std::vector<int> place_;     ///< of each variable: its row, or −1 − its column
  std::vector<Real> factor_;
};

extern template class Lemke<double>;
extern template class Lemke<Quad>;

}  // namespace jade::lcp
