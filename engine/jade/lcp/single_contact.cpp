#include "jade/lcp/single_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "jade/math/wide_loops.h"

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
JADE_INSIDE_LOOPS bool stop_sticking(const Tangent* t, int count, double a_12, const double* speed,
                                     double* f) {
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
JADE_INSIDE_LOOPS bool set_slopes(Tangent* t, int count, double a_12) {
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
  const LcpRow* rows = p.rows.data();
  const double* A = p.A.data();
  int tangent[4], tangents = 0, normal = -1;
  bool all_move = true;
  for (int i = 0; i < n; ++i) {
    const bool is_tangent = rows[i].kind == RowKind::tangent;
    tangent[tangents] = i;
    tangents += is_tangent;
    normal = is_tangent ? normal : i;
    all_move &= A[i * (n + 1)] > 0;
  }
  if (!all_move || tangents != n - 1) return std::nullopt;
  SingleContact contact{.normal = normal, .tangents = tangents};
  for (int k = 0; k < tangents; ++k) contact.tangent[k] = tangent[k];
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
  const std::ptrdiff_t n = p.size();
  const double *A = p.A.data(), *of_normal = A + normal * n, *b = p.b.data();
  const bool clamped = classes[normal] == RowClass::clamped;
  // f_t = f0 + slope x. A tangent that is not there is one that slips without friction.
  double a_tt[2] = {1, 1}, a_n[2] = {}, b_t[2] = {}, f0[2] = {}, slope[2] = {};
  bool sticks[2] = {}, fits = true;
  for (int i = 0; i < tangents; ++i) {
    const int row = tangent[i];
    const RowClass c = classes[row];
    const double mu = p.rows[row].mu;
    a_tt[i] = A[row * (n + 1)];
    a_n[i] = of_normal[row];
    b_t[i] = b[row];
    sticks[i] = c == RowClass::stick;
    slope[i] = c == RowClass::high ? mu : -mu;
    fits &= (sticks[i] || c == RowClass::high || c == RowClass::low) == clamped;
    f[row] = 0;
  }
  f[normal] = 0;
  if (!fits) return false;
  if (!clamped) return classes[normal] == RowClass::separate;
  const double a_12 = tangents == 2 ? A[tangent[0] * n + tangent[1]] : 0;
  if (sticks[0] && sticks[1]) {
    const double product = a_tt[0] * a_tt[1], determinant = product - a_12 * a_12;
    if (!(determinant > kIndependent * product)) return false;
    for (int i = 0; i < 2; ++i) {
      f0[i] = (a_12 * b_t[1 - i] - a_tt[1 - i] * b_t[i]) / determinant;
      slope[i] = (a_12 * a_n[1 - i] - a_tt[1 - i] * a_n[i]) / determinant;
    }
  } else if (sticks[0] || sticks[1]) {
    const int i = sticks[0] ? 0 : 1;
    f0[i] = -b_t[i] / a_tt[i];
    slope[i] = -(a_n[i] + a_12 * slope[1 - i]) / a_tt[i];
  }
  // In v_n = 0.
  const double a_nn = of_normal[normal], total = a_nn + a_n[0] * slope[0] + a_n[1] * slope[1];
  if (!(std::abs(total) > kIndependent * a_nn)) return false;
  const double x = -(b[normal] + a_n[0] * f0[0] + a_n[1] * f0[1]) / total;
  f[normal] = x;
  for (int i = 0; i < tangents; ++i) f[tangent[i]] = f0[i] + slope[i] * x;
  return true;
}

}  // namespace jade::lcp
