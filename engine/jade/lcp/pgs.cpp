#include <algorithm>
#include <cmath>

#include "jade/lcp/contact_methods.h"
#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {

/// Projected Gauss–Seidel: row after row, f_i ← Π_i(f_i − v_i / A_ii), with the friction bounds of the latest normal
/// force. Normals first, as in the island's order. Converges to a solution in the limit if at all; stops at the tolerance.
IslandReport solve_by_pgs(const ContactIsland& s, const LcpSettings& settings, IslandState& state) {
  IslandReport report{.stage = "pgs", .selection = LcpSelection::iterate};
  std::fill(state.f.begin(), state.f.end(), 0.0);
  evaluate(s, state);
  for (int iteration = 0; iteration < settings.pgs_iterations; ++iteration) {
    ++report.pivots;
    for (int i = 0; i < s.n; ++i) {
      const double before = state.f[i];
      const double wanted = before - state.v[i] / s.diagonal[i];
      const double bound = s.mu[i] * state.f[s.normal[i]];
      const double after = i < s.m ? std::max(wanted, 0.0) : std::clamp(wanted, -bound, bound);
      if (after == before) continue;
      state.f[i] = after;
      axpy(s.n, after - before, s.column(i), state.v.data());
    }
    // The running velocities collect rounding; every few sweeps they are made anew and judged.
    if (iteration % 8 == 7 || iteration + 1 == settings.pgs_iterations) {
      evaluate(s, state);
      if (state.residual <= 0.1 * settings.tolerance) break;
    }
  }
  reclassify(s, state);
  report.solved = state.residual <= settings.tolerance;
  return report;
}

}  // namespace jade::lcp
