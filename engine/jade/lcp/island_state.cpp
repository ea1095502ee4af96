#include "jade/lcp/island_state.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/lcp/dense_kernels.h"
#include "jade/lcp/lcp_certificate.h"

namespace jade::lcp {

void IslandState::resize(const ContactIsland& island) {
  classes.resize(island.n);
  for (auto* vector : {&f, &v, &sigma}) vector->resize(island.stride);
  for (int i = island.n; i < island.stride; ++i) f[i] = v[i] = sigma[i] = 0;
}

void evaluate_velocities(const ContactIsland& s, IslandState& state) {
  std::copy(s.b.begin(), s.b.begin() + s.stride, state.v.begin());
  for (int j = 0; j < s.n; ++j) {
    if (state.f[j] != 0) axpy(s.stride, state.f[j], s.column(j), state.v.data());
  }
}

JADE_WIDE_LOOPS void evaluate(const ContactIsland& s, IslandState& state) {
  const int n = s.n;
  double* __restrict v = state.v.data();
  double* __restrict sigma = state.sigma.data();
  const int length = s.stride;
  for (int i = 0; i < length; ++i) {
    v[i] = s.b[i];
    sigma[i] = s.beta[i];
  }
  // Columns that carry no force may not have been copied.
  const auto column = [&](int j) { return state.f[j] != 0 ? s.column(j) : nullptr; };
  add_velocities(length, n, column, state.f.data(), v, sigma);
  const double limit = explained_impulse(n, s.diagonal.data(), 1, s.beta.data(), state.f.data());
  if (limit < std::numeric_limits<double>::infinity()) {
    for (int i = 0; i < n; ++i) sigma[i] = s.beta[i];
    for (int j = 0; j < n; ++j) {
      const double counted = std::min(std::abs(state.f[j]), std::sqrt(limit / s.diagonal[j]));
      const double* __restrict a = s.column(j);
      for (int i = 0; i < n; ++i) sigma[i] += counted * std::abs(a[i]);
    }
  }
  double residual = 0;
  bool finite = true;
  for (int i = 0; i < n; ++i) {
    const double force = s.diagonal[i] * state.f[i];
    double error;
    if (i < s.m) {
      error = std::abs(std::min(force, v[i]));
    } else {
      const double bound = s.diagonal[i] * s.mu[i] * std::max(state.f[s.normal[i]], 0.0);
      error = std::abs(force - std::clamp(force - v[i], -bound, bound));
    }
    finite = finite && std::isfinite(v[i]);
    // Never divides by zero: σ = 0 means that every term of the row vanishes.
    if (error > residual * sigma[i]) residual = error / sigma[i];
  }
  state.residual = finite ? residual : std::numeric_limits<double>::infinity();
}

bool reclassify(const ContactIsland& s, IslandState& state) {
  bool changed = false;
  const auto set = [&](int i, RowClass c) {
    changed = changed || state.classes[i] != c;
    state.classes[i] = c;
  };
  for (int i = 0; i < s.m; ++i) {
    const double f = s.diagonal[i] * state.f[i];
    const bool clamped = f > state.v[i];
    set(i, clamped ? RowClass::clamped : RowClass::separate);
    for (int t = s.tangent_begin[i]; t < s.tangent_begin[i + 1]; ++t) {
      if (!clamped) {
        set(t, RowClass::separate);
        continue;
      }
      const double slope = s.diagonal[t];
      const double target = slope * state.f[t] - state.v[t];
      const double bound = slope * s.mu[t] * std::max(state.f[i], 0.0);
      if (s.mu[t] == 0) {
        set(t, state.v[t] > 0 ? RowClass::low : RowClass::high);
      } else {
        set(t, target > bound ? RowClass::high : target < -bound ? RowClass::low : RowClass::stick);
      }
    }
  }
  return changed;
}

void tie_forces(const ContactIsland& s, IslandState& state) {
  for (int i = 0; i < s.m; ++i) {
    if (state.classes[i] == RowClass::separate) state.f[i] = 0;
    for (int t = s.tangent_begin[i]; t < s.tangent_begin[i + 1]; ++t) {
      if (state.classes[t] != RowClass::stick) state.f[t] = slip_slope(s, state.classes, t) * state.f[i];
    }
  }
}

}  // namespace jade::lcp
