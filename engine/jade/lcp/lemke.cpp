#include "jade/lcp/lemke.h"

#include <utility>

namespace jade::lcp {

template <class Real>
void Lemke<Real>::resize(int n) {
  n_ = n;
  tableau_.assign(static_cast<std::size_t>(n) * (n + 1), Real(0));
  q_.assign(n, Real(0));
  basic_.resize(n);
  nonbasic_.resize(n + 1);
  place_.resize(2 * n + 1);
  factor_.resize(n);
}

template <class Real>
typename Lemke<Real>::Outcome Lemke<Real>::run(const Settings& settings) {
  const int n = n_;
  pivots_ = 0;
  for (int i = 0; i < n; ++i) {
    basic_[i] = i;
    nonbasic_[i] = n + i;
    place_[i] = i;
    place_[n + i] = -1 - i;
    M(i, n) = Real(1);
  }
  nonbasic_[n] = 2 * n;
  place_[2 * n] = -1 - n;

  // z₀ enters as far as the most violated row needs; among equals the last one is lexicographically least.
  int row = -1;
  for (int i = 0; i < n; ++i) {
    if (q_[i] < Real(0) && (row < 0 || q_[i] <= q_[row])) row = i;
  }
  if (row < 0) return Outcome::solved;
  int leaving = basic_[row];
  pivot(row, n);
  while (pivots_ < settings.max_pivots) {
    // The complement of what just left comes in.
    const int entering = leaving < n ? leaving + n : leaving - n;
    const int column = -1 - place_[entering];
    row = blocking_row(column, Real(settings.pivot_tolerance));
    if (row < 0) return Outcome::ray;
    leaving = basic_[row];
    pivot(row, column);
    if (leaving == 2 * n) return Outcome::solved;
  }
  return Outcome::pivot_limit;
}

/// The row that reaches zero first when the variable of `column` grows; ties are decided as if q were perturbed
/// by (δ, δ², …). z₀ leaves as soon as it may.
template <class Real>
int Lemke<Real>::blocking_row(int column, Real tolerance) const {
  const Real* t = tableau_.data() + static_cast<std::size_t>(column) * n_;
  int best = -1;
  for (int i = 0; i < n_; ++i) {
    if (!(t[i] < -tolerance)) continue;
    if (best < 0) {
      best = i;
      continue;
    }
    // q_i / −t_i against q_best / −t_best, without dividing.
    const Real mine = q_[i] * -t[best], theirs = q_[best] * -t[i];
    if (mine < theirs) {
      best = i;
    } else if (mine == theirs && basic_[best] != 2 * n_) {
      if (basic_[i] == 2 * n_ || lexicographically_less(i, best, column)) best = i;
    }
  }
  return best;
}

/// Compares rows of B⁻¹, each over its pivot entry. The column of B⁻¹ that belongs to w_j is minus the tableau's
/// column of w_j while w_j is nonbasic, a unit column while it is basic.
template <class Real>
bool Lemke<Real>::lexicographically_less(int row, int other, int column) const {
  const Real* t = tableau_.data() + static_cast<std::size_t>(column) * n_;
  for (int j = 0; j < n_; ++j) {
    Real mine, theirs;
    if (place_[j] >= 0) {
      mine = Real(place_[j] == row ? 1 : 0);
      theirs = Real(place_[j] == other ? 1 : 0);
    } else {
      const Real* c = tableau_.data() + static_cast<std::size_t>(-1 - place_[j]) * n_;
      mine = -c[row];
      theirs = -c[other];
    }
    const Real left = mine * -t[other], right = theirs * -t[row];
    if (left != right) return left < right;
  }
  return false;
}

template <class Real>
void Lemke<Real>::pivot(int row, int column) {
  ++pivots_;
  Real* t = tableau_.data() + static_cast<std::size_t>(column) * n_;
  const Real inverse = Real(1) / t[row];
  Real* __restrict factor = factor_.data();
  for (int i = 0; i < n_; ++i) factor[i] = t[i] * inverse;
  for (int j = 0; j <= n_; ++j) {
    if (j == column) continue;
    Real* __restrict c = tableau_.data() + static_cast<std::size_t>(j) * n_;
    const Real pivot_entry = c[row];
    if (pivot_entry == Real(0)) continue;
    for (int i = 0; i < n_; ++i) c[i] -= factor[i] * pivot_entry;
    c[row] = -pivot_entry * inverse;
  }
  const Real q_row = q_[row];
  for (int i = 0; i < n_; ++i) q_[i] -= factor[i] * q_row;
  q_[row] = -q_row * inverse;
  for (int i = 0; i < n_; ++i) t[i] = factor[i];
  t[row] = inverse;
  std::swap(basic_[row], nonbasic_[column]);
  place_[basic_[row]] = row;
  place_[nonbasic_[column]] = -1 - column;
}

template <class Real>
Real Lemke<Real>::x(int i) const {
  const int place = place_[n_ + i];
  return place >= 0 ? q_[place] : Real(0);
}

template <class Real>
Real Lemke<Real>::artificial() const {
  const int place = place_[2 * n_];
  return place >= 0 ? q_[place] : Real(0);
}

template class Lemke<double>;
template class Lemke<Quad>;

}  // namespace jade::lcp
