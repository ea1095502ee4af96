#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "jade/lcp/lcp_problem.h"

namespace jade::reference {

/// Complementarity problems as JSON, always in the convention w = A x + b. One object:
///
///   "schema"  1
///   "form"    "contact", "lcp" or "boxed"
///   "A"       [[…]…] by rows            "b"  […]
///   "beta"    […] size of the terms that make up b (optional, any form; absent means |b|)
///   "rows"    contact: [{"kind": "normal" | "tangent" | "limit", "normal": i, "mu": x}…]
///             ("normal" and "mu" belong to tangents: the row whose force bounds them, and their friction)
///   "lo" "hi" boxed: […]; null, "inf" or "-inf" for no bound
///   "findex"  boxed: […], −1 for none; the bounds of a row with findex ≥ 0 are coefficients of that row's force
///   "comment" any text (optional)
///
/// ODE and DART write A x = b + w: their b has the opposite sign.
///
/// Reads a problem and checks it; throws InvalidInput that lists every mistake with its place. `source` names the
/// text in messages, e.g. a file name.
LcpProblem parse_lcp_json(std::string_view text, std::string_view source);

/// On one line, without factors: what parse_lcp_json reads back bit by bit.
std::string to_json_line(const LcpProblem& problem, std::string_view comment = {});

/// What a solver answers: `{"f": […]}`, and if it likes more.
struct LcpAnswer {
  VecX f;                     ///< may hold NaN: null, nan and inf in any spelling are read as NaN
  bool gave_up = false;       ///< "status": "no_solution_found" (absent or "solved": it claims success)
  double regularisation = 0;  ///< "regularisation": ε, when f solves A + εI instead
  std::optional<double>
      microseconds;  ///< "microseconds": time of the solve itself, without reading and writing
};
LcpAnswer parse_lcp_answer(std::string_view text, std::string_view source);
std::string to_json_line(const LcpAnswer& answer);

}  // namespace jade::reference
