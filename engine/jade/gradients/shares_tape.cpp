#include <algorithm>
#include <cmath>

#include "jade/dynamics/kinematics.h"
#include "jade/gradients/island_tape.h"
#include "jade/math/rotation.h"
#include "jade/stepping/midpoint.h"

namespace jade {

/// Where contacts are redundant and slip in different directions, how they share their load decides. The shares are those
/// of a vanishing compliance W = diag A, A = J M⁻¹ Jᵀ:  zᵀ W x = 0 for all z with zᵀ S J = 0. With S J y₁ = −W x,
///   zᵀ W dx = −zᵀ (S dJ y₁ + dW x)
int IslandTape::add_shares(const Shares& at, ClassSolve& classes) {
  if (!no_derivative.empty()) return -1;
  const bool shares = classes.shares_matter(), missed = at.forces.missed.size() > 0;
  // Without slip W is known well enough for a contradiction that is only about to arise.
  if (!shares && !(classes.contradicts() && (missed || classes.slips()))) return -1;
  const std::vector<int>& free = classes.free_rows();

  // z_i and the exact W.
  MatX Z = MatX::Zero(nv, static_cast<long>(free.size()));
  for (std::size_t i = 0; i < free.size(); ++i) {
    VecX J = VecX::Zero(nv);
    for (std::size_t c = 0; c < at.rows.size(); ++c) {
      const int r = free[i] - at.rows[c].first;
      if (r < 0 || r >= at.rows[c].count) continue;
      add_generalised(links_of(substep_->contacts[static_cast<std::size_t>(at.rows[c].contact)]), at.at(),
                      contacts_[c]->along(at.rows[c].directions[static_cast<std::size_t>(r)]).transpose(), J);
    }
    for (const LimitRowTrace& row : at.limits)
      if (row.row == free[i]) {
        const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
        J[limit.velocity] = limit.sign;
      }
    Z.col(static_cast<long>(i)) = J;
  }
  const MatX J = Z.transpose();
  no_implicit_diagonal();
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    GradientTree& tree = *part(i).tree;
    const int n = tree.model.nv();
    if (at.segment != nullptr) implicit_diagonal(tree, at.segment->s);
    RowMatX own = Z.middleRows(part(i).v, n);
    for (int k = 0; k < n; ++k)
      if (tree.model.prescribed(k)) own.row(k).setZero();
    mass_factor(i, at.at()).solve(tree.model, own);
    Z.middleRows(part(i).v, n) = own;
  }
  VecX W(static_cast<long>(free.size()));
  for (long i = 0; i < W.size(); ++i) W[i] = J.row(i) * Z.col(i);
  const bool contradicts = classes.contradicts();
  if (!classes.set_weights(W, shares)) refuse("the shares of redundant contacts cannot be found");
  if (contradicts && missed) add_contradiction(at, Z, W, classes);
  if (!shares) return -1;

  // −S dJ y₁ and −dA_ii x_i
  const int out = tape.slot(static_cast<int>(at.forces.f.size()));
  const VecX rates = classes.rates_of_shares(at.forces.f);
  for (std::size_t i = 0; i < free.size(); ++i) {
    add_share(at, free[i], rates, -1, out + free[i]);
    add_weight(at, free[i], Z.col(static_cast<long>(i)), at.forces.f[free[i]], out + free[i]);
  }
  return out;
}

/// dA_ii = 2 dJ_i z_i − z_iᵀ dM z_i
void IslandTape::add_weight(const Shares& at, int row, const VecX& z, double x, int out) {
  add_share(at, row, z, -2 * x, out);
  for (int t = 0; t < static_cast<int>(parts_.size()); ++t) {
    GradientTree& tree = *part(t).tree;
    const VecX own = z.segment(part(t).v, tree.model.nv());
    if (own.isZero(0)) continue;
    DynamicsWorkspace& work = placed(t, at.at()).work;
    momentum_derivatives(tree, work, own);
    const Eigen::RowVectorXd by_q = own.transpose() * tree.jacobian.q();
    tape.add(out, at.place + part(t).v, by_q, x);
    if (at.segment != nullptr)
      tape.add_scaled(out, at.slots->s, 1, x * own.dot(tree.E_by_s.cwiseProduct(own)));
    for (const Use& use : uses_) {
      if (use.part != t) continue;
      double change = 0;
      const int k = use.id.index;
      if (use.id.kind == ParameterKind::inertia)
        change = own.dot(rnea_by_inertia(tree.model, work, use.link, use.X_LB, use.id.component));
      if (at.segment != nullptr && midpoint() && use.id.kind == ParameterKind::damping)
        change = own[k] * own[k] * implicit_damping(tree.model, k, at.segment->s).by_damping;
      if (at.segment != nullptr && midpoint() && use.id.kind == ParameterKind::stiffness)
        change = 0.25 * at.segment->s * at.segment->s * own[k] * own[k];
      if (change != 0) tape.add_scaled(out, use.row, 1, x * change);
    }
  }
}

/// Rows that contradict each other are met but for W y, where the forces y move nothing (see ClassInverse::factor_mean):
///   S J v⁺ + … = −W y,   M ν = Jᵀ P y,   S J ν = 0
/// Both move: r₂ is less by dW y + W dy, and dy is that of a problem of its own,
///   M dν − Jᵀ P dy = d(Jᵀ P) y − dM ν,   S J dν = −S dJ ν
/// up to what moves nothing, which the mean takes out. Unless contacts slip in different directions ν is zero.
void IslandTape::add_contradiction(const Shares& at, const MatX& Z, const VecX& W,
                                   const ClassSolve& classes) {
  const std::vector<int>& free = classes.free_rows();
  const int count = static_cast<int>(at.forces.f.size());
  ForcesTrace y{at.forces.classes, VecX::Zero(count)};
  for (std::size_t i = 0; i < free.size(); ++i)
    y.f[free[i]] = -at.forces.missed[free[i]] / W[static_cast<long>(i)];
  for (const RowsTrace& rows : at.rows)
    for (int r = 1; r < rows.count; ++r) {
      const RowClass row_class = y.classes[static_cast<std::size_t>(rows.first + r)];
      const double mu = substep_->contacts[static_cast<std::size_t>(rows.contact)].friction;
      if (row_class == RowClass::high) y.f[rows.first + r] = mu * y.f[rows.first];
      if (row_class == RowClass::low) y.f[rows.first + r] = -mu * y.f[rows.first];
    }
  const VecX rates_of_y = velocity_change(at.rows, at.limits, y.f, at.at());

  const int nothing = tape.slot(nv), velocity = tape.slot(nv), forces = tape.slot(count);
  ClassSolve& problem = tape.new_classes();
  problem.keep_forces = problem.takes_mean = true;
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    const Part& own = part(i);
    const int n = own.tree->model.nv();
    const VecX change = rates_of_y.segment(own.v, n);
    add_momentum(velocity, nothing, at.place, i, at.at(), change, problem);
    if (at.segment == nullptr) continue;
    tape.add(velocity + own.v, at.slots->s, VecX(own.tree->E_by_s.cwiseProduct(change)), -1);
    for (const Use& use : uses_) {
      if (use.part != i || !midpoint()) continue;
      const int k = use.id.index;
      const double s = at.segment->s;
      double by = 0;
      if (use.id.kind == ParameterKind::damping) by = implicit_damping(own.tree->model, k, s).by_damping;
      if (use.id.kind == ParameterKind::stiffness) by = 0.25 * s * s;
      if (by != 0) tape.add_scaled(velocity + own.v + k, use.row, 1, -by * change[k]);
    }
  }
  add_problem(at.rows, at.limits, y.classes, nullptr, at.at(), problem);
  if (!problem.factor()) refuse("rows that contradict each other cannot be solved");
  begin_forces(velocity, at.place, at.at());
  for (std::size_t i = 0; i < at.rows.size(); ++i) {
    if (contacts_[i] == nullptr) continue;
    const RowsTrace& rows = at.rows[i];
    const Links links = links_of(substep_->contacts[static_cast<std::size_t>(rows.contact)]);
    Vec3 F = Vec3::Zero();
    for (int r = 0; r < rows.count; ++r)
      F += y.f[rows.first + r] * rows.directions[static_cast<std::size_t>(r)];
    force_.clear();
    add_force_by_position(F, *contacts_[i], frames_[i], force_);
    add_force_by(links, force_, displacements(links, Place::start, q_),
                 displacements(links, at.at(), at.place), slip_of(at, rows, links));
    note_force(links, contacts_[i]->along(F).transpose(), 1);
    add_friction(rows, *contacts_[i], y, 1);
  }
  end_forces();
  force_.clear();
  for (const int row : free) add_share(at, row, rates_of_y, -1, forces + row);
  tape.solve(velocity, forces, -1, problem);
  for (std::size_t i = 0; i < free.size(); ++i) {
    const long k = static_cast<long>(i);
    tape.add_scaled(at.rows_out + free[i], forces + free[i], 1, -W[k]);
    add_weight(at, free[i], Z.col(k), y.f[free[i]], at.rows_out + free[i]);
  }
}

/// The rates whose slip the tangents of a contact follow.
IslandTape::LinkRows IslandTape::slip_of(const Shares& at, const RowsTrace& rows, const Links& links) {
  if (at.segment != nullptr) return slip_rows(*at.segment, rows, links, *at.slots);
  return rates(links, Place::start, q_, *at.v_before, at.v_before_row, 0);
}

/// scale d(J_row) z; rows of limits do not move.
void IslandTape::add_share(const Shares& at, int row, const VecX& z, double scale, int out) {
  for (std::size_t c = 0; c < at.rows.size(); ++c) {
    const int r = row - at.rows[c].first;
    if (r < 0 || r >= at.rows[c].count) continue;
    const Links links = links_of(substep_->contacts[static_cast<std::size_t>(at.rows[c].contact)]);
    RowDerivative by;
    rows_by_position(at.rows[c], r + 1, *contacts_[c], frames_[c], rates(links, at.at(), z), by);
    add_links(out, by.w_by_q.row(r), displacements(links, Place::start, q_), scale);
    add_links(out, by.w_by_place.row(r), displacements(links, at.at(), at.place), scale);
    add_links(out, by.w_by_v0.row(r), slip_of(at, at.rows[c], links), scale);
    // Its own row on the tape for every z: tape.rows() is a number that nobody else has.
    add_links(out, by.J.row(r), rates(links, at.at(), at.place, z, -1, -2 - tape.rows()), scale);
  }
}

/// Contacts that stick at no slip; what they and those that carry load with them would do at the start, as in Island::stop: what
/// slides is braked along its slip of then.
bool IslandTape::slips_that_stop(const SolveTrace& trace) {
  const std::vector<RowClass>& classes = trace.forces.classes;
  if (std::find(classes.begin(), classes.end(), RowClass::stick) == classes.end()) return false;
  stopped_.classes.assign(classes.size(), RowClass::separate);
  stopped_rows_.clear();
  bool any = false;
  for (const RowsTrace& of : trace.rows) {
    const auto row_class = [&](int r) { return classes[static_cast<std::size_t>(of.first + r)]; };
    const auto stopped = [&](int r) -> RowClass& {
      return stopped_.classes[static_cast<std::size_t>(of.first + r)];
    };
    if (row_class(0) != RowClass::clamped) continue;
    RowsTrace& rows = stopped_rows_.emplace_back(of);
    const PlacedContact& at = start_contact(rows.contact);
    const Vec3 along =
        !rows.slides ? rows.directions[1]
                     : at.velocity(rates(links_of(substep_->contacts[static_cast<std::size_t>(rows.contact)]),
                                         Place::start, substep_->v));
    rows.directions = {at.n, Vec3::Zero(), Vec3::Zero()};
    stopped(0) = RowClass::clamped;
    if (rows.count < 2) continue;
    rows.directions[1] = (along - at.n.dot(along) * at.n).normalized();
    rows.directions[2] = cross3(at.n, rows.directions[1]);
    if (rows.slides) stopped(1) = RowClass::low;
    // What was stopped before is stopped again with what was not.
    for (int r = 1; (rows.rests || rows.stopped) && r < rows.count; ++r) {
      if (row_class(r) != RowClass::stick) continue;
      stopped(r) = RowClass::stick;
      any = any || (rows.rests && stopped_once_[static_cast<std::size_t>(rows.contact)] == 0);
    }
  }
  if (!any) return false;
  for (const RowsTrace& rows : stopped_rows_)
    if (rows.rests) stopped_once_[static_cast<std::size_t>(rows.contact)] = 1;
  return true;
}

/// As soon as anything moves: their normals point different ways, or places of two links are at different heights, of which one
/// slips where the links turn about the other.
bool IslandTape::may_contradict(const std::vector<RowsTrace>& rows) const {
  constexpr double kSameWay =
      1e-12;  // 1 − cos of a millionth of a radian: what faces on each other differ by
  constexpr double kSameHeight =
      1e-9;  // [m]: of any thing that is not a grain this is less than a derivative is known to
  const auto links = [&](std::size_t i) {
    return links_of(substep_->contacts[static_cast<std::size_t>(rows[i].contact)]);
  };
  const PlacedContact* first = nullptr;
  std::size_t of_pair = 0;  // the first row of the same two links: they follow each other
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (contacts_[i] == nullptr) continue;
    const PlacedContact& at = *contacts_[i];
    if (first == nullptr) first = &at;
    if (std::abs(first->n.dot(at.n)) < 1 - kSameWay) return true;
    if (contacts_[of_pair] == nullptr || !(links(of_pair) == links(i))) of_pair = i;
    if (std::abs(at.n.dot(at.p - contacts_[of_pair]->p)) > kSameHeight) return true;
  }
  return false;
}

/// A contact that rests and sticks in a solve that is judged: any slip that counts would end within the segment, after a time and a way of second
/// order, so that to first order it ends at once and the segment starts from
///   M (v' − v) = Jᵀ P x,   S_t J v' = 0 of such contacts,   S_n J (v' − v) = 0
/// The step does so with all slip that is more than rounding; what rests is differentiated as if it had some.
void IslandTape::stop_slip(const SolveTrace& trace) {
  if (!midpoint() || !slips_that_stop(trace)) return;
  const int velocity = tape.slot(nv), forces = tape.slot(static_cast<int>(stopped_.classes.size()));
  ClassSolve& classes = tape.new_classes();
  no_implicit_diagonal();
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    const Part& own = part(i);
    const Model& model = own.tree->model;
    tape.add_scaled(velocity + own.v, v_ + own.v, model.nv(), 1);
    classes.trees.push_back({&model, own.v, &mass_factor(i, Place::start), true});
  }
  contacts_.clear();
  for (const RowsTrace& rows : stopped_rows_) contacts_.push_back(&start_contact(rows.contact));
  for (const LimitRowTrace& row : trace.limits)
    stopped_.classes[static_cast<std::size_t>(row.row)] =
        trace.forces.classes[static_cast<std::size_t>(row.row)];
  classes.takes_mean = may_contradict(stopped_rows_);
  add_problem(stopped_rows_, trace.limits, stopped_.classes, nullptr, Place::start, classes);
  for (const LimitRowTrace& row : trace.limits) {
    if (stopped_.classes[static_cast<std::size_t>(row.row)] != RowClass::clamped) continue;
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(row.limit)];
    tape.add_scaled(forces + row.row, v_ + limit.velocity, 1, limit.sign);
  }
  if (!classes.factor()) refuse("a slip that ends at once cannot be solved");
  for (std::size_t i = 0; i < stopped_rows_.size(); ++i) {
    const RowsTrace& rows = stopped_rows_[i];
    const PlacedContact& at = *contacts_[i];
    const Links links = links_of(substep_->contacts[static_cast<std::size_t>(rows.contact)]);
    const Sides v = rates(links, Place::start, substep_->v);
    for (int r = 0; r < rows.count; ++r) {
      if (!classes.is_free(rows.first + r)) continue;
      const int out = forces + rows.first + r;
      const Vec3& d = rows.directions[static_cast<std::size_t>(r)];
      const Row12 J = at.along(d);
      if (r == 0) {
        // Where the links are changes the closing speed before and after alike.
        add_links(out, J, rates(links, Place::start, q_, VecX(), v_, 1), 1);
        continue;
      }
      // The frame turns with the normal; turning about it makes no slip of none.
      add_links(
          out,
          Row12(cross3(cross3(d, at.velocity(v)), at.n).transpose() * at.N + at.velocity_by_position(d, v)),
          displacements(links, Place::start, q_), -1);
      add_links(out, J, rates(links, Place::start, q_, substep_->v, -1, 0), -1);
    }
  }
  tape.solve(velocity, forces, -1, classes);
  v_ = velocity;
}

}  // namespace jade
