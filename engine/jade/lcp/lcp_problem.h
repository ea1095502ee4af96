#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jade/base/error.h"
#include "jade/math/types.h"

namespace jade {

/// What one row of a contact problem stands for.
enum class RowKind {
  normal,   ///< f ≥ 0, v ≥ 0, f v = 0
  tangent,  ///< |f| ≤ μ f_n; v = 0 inside, v ≤ 0 at +μ f_n, v ≥ 0 at −μ f_n
  limit,    ///< like normal, never carries friction (joint limits)
};

struct LcpRow {
  RowKind kind = RowKind::normal;
  int normal = -1;  ///< tangent rows: index of the normal row whose force bounds them
  double mu = 0;    ///< tangent rows: friction coefficient
};

/// The physics behind A and b of a contact problem: A = J M⁻¹ Jᵀ, b = J u + k.
struct ContactFactors {
  MatX J;             ///< rows × nv, contact Jacobian
  MatX inverse_mass;  ///< nv × nv, M⁻¹
  VecX u;             ///< nv, velocity without contact forces
  VecX bias;          ///< rows, k: restitution and position terms
};

enum class LcpForm {
  contact,  ///< rows with friction coupled to normals; A symmetric positive semidefinite
  plain,    ///< 0 ≤ x ⟂ w ≥ 0, any A
  boxed,  ///< lo ≤ x ≤ hi with constant bounds, or bounds proportional to another row's force (findex ≥ 0)
};

/// A complementarity problem, always in the convention w = A x + b (for contacts: v = A f + b).
struct LcpProblem {
  LcpForm form = LcpForm::contact;
  MatX A;
  VecX b;
  /// Size of the terms that make up b, for the certificate: β = |J||u| + |k|. Empty means |b|.
  VecX beta;
  std::vector<LcpRow> rows;  ///< contact form
  VecX lo, hi;               ///< boxed form; ±infinity allowed; coefficients of x_findex if findex ≥ 0
  std::vector<int> findex;   ///< boxed form, −1 for constant bounds
  std::optional<ContactFactors>
      factors;         ///< contact form, when known: lets the last rung rebuild A, b in quad
  int velocities = 0;  ///< contact form, when known: the rank of A is at most this; 0: not known

  int size() const { return static_cast<int>(b.size()); }
};

/// A contact problem from its factors: forms A, b and β. The rows are copied as they are.
LcpProblem make_contact_problem(ContactFactors factors, std::vector<LcpRow> rows);

/// Every mistake of a problem: wrong dimensions, NaN or infinity, a contact A that is not symmetric, a friction
/// index that is out of range or not a normal row, a negative μ, lo > hi. Empty when it can be solved.
std::vector<Mistake> check_problem(const LcpProblem& problem);
/// Whether `check_problem` would find nothing, without touching the heap.
bool is_sound(const LcpProblem& problem);

/// A boxed problem that is really a contact problem (rows 0 ≤ x without upper bound, and rows bounded by ±μ times
/// one of those; A symmetric) comes back in contact form; any other problem comes back unchanged.
LcpProblem recognise_contacts(LcpProblem problem);
/// Whether the bounds of a boxed problem have that shape (A is not looked at).
bool is_contact_in_boxes(const LcpProblem& problem);

}  // namespace jade
