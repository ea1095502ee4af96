#pragma once

#include "jade/lcp/island_state.h"
#include "jade/lcp/lemke.h"

namespace jade::lcp {

/// The contact problem as a plain LCP whose matrix is copositive, so that Lemke's method ends at a solution
/// (D. E. Stewart, J. C. Trinkle, "An implicit time-stepping scheme…", IJNME 39, 1996; one pyramid direction a row):
///   normal n:     0 ≤ f_n ⟂ v_n ≥ 0
///   tangent t:    f_t = p − m,   0 ≤ p ⟂ v_t + λ ≥ 0,   0 ≤ m ⟂ −v_t + λ ≥ 0,   0 ≤ λ ⟂ μ f_n − p − m ≥ 0
/// Seven rows a contact. Fills f of `state`; false when the method gave up.
bool lemke_on_contacts(const ContactIsland& island, double pivot_tolerance, Lemke<double>& lemke,
                       IslandState& state, int& pivots);

/// The same in quad precision. With `factors`, A and b are rebuilt from J, M⁻¹, u and k in quad, so that rows that
/// are redundant in exact arithmetic are redundant here too.
bool lemke_on_contacts_in_quad(const ContactIsland& island, const ContactFactors* factors, Lemke<Quad>& lemke,
                               IslandState& state, int& pivots);

}  // namespace jade::lcp
