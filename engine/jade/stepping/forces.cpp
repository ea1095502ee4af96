#include <algorithm>

#include "jade/lcp/formed_problem.h"
#include "jade/stepping/island.h"
#include "jade/stepping/shared_load.h"

namespace jade {
namespace {

// Of a sum over rows.
constexpr double kForceRounding = 1e-13;

// Of the terms of a normal's velocity: what opens by less than some hundred roundings of these rests.
constexpr double kRests = 1e-13;

// Of the same: a normal that changes the velocity of its row by more than this, and by more than rounding, surely carries.
constexpr double kCarries = 1e-3;

// Work of a pivot in a search that found no solution, in rows²: it reads and writes a matrix of that size, and such a search
// may take many hundreds of them in every step of a tower that no forces can push out of its standoffs.
constexpr double kSearch = 2;

}  // namespace

/// `to_the_end`: see LcpSettings. `guess`: classes to be tried before those of the rows' last problem; empty: none.
bool Island::solve_rows(bool to_the_end, const std::vector<RowClass>& guess) {
  LcpSettings lcp = settings_.lcp;
  const double n = rows_.size();
  work_ += n * n;
  lcp.to_the_end = to_the_end && !is_tired();
  const bool allowed = lcp.warm_start && lcp.method == LcpMethod::jade;
  const bool guessed =
      !guess.empty() && allowed && solve_formed_for_classes(problem_, lcp, guess, lcp_, solution_);
  if (!guessed) solve_formed(problem_, lcp, warm_, lcp_, solution_);
  if (allowed && rests_on_fewer()) solve_formed(problem_, lcp, {}, lcp_, solution_);
  warm_ = solution_.classes;
  if (solution_.status != LcpStatus::solved) {
    work_ += kSearch * solution_.pivots * n * n;
    return false;
  }
  note_residual();
  return true;
}

/// Whether the classes of the last problem leave a contact without a load that rests because others of its pair bear it: the fourth
/// corner of a plate, say, which carried nothing as the plate landed. Where friction slips it is not the same who carries, and
/// whoever is nudged shares the load anew.
bool Island::rests_on_fewer() const {
  if (solution_.status != LcpStatus::solved || solution_.selection != LcpSelection::warm_classes)
    return false;
  const auto rests = [&](int c) {
    const int row = contacts[c].first_row;
    return solution_.classes[row] == RowClass::separate && solution_.v[row] <= kRests * problem_.beta[row];
  };
  if (std::none_of(row_contacts_.begin(), row_contacts_.end(), rests)) return false;
  const auto pair_carries = [&](int c) {
    return std::any_of(row_contacts_.begin(), row_contacts_.end(), [&](int other) {
      const int row = contacts[other].first_row;
      const double speed = problem_.A(row, row) * solution_.f[row];
      return contacts[other].pair == contacts[c].pair &&
             speed > std::max(kCarries * problem_.beta[row], kNoSpeed);
    });
  };
  const VecX sigma = problem_.beta + problem_.A.cwiseAbs() * solution_.f.cwiseAbs();
  return std::any_of(row_contacts_.begin(), row_contacts_.end(), [&](int c) {
    return rests(c) && pair_carries(c) && is_redundant(problem_, solution_, sigma, contacts[c].first_row);
  });
}

/// Solves for the classes at hand, and searches for no others.
bool Island::keep_classes() {
  const double n = rows_.size();
  work_ += n * n;
  if (!solve_formed_for_classes(problem_, settings_.lcp, warm_, lcp_, solution_)) return false;
  note_residual();
  return true;
}

void Island::note_residual() {
  if (solution_.certificate.residual <= report.worst_residual) return;
  report.worst_residual = solution_.certificate.residual;
  report.worst_stage = solution_.stage;
}

/// Whether all contacts are at rest on gaps that no forces open, as the problem before found: another search would find that
/// again, in every step of a heap that has come to rest.
bool Island::rests_with_gaps_unheeded() const {
  return settings_.lcp.warm_start && settings_.lcp.method == LcpMethod::jade &&
         std::all_of(row_contacts_.begin(), row_contacts_.end(), [&](int c) {
           return contacts[c].unheeded && contacts[c].velocity.squaredNorm() <= kNoSlip * kNoSlip;
         });
}

/// b of the rows from the velocities u without contact forces: J_m (v + u) − J v − k, or for Euler's rules J u − k.
/// Without gaps J_m u alone: no force then moves anything further than to rest.
void Island::set_b(bool with_gaps) {
  const auto v = [&](int tree) -> const VecX& { return trees[tree]->now.v; };
  const auto u = [&](int tree) -> const VecX& { return trees[tree]->u; };
  if (with_gaps) {
    problem_.b = bias_;
    problem_.beta = bias_.cwiseAbs();
  } else {
    problem_.b.setZero(rows_.size());
    problem_.beta.setZero(rows_.size());
  }
  if (with_gaps && settings_.integrator == Integrator::midpoint)
    rows_.add_product_of_sum(v, u, problem_.b, problem_.beta);
  else
    rows_.add_product(u, problem_.b, problem_.beta);
}

/// A certificate is relative to the forces, so that forces without bound make any rows look solved: what is asked of the
/// normals must be met to the size of the motion too, or to the rounding of these forces, or of the gaps: in short segments that is
/// more than their weight explains, and corners of a face that rests contradict each other by it.
bool Island::forces_run_away(double s) const {
  for (int i = 0; i < rows_.size(); ++i) {
    const double missed = -solution_.v[i] - settings_.lcp.tolerance * problem_.beta[i];
    if (problem_.rows[i].kind == RowKind::tangent || missed <= 0) continue;
    if (missed - gap_rounding(s) > kForceRounding * problem_.A.row(i).cwiseAbs().dot(solution_.f.cwiseAbs()))
      return true;
  }
  return false;
}

/// Solves the rows for the forces of the segment. What the gaps ask for may be more than any forces give: pushed apart
/// along rows that depend on each other, or wedged. b = J u is in the range of J and always has a solution; then the gaps
/// are left to the sweep. Returns whether the gaps were heeded.
bool Island::find_forces(bool with_gaps, double s) {
  set_b(with_gaps);
  if (with_gaps && rests_with_gaps_unheeded() ? keep_classes() : solve_rows(!with_gaps)) {
    if (!with_gaps || !forces_run_away(s)) return with_gaps;
    // Rows that nearly depend on each other may all be held at a price: the classes of the last problem were a bad guess.
    warm_.clear();
    if (solve_rows(false) && !forces_run_away(s)) return true;
  }
  if (with_gaps) {
    ++report.without_gaps;
    set_b(false);
    if (solve_rows(true)) return false;
  }
  ++report.unsolved;
  return false;
}

}  // namespace jade
