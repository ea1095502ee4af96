#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jade/lcp/lcp_problem.h"

namespace jade {

/// Jade, section "Dantzig's Algorithm with Friction": where a row's (f, v) lies on its set of valid points.
enum class RowClass : unsigned char {
  clamped,   ///< C: normal or limit row, v = 0, f ≥ 0
  separate,  ///< N: f = 0, v ≥ 0 (tangents of a separating normal are parked here too)
  stick,     ///< F: tangent row, v = 0, |f| ≤ μ f_n
  high,      ///< H: tangent row, f = +μ f_n, v ≤ 0
  low,       ///< L: tangent row, f = −μ f_n, v ≥ 0
  at_lower,  ///< boxed rows only: x = lo, w ≥ 0
  at_upper,  ///< boxed rows only: x = hi, w ≤ 0
};

enum class LcpStatus {
  solved,             ///< certificate.residual ≤ settings.tolerance
  no_solution_found,  ///< f solves the problem for A + εI, ε in `regularisation`; nothing valid for A was found
  infeasible,         ///< plain form: no x ≥ 0 with A x + b ≥ 0 exists
  ray,                ///< plain form: the path ended in a ray, which decides nothing for this class of A
};

/// How far a claimed solution is from being one, free of units, computed outside the solver.
///   σ_i = β_i + Σ_j |A_ij| min(|f_j|, φ_j)
///   φ_j = Γ max_k(β_k / √A_kk) / √A_jj,  Γ = 1e8       (contact form)
///   normal:   r = |min(A_ii f, v)| / σ
///   tangent:  r = |A_ii f − clamp(A_ii f − v, ±A_ii μ max(f_n, 0))| / σ
/// √A_jj |f_j| is the impulse of one row in the norm of the kinetic energy, β_k / √A_kk a lower bound of what the
/// motion without contacts has of it. Forces may exceed that where they cancel (a heavy body on a light one: by the
/// root of the mass ratio), but what is beyond Γ times of it is explained by nothing in the problem: contacts or limits
/// that press against each other for no reason. It must not buy a larger error by making σ larger.
struct LcpCertificate {
  double residual = 0;  ///< max r over rows; NaN never: an answer that is not finite has residual = infinity
  int worst_row = -1;
  std::string why;  ///< of the worst row, in words: "penetrating velocity", "outside the friction bound", …
};

/// Which of several valid solutions was picked. A contact problem often has more than one (statically indeterminate
/// corners that slip, jammed wedges), so the rule is part of the answer.
enum class LcpSelection {
  none,           ///< nothing valid was found
  least_impulse,  ///< the end of the z-path, then the limit of a vanishing compliance: the specified rule
  warm_classes,   ///< the classes that the caller gave are still valid
  vertex,         ///< a vertex found by Lemke's method, then the limit of a vanishing compliance
  iterate,        ///< wherever another method arrived
};

enum class LcpMethod {
  jade,     ///< the ladder: warm classes, z-path, Lemke, Lemke in quad precision
  dantzig,  ///< coupled equations and the paper's corrected step
  ergodic,  ///< the paper's whole solver: dantzig, then a search over classes when it loops
  lemke,    ///< on the copositive form, 7 rows a contact
  pgs,      ///< projected Gauss–Seidel
};

struct LcpSettings {
  LcpMethod method = LcpMethod::jade;
  double tolerance = 1e-10;  ///< on certificate.residual; the solver aims for rounding, this decides `solved`
  bool warm_start = true;  ///< try the workspace's or the given classes first; off for reproducible gradients
  /// The ladder climbs on to the last digit, and to Lemke's method, at last in quad precision, where the z-path finds
  /// nothing. Off for a caller who is in a hurry and has another question to ask instead: any answer within the tolerance
  /// then ends the climb. Forces that grow like 1/ε end the search along paths, and there is none in quad precision, unless
  /// factors without a bias say that there is an answer.
  bool to_the_end = true;
  int pgs_iterations = 1000;
};

struct LcpSolution {
  LcpStatus status = LcpStatus::no_solution_found;
  VecX f;
  VecX v;  ///< A f + b
  std::vector<RowClass> classes;
  LcpCertificate certificate;
  std::string stage;  ///< which rung of which method gave the answer: "warm", "z-path 1e-6", …
  LcpSelection selection = LcpSelection::none;  ///< of the island that was hardest to solve
  int pivots = 0;
  double regularisation = 0;  ///< ε of A + εI that f is valid for; 0 when solved
};

/// Keeps the memory of a solve so that the next one of the same size allocates nothing. Never changes a bit of
/// the result: warm starts come from `warm_classes` alone.
class LcpWorkspace {
 public:
  LcpWorkspace();
  ~LcpWorkspace();
  LcpWorkspace(LcpWorkspace&&) noexcept;
  LcpWorkspace& operator=(LcpWorkspace&&) noexcept;

  /// Room for warm starts of problems with so many rows: the first of them need not look for it.
  void reserve(int rows);

  struct Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// Solves a problem by the chosen method. Throws InvalidInput when `check_problem` finds a mistake.
/// `warm_classes` (empty: none) are the classes of an earlier, similar problem.
[[nodiscard]] LcpSolution solve(const LcpProblem& problem, const LcpSettings& settings = {},
                                const std::vector<RowClass>& warm_classes = {});
/// The same into existing memory; a contact problem allocates nothing once `solution` and `workspace` have seen its
/// size (the quad rung and the search over classes excepted).
void solve(const LcpProblem& problem, const LcpSettings& settings, const std::vector<RowClass>& warm_classes,
           LcpWorkspace& workspace, LcpSolution& solution);

/// The certificate of any claimed forces, in double.
[[nodiscard]] LcpCertificate certify(const LcpProblem& problem, const VecX& f);

/// Names as users write them: `jade`, `dantzig`, `ergodic`, `lemke`, `pgs`.
std::string_view name_of(LcpMethod method);
std::string_view name_of(LcpStatus status);
std::string_view name_of(LcpSelection selection);
std::optional<LcpMethod> lcp_method_named(std::string_view name);

}  // namespace jade
