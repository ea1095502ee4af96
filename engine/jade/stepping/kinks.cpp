/// How far a step is from changing its mind, for the tape.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>

#include "jade/stepping/island.h"
#include "jade/stepping/shared_load.h"

namespace jade {

/// The row of the problem at hand that is nearest to another class, as LcpDerivative measures it; but a row that weighs
/// nothing is not measured by its own rounding, but by how fast the bodies pass each other there. Weak contacts are left out. `ended`:
/// one whose slip ends with the segment, between slipping and sticking wherever that end moves to; −1: none. `rounding`: what is not
/// known of normal velocities [m/s].
Kink Island::nearest_class(const std::vector<RowsTrace>& rows, int ended, double rounding) const {
  Kink nearest;
  const LcpProblem& p = problem_;
  const LcpSolution& s = solution_;
  const VecX sigma = p.beta + p.A.cwiseAbs() * s.f.cwiseAbs();
  for (const RowsTrace& row : rows) {
    const int c = row.contact;
    const LiveContact& contact = contacts[c];
    for (int i = row.first; row.weak == RowsTrace::Weak::no && i < row.first + row.count; ++i) {
      const bool tangent = i > contact.first_row;
      if (tangent && (c == ended || s.classes[i] == RowClass::separate)) continue;
      const double force = p.A(i, i) * s.f[i];
      double margin = std::abs(s.v[i]) - (tangent ? 0 : rounding);
      if (s.classes[i] == RowClass::clamped) margin = std::abs(force) - rounding;
      if (s.classes[i] == RowClass::stick)
        margin = p.A(i, i) * p.rows[i].mu * s.f[contact.first_row] - std::abs(force);
      const double size = std::max({sigma[i], contact.velocity.norm(), kNoSpeed});
      const double distance = margin > 0 ? margin / size : 0;
      if (distance < 1e-9 && is_redundant(p, s, sigma, i)) continue;
      nearest.nearer({.kind = Kink::Kind::row_class,
                      .distance = distance,
                      .shape_a = pairs[contact.pair].a,
                      .shape_b = pairs[contact.pair].b,
                      .side = s.classes[i]});
    }
  }
  for (const int l : row_limits_) {
    const int i = limits[l].row;
    const double margin = s.classes[i] == RowClass::clamped ? p.A(i, i) * s.f[i] : s.v[i];
    nearest.nearer({.kind = Kink::Kind::row_class,
                    .distance = std::abs(margin) / std::max(sigma[i], kNoSpeed),
                    .side = s.classes[i]});
  }
  return nearest;
}

/// The contacts that touch and neither carry nor open, unless others that do carry hold the same: a box that stands on three of
/// its corners may as well stand on the fourth. On the tape all of them leave, in every segment: one smooth piece of those that
/// meet there.
void Island::mark_weak(SolveTrace& solve) const {
  const VecX sigma = problem_.beta + problem_.A.cwiseAbs() * solution_.f.cwiseAbs();
  const auto share = [&](const RowsTrace& rows, int r, double x) {
    return std::abs(x) / std::max({sigma[rows.first + r], contacts[rows.contact].velocity.norm(), kNoSpeed});
  };
  const double rounding = gap_rounding(solve.s);
  // The larger of what it is pushed and opened by.
  const auto distance = [&](const RowsTrace& rows) {
    const int i = rows.first;
    const double speed = std::max(problem_.A(i, i) * std::abs(solution_.f[i]), std::abs(solution_.v[i]));
    return share(rows, 0, std::max(0.0, speed - rounding));
  };
  const auto touches_only = [&](const RowsTrace& rows) { return distance(rows) <= kAtKink; };
  if (std::none_of(solve.rows.begin(), solve.rows.end(), touches_only)) return;
  LcpSolution loaded = solution_;
  for (const RowsTrace& rows : solve.rows)
    if (touches_only(rows)) std::fill_n(loaded.classes.begin() + rows.first, rows.count, RowClass::separate);
  for (RowsTrace& rows : solve.rows) {
    if (!touches_only(rows) || is_redundant(problem_, loaded, sigma, rows.first)) continue;
    const bool slips =
        rows.count == 2 && !rows.rests && share(rows, 1, solution_.v[rows.first + 1]) > kAtKink;
    rows.weak = rows.count == 1 || slips ? RowsTrace::Weak::slips : RowsTrace::Weak::rests;
    const NearPair& pair = pairs[contacts[rows.contact].pair];
    Kink& kink = rows.weak == RowsTrace::Weak::slips ? solve.weak : solve.nearest;
    kink.nearer({.kind = Kink::Kind::row_class,
                 .distance = distance(rows),
                 .shape_a = pair.a,
                 .shape_b = pair.b,
                 .side = RowClass::separate});
    std::fill_n(solve.forces.classes.begin() + rows.first, rows.count, RowClass::separate);
    solve.forces.f.segment(rows.first, rows.count).setZero();
  }
}

/// The contact that is nearest to being treated in another way. Rows that carry no force do not count: without them the
/// segment is the same.
Kink Island::nearest_choice(double s) const {
  Kink nearest;
  const double slack = 1.5 * (settings_.standoff - settings_.clearance);
  for (const LiveContact& contact : contacts) {
    if (contact.first_row >= 0 && solution_.f[contact.first_row] == 0) continue;
    const double excess = contact.now.gap - settings_.standoff, y = s * contact.approach;
    const double active = 2 * span_ * span_ * std::abs(contact.free_pull);
    const double away = settings_.integrator == Integrator::semi_implicit_euler
                            ? y + s * s * std::min(0.0, contact.free_pull)
                            : y;
    double distance = 0;
    const double limit = closing(contact).impact_speed(span_);
    const double impact = -contact.approach - limit, size = std::abs(contact.approach) + limit;
    const auto share = [](double margin, double of) { return of > 0 ? margin / of : 0; };
    const double far = share(excess - active - slack, std::abs(excess) + active + slack);
    const double low =
        share(-2 * std::max(excess, 0.0) - slack - y, std::abs(y) + 2 * std::abs(excess) + slack);
    const double high = share(away - slack, std::abs(away) + slack);
    // Negative: the condition for being a row holds by so much.
    const double worst = std::max({far, low, high, share(impact, size)});
    distance = std::abs(worst);
    nearest.nearer({.kind = Kink::Kind::row_choice,
                    .distance = distance,
                    .shape_a = pairs[contact.pair].a,
                    .shape_b = pairs[contact.pair].b});
  }
  return nearest;
}

/// Whether what touches is a forest of single bodies (and the world) of which each two touch in one plane: a box, a stack, things
/// on a floor.
bool Island::is_flat_forest(const std::vector<RowClass>& classes) const {
  constexpr double kSameWay = 1e-12;    // 1 − cos of a millionth of a radian
  constexpr double kSameHeight = 1e-9;  // [m]
  const auto node = [&](const Anchor& on) { return static_cast<std::size_t>(on.tree + 1); };
  std::vector<std::size_t> root(trees.size() + 1);
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto root_of = [&](std::size_t k) {
    while (root[k] != k) k = root[k];
    return k;
  };
  const LiveContact* first = nullptr;  // of the two bodies at hand
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    if (classes[contact.first_row] != RowClass::clamped) continue;
    const NearPair& pair = pairs[contact.pair];
    for (const Anchor& on : {pair.on_a, pair.on_b})
      if (on.tree >= 0 && !trees[on.tree]->is_single_body()) return false;
    if (first != nullptr && first->pair == contact.pair) {
      const Vec3 &n = first->now.normal, across = contact.now.p_B - first->now.p_B;
      if (1 - n.dot(contact.now.normal) > kSameWay || std::abs(n.dot(across)) > kSameHeight) return false;
      continue;
    }
    first = &contact;
    const std::size_t a = root_of(node(pair.on_a)), b = root_of(node(pair.on_b));
    if (a == b) return false;
    root[a] = b;
  }
  return true;
}

/// What friction holds at places that are not in one plane, or round a loop of bodies, it holds against tipping: a nudge opens and
/// closes gaps there that no motion makes good without slip. Contact forces strain what they hold then until something slips, and
/// who slips depends on the nudge. To the rows: normals and tangents that stick depend on each other,
///   z_nᵀ J_n + z_tᵀ J_t = 0,   z_nᵀ J_n ≠ 0   ⇔   rank J_n + rank J_t > rank J
/// A face on another one has its places in one plane, where the three motions that tangents forbid are not those of its gaps. One
/// such stress alone is that of a pole between floor and wall: it jams, which bears any amount of it, and no other place relieves it.
Kink Island::nearest_strain(const std::vector<RowClass>& classes) const {
  constexpr double kDependent =
      1e-9;  // of the largest eigenvalue of A, in units of its diagonal: angles of 3e-5
  constexpr std::size_t kMostRows = 96;  // beyond, eigenvalues take longer than the step
  if (is_flat_forest(classes)) return {};
  std::vector<int> normals, held;
  const NearPair* holds = nullptr;
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    const int row = contact.first_row;
    if (classes[row] != RowClass::clamped) continue;
    normals.push_back(row);
    const bool sticks = contact.rows == 3 && !contact.slides && classes[row + 1] == RowClass::stick &&
                        classes[row + 2] == RowClass::stick;
    if (!sticks) continue;
    held.insert(held.end(), {row + 1, row + 2});
    holds = &pairs[contact.pair];
  }
  if (held.empty() || normals.size() + held.size() > kMostRows) return {};
  const auto rank = [&](const std::vector<int>& rows) {
    const MatX A = problem_.A(rows, rows);
    const VecX unit = A.diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::SelfAdjointEigenSolver<MatX> eigen(unit.asDiagonal() * A * unit.asDiagonal(),
                                                    Eigen::EigenvaluesOnly);
    return (eigen.eigenvalues().array() > kDependent * eigen.eigenvalues().maxCoeff()).count();
  };
  std::vector<int> all = normals;
  all.insert(all.end(), held.begin(), held.end());
  if (rank(normals) + rank(held) <= rank(all) + 1) return {};
  return {.kind = Kink::Kind::strained, .distance = 0, .shape_a = holds->a, .shape_b = holds->b};
}

/// A face that hits flush does so with several corners at once, and every nudge that its joints allow makes one of them the
/// first: how much later the next one is.
Kink Island::nearest_flush() const {
  Kink nearest;
  if (trace->substeps.size() < 2) return nearest;
  const SubstepTrace& before = trace->substeps[trace->substeps.size() - 2];
  if (before.solves.empty() || !before.solves.back().hit.hit || before.sigma == before.solves.back().s)
    return nearest;
  const HitTrace& hit = before.solves.back().hit;
  const LiveContact* first = nullptr;
  // However slowly: what lands without a bounce is stopped at whichever corner is the first as well.
  const Horizon now = horizon(left_);
  const auto met = [&](const LiveContact& contact) {
    const NearPair& pair = pairs[contact.pair];
    return pair.a == hit.shape_a && pair.b == hit.shape_b && closing(contact).hits(now);
  };
  for (const int c : row_contacts_)
    if (met(contacts[c]) && (first == nullptr || contacts[c].now.gap < first->now.gap)) first = &contacts[c];
  for (const int c : row_contacts_) {
    const LiveContact& contact = contacts[c];
    if (!met(contact) || &contact == first) continue;
    const int i = contact.first_row, j = first->first_row;
    const MatX& A = problem_.A;
    constexpr double kSame = 1e-10;  // what no joint lets move against each other
    if (A(i, i) + A(j, j) - 2 * A(i, j) <= kSame * (A(i, i) + A(j, j))) continue;
    const double later = (contact.now.gap - first->now.gap) / -contact.approach;
    nearest.nearer({Kink::Kind::grazing, apart(hit.time + later, hit.time), hit.shape_a, hit.shape_b});
  }
  return nearest;
}

}  // namespace jade
