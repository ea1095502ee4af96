#include "jade/stepping/shared_load.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "jade/stepping/class_forces.h"
#include "jade/stepping/closing.h"

namespace jade {
namespace {

// Of the terms of a normal's velocity, whose rounding is some hundred times less.
constexpr double kOpens = 1e-13;
// Velocities are known to the residual of an answer at best: rows that contradict each other leave some of it at all of them.
constexpr double kResiduals = 10;
// Of the terms of a row: what moves by less is at rest, and what pushes by more carries.
constexpr double kRests = 1e-12;
constexpr double kLoad = 1e-9;
constexpr double kLeftByPath = 1e-6;

}  // namespace

bool is_redundant(const LcpProblem& problem, const LcpSolution& solution, const VecX& sigma, int row) {
  const bool normal = problem.rows[row].kind != RowKind::tangent;
  std::vector<int> others;
  for (int i = 0; i < problem.size(); ++i)
    if (i != row && !(normal && problem.rows[i].kind == RowKind::tangent) &&
        solution.classes[i] != RowClass::separate && std::abs(solution.v[i]) <= 1e-10 * sigma[i])
      others.push_back(i);
  const long n = static_cast<long>(others.size());
  MatX A(n, n);
  VecX a(n);
  for (long i = 0; i < n; ++i) {
    a[i] = problem.A(others[i], row);
    for (long j = 0; j < n; ++j) A(i, j) = problem.A(others[i], others[j]);
    A(i, i) *= 1 + 1e-9;  // regular, although rows may depend on each other
  }
  // What is left of the row when all others are held: nothing, up to that.
  return problem.A(row, row) - a.dot(A.llt().solve(a)) <= 1e-6 * problem.A(row, row);
}

bool share_load(const LcpProblem& problem, LcpSolution& solution, double gap_rounding) {
  const VecX sigma = problem.beta + problem.A.cwiseAbs() * solution.f.cwiseAbs();
  std::vector<RowClass> classes = solution.classes;
  const auto rests = [&](int i) { return std::abs(solution.v[i]) <= 1e-10 * std::max(sigma[i], kNoSpeed); };
  const double known = kOpens + kResiduals * solution.certificate.residual;
  const auto opens = [&](int i) { return solution.v[i] > known * sigma[i] + gap_rounding; };
  bool any = false;
  const int n = problem.size();
  for (int i = 0; i < n; ++i) {
    if (problem.rows[i].kind == RowKind::tangent || classes[i] != RowClass::separate) continue;
    if (!rests(i) || opens(i)) continue;
    any = true;
    classes[i] = RowClass::clamped;
    for (int j = i + 1; j < n && problem.rows[j].kind == RowKind::tangent && problem.rows[j].normal == i;
         ++j) {
      if (!rests(j)) return false;
      classes[j] = RowClass::stick;
    }
  }
  if (!any) return false;
  const VecX f = forces_of_classes(problem, classes), v = problem.A * f + problem.b;
  // A row across all forces has nothing to be measured by but speeds that count.
  const VecX size = (problem.beta + problem.A.cwiseAbs() * f.cwiseAbs()).cwiseMax(kNoSpeed);
  for (int i = 0; i < n; ++i) {
    const bool free = classes[i] == RowClass::clamped || classes[i] == RowClass::stick;
    if (free && std::abs(v[i]) > 1e-10 * size[i]) return false;
    // Friction of what slips depends on who bears the load: there the step's own forces are the only ones.
    const int normal = problem.rows[i].kind == RowKind::tangent ? problem.rows[i].normal : i;
    const bool slips = classes[i] == RowClass::low || classes[i] == RowClass::high;
    if (slips && problem.A(normal, normal) * std::abs(f[normal] - solution.f[normal]) > 1e-9 * sigma[normal])
      return false;
    const double force = problem.A(i, i) * f[i];
    if (classes[i] == RowClass::clamped && force <= 1e-9 * sigma[i]) return false;
    if (classes[i] == RowClass::stick && std::abs(f[i]) >= problem.rows[i].mu * f[problem.rows[i].normal])
      return false;
  }
  solution.classes = std::move(classes);
  solution.f = f;
  solution.v = v;
  return true;
}

namespace {

/// Whether these classes are valid with these forces, up to what rows that hold move.
bool are_allowed(const LcpProblem& problem, const std::vector<RowClass>& classes, const VecX& f) {
  for (int i = 0; i < problem.size(); ++i) {
    if (classes[i] == RowClass::clamped && f[i] < 0) return false;
    if (classes[i] == RowClass::stick && std::abs(f[i]) > problem.rows[i].mu * f[problem.rows[i].normal])
      return false;
  }
  return true;
}

/// Whether all normals carry what they did, up to a share of the terms of their rows.
bool same_loads(const LcpProblem& problem, const VecX& f, const LcpSolution& solution, const VecX& sigma,
                double share) {
  for (int i = 0; i < problem.size(); ++i)
    if (problem.rows[i].kind != RowKind::tangent &&
        problem.A(i, i) * std::abs(f[i] - solution.f[i]) > share * sigma[i])
      return false;
  return true;
}

}  // namespace

void hold_what_rests(const LcpProblem& problem, const LcpSolution& solution, std::vector<RowClass>& classes) {
  const VecX sigma = (problem.beta + problem.A.cwiseAbs() * solution.f.cwiseAbs()).cwiseMax(kNoSpeed);
  std::vector<RowClass> held = classes;
  for (int i = 0; i < problem.size(); ++i) {
    const bool at_bound = classes[i] == RowClass::high || classes[i] == RowClass::low;
    if (!at_bound || std::abs(solution.v[i]) > kRests * sigma[i]) continue;
    const int normal = problem.rows[i].normal;
    if (problem.A(normal, normal) * solution.f[normal] > kLoad * sigma[normal]) held[i] = RowClass::stick;
  }
  if (held == classes) return;
  // How sticking contacts share their friction is of no consequence. Where others slip it is theirs as well who bears the load: what
  // is at its bound because it may bear no more than that is so in all its neighbours.
  const VecX f = forces_of_classes(problem, held);
  if (same_loads(problem, f, solution, sigma, kLoad) || are_allowed(problem, held, f))
    classes = std::move(held);
}

void release_what_carries_nothing(const LcpProblem& problem, const LcpSolution& solution,
                                  std::vector<RowClass>& classes) {
  const VecX sigma = (problem.beta + problem.A.cwiseAbs() * solution.f.cwiseAbs()).cwiseMax(kNoSpeed);
  bool known = false;
  // Of the terms of a row, what an answer leaves on it: nothing, or what the compliance did at which a path ended.
  for (const double left : {kLoad, kLeftByPath}) {
    std::vector<RowClass> released = classes;
    for (int i = 0; i < problem.size(); ++i) {
      const int normal = problem.rows[i].kind == RowKind::tangent ? problem.rows[i].normal : i;
      const bool carries = problem.A(normal, normal) * solution.f[normal] > left * sigma[normal];
      if (classes[normal] == RowClass::clamped && !carries) released[i] = RowClass::separate;
    }
    if (released == classes) continue;
    if (!known && same_loads(problem, forces_of_classes(problem, classes), solution, sigma, kLoad)) return;
    known = true;
    if (!same_loads(problem, forces_of_classes(problem, released), solution, sigma, left)) continue;
    classes = std::move(released);
    return;
  }
}

VecX missed_by_classes(const LcpProblem& problem, const std::vector<RowClass>& classes, const VecX& f) {
  // Of the terms of a row. Rounding leaves some 1e-15 of them; less than this moves no derivative by a digit that counts.
  constexpr double kContradicts = 1e-11;
  VecX missed = VecX::Zero(f.size());
  bool any = false;
  for (int i = 0; i < problem.size(); ++i) {
    if (classes[i] != RowClass::clamped && classes[i] != RowClass::stick) continue;
    if (!(problem.A(i, i) > 0)) continue;  // what no force moves
    double size = std::abs(problem.b[i]);
    missed[i] = problem.b[i];
    for (int j = 0; j < problem.size(); ++j) {
      missed[i] += problem.A(i, j) * f[j];
      size += std::abs(problem.A(i, j) * f[j]);
    }
    any = any || std::abs(missed[i]) > kContradicts * size;
  }
  return any ? missed : VecX();
}

}  // namespace jade
