#include "jade/lcp/copositive_form.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace jade::lcp {
namespace {

/// Paths that end take about two pivots a row; a longer one has lost its way to rounding.
constexpr int kPivotsPerRow = 8;

/// Rows of the large problem: normals keep their number, tangent t takes three rows.
struct Layout {
  explicit Layout(const ContactIsland& island) : m(island.m), n(island.n) {}
  int m, n;
  int size() const { return m + 3 * (n - m); }
  int plus(int t) const { return m + 3 * (t - m); }
  int minus(int t) const { return plus(t) + 1; }
  int cone(int t) const { return plus(t) + 2; }
};

/// Entries of A and b come from callables so that the quad version can bring its own.
template <class Real, class A, class B>
void fill(const ContactIsland& s, Lemke<Real>& lemke, A&& a, B&& b) {
  const Layout at(s);
  lemke.resize(at.size());
  for (int j = 0; j < s.n; ++j) {
    const int j_plus = j < s.m ? j : at.plus(j);
    for (int i = 0; i < s.n; ++i) {
      const Real entry = a(i, j);
      const int i_plus = i < s.m ? i : at.plus(i);
      lemke.M(i_plus, j_plus) = entry;
      if (i >= s.m) lemke.M(i_plus + 1, j_plus) = -entry;
      if (j >= s.m) lemke.M(i_plus, j_plus + 1) = -entry;
      if (i >= s.m && j >= s.m) lemke.M(i_plus + 1, j_plus + 1) = entry;
    }
  }
  for (int i = 0; i < s.n; ++i) {
    const Real entry = b(i);
    lemke.q(i < s.m ? i : at.plus(i)) = entry;
    if (i < s.m) continue;
    lemke.q(at.minus(i)) = -entry;
    lemke.M(at.plus(i), at.cone(i)) = Real(1);
    lemke.M(at.minus(i), at.cone(i)) = Real(1);
    lemke.M(at.cone(i), s.normal[i]) = Real(s.mu[i]);
    lemke.M(at.cone(i), at.plus(i)) = Real(-1);
    lemke.M(at.cone(i), at.minus(i)) = Real(-1);
  }
}

template <class Real>
bool run(const ContactIsland& s, double tolerance, Lemke<Real>& lemke, IslandState& state, int& pivots) {
  const Layout at(s);
  const auto outcome =
      lemke.run({.pivot_tolerance = tolerance, .max_pivots = kPivotsPerRow * at.size() + 100});
  pivots += lemke.pivots();
  for (int i = 0; i < s.m; ++i) state.f[i] = static_cast<double>(lemke.x(i));
  for (int t = s.m; t < s.n; ++t)
    state.f[t] = static_cast<double>(lemke.x(at.plus(t)) - lemke.x(at.minus(t)));
  // A ray with a left-over z₀ at rounding level is still an answer; the caller judges it by the certificate.
  return outcome != Lemke<Real>::Outcome::pivot_limit;
}

/// A and b in quad, scaled like the island.
struct QuadProblem {
  QuadProblem(const ContactIsland& s, const ContactFactors& c) : n(s.n), A(s.n * s.n), b(s.n) {
    const int nv = static_cast<int>(c.u.size());
    std::vector<Quad> J(n * nv), MJ(n * nv, Quad(0));
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < nv; ++k) J[i * nv + k] = Quad(c.J(s.row[i], k)) * Quad(s.scale[i]);
    }
    for (int i = 0; i < n; ++i) {
      for (int l = 0; l < nv; ++l) {
        const Quad x = J[i * nv + l];
        if (x == Quad(0)) continue;
        for (int k = 0; k < nv; ++k) MJ[i * nv + k] += Quad(c.inverse_mass(k, l)) * x;
      }
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        Quad sum = 0;
        for (int k = 0; k < nv; ++k) sum += MJ[i * nv + k] * J[j * nv + k];
        A[i * n + j] = A[j * n + i] = sum;
      }
      b[i] = Quad(c.bias[s.row[i]]) * Quad(s.scale[i]);
      for (int k = 0; k < nv; ++k) b[i] += J[i * nv + k] * Quad(c.u[k]);
    }
  }
  int n;
  std::vector<Quad> A, b;
};

/// Lemke's tolerances expect numbers of size one; a power of two on b scales the forces alike.
double size_of(const std::vector<double>& b) {
  double size = 0;
  for (const double x : b) size = std::max(size, std::abs(x));
  return size > 0 ? std::exp2(std::ilogb(size)) : 1;
}

void rescale_forces(IslandState& state, double size) {
  for (double& f : state.f) f *= size;
}

}  // namespace

bool lemke_on_contacts(const ContactIsland& s, double pivot_tolerance, Lemke<double>& lemke,
                       IslandState& state, int& pivots) {
  const double size = size_of(s.b);
  fill(
      s, lemke, [&](int i, int j) { return s.at(i, j); }, [&](int i) { return s.b[i] / size; });
  const bool ended = run(s, pivot_tolerance, lemke, state, pivots);
  rescale_forces(state, size);
  return ended;
}

bool lemke_on_contacts_in_quad(const ContactIsland& s, const ContactFactors* factors, Lemke<Quad>& lemke,
                               IslandState& state, int& pivots) {
  const double size = size_of(s.b);
  if (factors != nullptr) {
    const QuadProblem quad(s, *factors);
    fill(
        s, lemke, [&](int i, int j) { return quad.A[j * s.n + i]; },
        [&](int i) { return quad.b[i] / Quad(size); });
  } else {
    fill(
        s, lemke, [&](int i, int j) { return Quad(s.at(i, j)); }, [&](int i) { return Quad(s.b[i] / size); });
  }
  // 113 bits leave about 33 digits; ten of them may be lost to cancellation before a pivot means nothing.
  const bool ended = run(s, 1e-22, lemke, state, pivots);
  rescale_forces(state, size);
  return ended;
}

}  // namespace jade::lcp
