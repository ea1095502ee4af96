#pragma once

#include <cmath>
#include <vector>

#include "jade/lcp/contact_island.h"

namespace jade::lcp {

/// Forces, velocities and classes of the rows of an island, in its order and scaling.
struct IslandState {
  std::vector<RowClass> classes;
  std::vector<double> f, v;   ///< padded like the island, with zeros
  std::vector<double> sigma;  ///< see LcpCertificate
  double residual = 0;        ///< max r, as in LcpCertificate

  void resize(const ContactIsland& island);
};

/// v = A f + b alone.
void evaluate_velocities(const ContactIsland& island, IslandState& state);
/// v = A f + b, σ and the residual of the certificate.
void evaluate(const ContactIsland& island, IslandState& state);

/// The classes that the forces and velocities point to: one step of the projection f ← Π(f − v/A_ii).
/// Returns whether any class changed.
bool reclassify(const ContactIsland& island, IslandState& state);

/// Forces of the free rows are in f; sets those of slipping and separated rows from their classes.
void tie_forces(const ContactIsland& island, IslandState& state);

inline bool is_slipping(RowClass c) { return c == RowClass::high || c == RowClass::low; }
/// Friction at its bound in a row that does not slip: other shares of it among the rows would do as well.
inline bool rests_at_its_bound(RowClass c, double f, double v, double least_slip) {
  return is_slipping(c) && f != 0 && std::abs(v) <= least_slip;
}
inline bool is_free(RowClass c) { return c == RowClass::clamped || c == RowClass::stick; }
/// Slope of f_t over f_n for a slipping tangent, 0 for any other row.
inline double slip_slope(const ContactIsland& island, const std::vector<RowClass>& classes, int t) {
  return classes[t] == RowClass::high ? island.mu[t] : classes[t] == RowClass::low ? -island.mu[t] : 0.0;
}

}  // namespace jade::lcp
