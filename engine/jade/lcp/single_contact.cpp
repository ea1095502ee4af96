#include "jade/lcp/single_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace jade::lcp {
namespace {

/// A determinant or slope that keeps this much of its terms is far from singular: the answer has all its digits.
constexpr double kIndependent = 1e-3;
/// Each tangent crosses at most a few borders.
constexpr int kMaxSteps = 16;

/// One tangent of the contact at the normal force x that the march has reached.
struct Tangent {
  double a_tt = 0, a_n = 0, b = 0, mu = 0;  ///< A_tt, A_tn, b_t, μ
  RowClass c = RowClass::separate;
  RowClass from = RowClass::separate;  ///< border that lies behind it
  double f = 0, f_slope = 0;           ///< force and its slope over x
  double v = 0, v_slope = 0;           ///< velocity and its slope over x

  bool sticks() const { return c == RowClass::stick; }
};

Tangent tangent_at(const LcpProblem& p, int normal, int row) {
  return {.a_tt = p.A(row, row), .a_n = p.A(row, normal), .b = p.b[row], .mu = p.rows[row].mu};
}

double slip_slope(const Tangent& t) { return t.c == RowClass::high ? t.mu : -t.mu; }

/// Forces that stop the sticking tangents, which would move at `speed`, while slipping ones have the forces in f. False
/// when they are not to be trusted.
bool stop_sticking(const Tangent* t, int count, double a_12, const double* speed, double* f) {
  if (count == 2 && t[0].sticks() && t[1].sticks()) {
    const double product = t[0].a_tt * t[1].a_tt, determinant = product - a_12 * a_12;
    if (!(determinant > kIndependent * product)) return false;
    f[0] = (a_12 * speed[1] - t[1].a_tt * speed[0]) / determinant;
    f[1] = (a_12 * speed[0] - t[0].a_tt * speed[1]) / determinant;
    return true;
  }
  for (int i = 0; i < count; ++i) {
    const double other = count == 2 ? a_12 * f[1 - i] : 0;
    if (t[i].sticks()) f[i] = -(speed[i] + other) / t[i].a_tt;
  }
  return true;
}

/// Slopes of forces and velocities over x for the classes of the tangents; false when they are not to be trusted.
bool set_slopes(Tangent* t, int count, double a_12) {
  const double speed[2] = {t[0].a_n, t[1].a_n};
  double f[2] = {slip_slope(t[0]), slip_slope(t[1])};
  if (!stop_sticking(t, count, a_12, speed, f)) return false;
  for (int i = 0; i < count; ++i) {
    const double other = count == 2 ? a_12 * f[1 - i] : 0;
    t[i].f_slope = f[i];
    t[i].v_slope = t[i].sticks() ? 0 : t[i].a_n + t[i].a_tt * f[i] + other;
  }
  return true;
}

}  // namespace

std::optional<SingleContact> SingleContact::of(const LcpProblem& p) {
  const int n = p.size();
  if (n < 1 || n > 3) return std::nullopt;
  SingleContact contact;
  for (int i = 0; i < n; ++i) {
    if (!(p.A(i, i) > 0)) return std::nullopt;
    if (p.rows[i].kind == RowKind::tangent) {
      if (contact.tangents == 2) return std::nullopt;
      contact.tangent[contact.tangents++] = i;
    } else {
      if (contact.normal >= 0) return std::nullopt;
      contact.normal = i;
    }
  }
  if (contact.normal < 0) return std::nullopt;
  contact.order_tangents(p);
  return contact;
}

void SingleContact::order_tangents(const LcpProblem& p) {
  auto& [s, t] = tangent;
  if (tangents == 2 && (p.b[t] < p.b[s] || (p.b[t] == p.b[s] && p.A(t, t) < p.A(s, s)))) std::swap(s, t);
}

bool SingleContact::solve(const LcpProblem& p, LcpSolution& solution, int& pivots) const {
  const double a_nn = p.A(normal, normal), b_n = p.b[normal];
  if (b_n >= 0) return true;  // nothing pushes: no force, as the solution stands
  std::array<Tangent, 2> t;
  for (int i = 0; i < tangents; ++i) {
    t[i] = tangent_at(p, normal, tangent[i]);
    t[i].v = t[i].b;
    t[i].c = t[i].b > 0 ? RowClass::low : RowClass::high;
  }
  const double a_12 = tangents == 2 ? p.A(tangent[0], tangent[1]) : 0;

  double x = 0, v_n = b_n;
  int last = -1;
  for (int step = 0;; ++step) {
    ++pivots;
    if (step == kMaxSteps || !set_slopes(t.data(), tangents, a_12)) return false;
    double slope = a_nn;
    for (int i = 0; i < tangents; ++i) slope += t[i].a_n * t[i].f_slope;
    if (!(std::abs(slope) > kIndependent * a_nn)) return false;
    // The first border, or the end.
    double ahead = slope > 0 ? -v_n / slope : std::numeric_limits<double>::infinity();
    int crossing = -1;
    RowClass to = RowClass::separate;
    const auto consider = [&](int i, RowClass c, double distance, double speed) {
      if (!(speed > 0)) return;
      const double at = std::max(distance, 0.0) / speed;
      if (at < ahead) ahead = at, crossing = i, to = c;
    };
    for (int i = 0; i < tangents; ++i) {
      if (t[i].mu == 0) continue;
      const RowClass behind = i == last ? t[i].from : RowClass::separate;
      if (t[i].sticks()) {
        const double bound = t[i].mu * x;
        if (behind != RowClass::high) consider(i, RowClass::high, bound - t[i].f, t[i].f_slope - t[i].mu);
        if (behind != RowClass::low) consider(i, RowClass::low, bound + t[i].f, -t[i].f_slope - t[i].mu);
      } else if (i != last) {
        const double sign = t[i].c == RowClass::high ? -1 : 1;
        consider(i, RowClass::stick, sign * t[i].v, -sign * t[i].v_slope);
      }
    }
    if (!std::isfinite(ahead)) return false;
    x += ahead;
    v_n += ahead * slope;
    for (int i = 0; i < tangents; ++i) {
      t[i].f += ahead * t[i].f_slope;
      t[i].v += ahead * t[i].v_slope;
    }
    if (crossing < 0) break;
    Tangent& crossed = t[crossing];
    last = crossing;
    crossed.from = crossed.c;
    crossed.c = to;
    crossed.v = 0;
    if (!crossed.sticks()) crossed.f = slip_slope(crossed) * x;
  }
  solution.f[normal] = x;
  solution.classes[normal] = RowClass::clamped;
  for (int i = 0; i < tangents; ++i) {
    solution.f[tangent[i]] = t[i].sticks() ? t[i].f : slip_slope(t[i]) * x;
    solution.classes[tangent[i]] = t[i].c;
  }
  return true;
}

bool SingleContact::solve_for(const LcpProblem& p, const std::vector<RowClass>& classes, VecX& f) const {
  const RowClass c = classes[normal];
  std::array<Tangent, 2> t;
  for (int i = 0; i < tangents; ++i) {
    const int row = tangent[i];
    t[i] = tangent_at(p, normal, row);
    t[i].c = classes[row];
    const bool holds = t[i].sticks() || t[i].c == RowClass::high || t[i].c == RowClass::low;
    if (holds != (c == RowClass::clamped)) return false;
    f[row] = 0;
  }
  f[normal] = 0;
  if (c != RowClass::clamped) return c == RowClass::separate;
  // f_t = f0 + slope x, in v_n = 0.
  const double a_12 = tangents == 2 ? p.A(tangent[0], tangent[1]) : 0;
  const double b[2] = {t[0].b, t[1].b};
  double f0[2] = {0, 0};
  if (!stop_sticking(t.data(), tangents, a_12, b, f0) || !set_slopes(t.data(), tangents, a_12)) return false;
  const double a_nn = p.A(normal, normal);
  double slope = a_nn, v_n = p.b[normal];
  for (int i = 0; i < tangents; ++i) {
    slope += t[i].a_n * t[i].f_slope;
    v_n += t[i].a_n * f0[i];
  }
  if (!(std::abs(slope) > kIndependent * a_nn)) return false;
  const double x = -v_n / slope;
  f[normal] = x;
  for (int i = 0; i < tangents; ++i) f[tangent[i]] = f0[i] + t[i].f_slope * x;
  return true;
}

}  // namespace jade::lcp
