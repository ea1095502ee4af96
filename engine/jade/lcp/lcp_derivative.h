#pragma once

#include <memory>

#include "jade/lcp/lcp_solver.h"

namespace jade {

/// A direction in which a contact problem changes. An empty member means no change.
struct ContactDirection {
  MatX J;             ///< rows × nv
  MatX inverse_mass;  ///< nv × nv
  VecX u;             ///< nv
  VecX bias;          ///< rows
  VecX mu;            ///< rows; tangent rows only
};

/// How the solution of a contact problem moves with (J, M⁻¹, u, k, μ), through the classes of its rows.
///
/// With the classes fixed the forces are f = P x with S (A P x + b) = 0 (see ClassTableau), so along a direction
///   dv = dJ (u + M⁻¹g) + J (du + dM⁻¹ g + M⁻¹ dJᵀ f) + dk + A dP x        g = Jᵀ f
///   dx = −K^# dv_X,   df = dP x + P dx,   d(Jᵀf) = dJᵀ f + Jᵀ df
/// K^# is the proximal solve of the solution itself, N steps of x ← x + (K + εW)⁻¹ r once the part of r that no
/// step reduces (rows that are redundant) is taken out. The pseudo-inverse of Moore and Penrose is the wrong derivative
/// once rows slip. Directions are taken along (J, M⁻¹, u, k, μ), never along single entries of A: a change that
/// breaks the redundancy of two rows has no derivative.
///
/// Where contacts are redundant the split of a force among them follows K^#; Jᵀf does not depend on the split.
/// On the border between classes the derivative is the one-sided one of the classes found, and `one_sided` says so.
class LcpDerivative {
 public:
  /// `problem` needs its factors (InvalidInput otherwise) and `solution` has to be solved.
  LcpDerivative(const LcpProblem& problem, const LcpSolution& solution);
  ~LcpDerivative();
  LcpDerivative(LcpDerivative&&) noexcept;
  LcpDerivative& operator=(LcpDerivative&&) noexcept;

  struct Tangent {
    VecX f;        ///< rows: df
    VecX impulse;  ///< nv: d(Jᵀf)
  };
  /// Jacobian-vector product.
  [[nodiscard]] Tangent forward(const ContactDirection& direction) const;
  /// Vector-Jacobian product: the gradient of f_barᵀ f + impulse_barᵀ (Jᵀf). Either may be empty.
  [[nodiscard]] ContactDirection backward(const VecX& f_bar, const VecX& impulse_bar) const;

  /// How far the nearest row is from changing its class, in the units of the certificate (0: a kink).
  double distance_to_kink() const { return distance_to_kink_; }
  int nearest_row() const { return nearest_row_; }
  /// The solution lies on a kink as far as rounding can tell.
  bool one_sided() const { return distance_to_kink_ < 1e-10; }

 private:
  struct Islands;
  void measure_distance(const LcpProblem& problem, const LcpSolution& solution);
  /// K^# or its transpose on all rows; entries of rows that are not free are ignored and come back zero.
  VecX solve(const VecX& r, bool transposed) const;

  ContactFactors factors_;
  VecX f_, g_, w_;     ///< forces, Jᵀf, u + M⁻¹Jᵀf
  VecX slope_;         ///< of slipping tangents: f_t = slope f_n
  VecX slope_per_mu_;  ///< ±1 on slipping tangents
  std::vector<int> normal_;
  std::unique_ptr<Islands> islands_;
  double distance_to_kink_ = 0;
  int nearest_row_ = -1;
};

}  // namespace jade
