#include "jade/lcp/single_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "jade/lcp/island_state.h"
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

namespace {

/// Tangent t comes before s, however the rows were numbered.
JADE_INSIDE_LOOPS bool comes_before(const LcpProblem& p, int t, int s) {
  const std::ptrdiff_t step = p.size() + 1;
  const double *A = p.A.data(), *b = p.b.data();
  return b[t] < b[s] || (b[t] == b[s] && A[t * step] < A[s * step]);
}

}  // namespace

std::optional<SingleContact> SingleContact::of(const LcpProblem& p) {
  const int n = p.size();
  if (n < 1 || n > 3) return std::nullopt;
  const LcpRow* rows = p.rows.data();
  const double* A = p.A.data();
  int normal = -1, first = -1, second = -1;
  bool all_move = true;
  for (int i = 0; i < n; ++i) {
    const bool is_tangent = rows[i].kind == RowKind::tangent;
    second = is_tangent && first >= 0 ? i : second;
    first = is_tangent && first < 0 ? i : first;
    if (!is_tangent && normal >= 0) return std::nullopt;
    normal = is_tangent ? normal : i;
    all_move &= A[i * (n + 1)] > 0;
  }
  if (!all_move || normal < 0) return std::nullopt;
  // Put into order before they are stored: what is read back at once would be waited for.
  const bool swapped = second >= 0 && comes_before(p, second, first);
  return SingleContact{
      .normal = normal, .tangents = n - 1, .tangent = {swapped ? second : first, swapped ? first : second}};
}

void SingleContact::order_tangents(const LcpProblem& p) {
  if (tangents == 2 && comes_before(p, tangent[1], tangent[0])) std::swap(tangent[0], tangent[1]);
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

namespace {

/// A tangent for given classes, f_t = f0 + slope x. One that is not there slips without friction.
struct FrictionLine {
  double a_tt = 1, a_n = 0, b = 0, f0 = 0, slope = 0;  ///< A_tt, A_tn, b_t
  bool sticks = false;
};

JADE_INSIDE_LOOPS FrictionLine friction_line(const LcpProblem& p, int normal, int row, RowClass c) {
  const std::ptrdiff_t n = p.size();
  const double *A = p.A.data(), mu = p.rows[row].mu;
  return {.a_tt = A[row * (n + 1)],
          .a_n = A[normal * n + row],
          .b = p.b[row],
          .slope = c == RowClass::high ? mu : -mu,
          .sticks = c == RowClass::stick};
}

JADE_INSIDE_LOOPS bool holds(RowClass c) { return c == RowClass::stick || is_slipping(c); }

}  // namespace

bool SingleContact::solve_for(const LcpProblem& p, const std::vector<RowClass>& classes, VecX& f) const {
  const RowClass* c = classes.data();
  double* force = f.data();
  const int first = tangent[0], second = tangent[1];
  if (c[normal] != RowClass::clamped) {
    bool parked = c[normal] == RowClass::separate;
    force[normal] = 0;
    for (int i = 0; i < tangents; ++i) {
      parked &= !holds(c[tangent[i]]);
      force[tangent[i]] = 0;
    }
    return parked;
  }
  FrictionLine s, t;
  double a_st = 0;
  if (tangents > 0) {
    if (!holds(c[first])) return false;
    s = friction_line(p, normal, first, c[first]);
  }
  if (tangents > 1) {
    if (!holds(c[second])) return false;
    t = friction_line(p, normal, second, c[second]);
    a_st = p.A(first, second);
  }
  if (s.sticks && t.sticks) {
    const double product = s.a_tt * t.a_tt, determinant = product - a_st * a_st;
    if (!(determinant > kIndependent * product)) return false;
    s.f0 = (a_st * t.b - t.a_tt * s.b) / determinant;
    t.f0 = (a_st * s.b - s.a_tt * t.b) / determinant;
    s.slope = (a_st * t.a_n - t.a_tt * s.a_n) / determinant;
    t.slope = (a_st * s.a_n - s.a_tt * t.a_n) / determinant;
  } else if (s.sticks) {
    s.f0 = -s.b / s.a_tt;
    s.slope = -(s.a_n + a_st * t.slope) / s.a_tt;
  } else if (t.sticks) {
    t.f0 = -t.b / t.a_tt;
    t.slope = -(t.a_n + a_st * s.slope) / t.a_tt;
  }
  // In v_n = 0.
  const double a_nn = p.A(normal, normal), slope = a_nn + s.a_n * s.slope + t.a_n * t.slope;
  if (!(std::abs(slope) > kIndependent * a_nn)) return false;
  const double x = -(p.b[normal] + s.a_n * s.f0 + t.a_n * t.f0) / slope;
  force[normal] = x;
  if (tangents > 0) force[first] = s.f0 + s.slope * x;
  if (tangents > 1) force[second] = t.f0 + t.slope * x;
  return true;
}

}  // namespace jade::lcp
