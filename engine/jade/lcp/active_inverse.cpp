#include "jade/lcp/active_inverse.h"

#include <algorithm>
#include <cmath>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {
namespace {

/// Pivots below this carry no digit any more: entries of K are of size one and ε W keeps honest pivots above 1e-10.
constexpr double kSmallestPivot = 1e-14;

double slip_sign(RowClass c) { return c == RowClass::high ? 1.0 : c == RowClass::low ? -1.0 : 0.0; }

}  // namespace

void ActiveInverse::reset(const ContactIsland& island, double epsilon) {
  island_ = &island;
  epsilon_ = epsilon;
  k_ = 0;
  healthy_ = true;
  smallest_pivot_ = 1;
  const int n = island.n;
  stride_ = n;
  inverse_.resize(static_cast<std::size_t>(n) * n);
  folded_.resize(static_cast<std::size_t>(n) * island.m);
  for (auto* v : {&direction_, &column_x_, &row_x_, &w_, &u_}) v->resize(n);
  free_.clear();
  position_.assign(n, -1);
}

JADE_WIDE_LOOPS void ActiveInverse::fold(int normal, const std::vector<RowClass>& classes) {
  const ContactIsland& s = *island_;
  double* to = folded_.data() + static_cast<std::ptrdiff_t>(normal) * stride_;
  std::copy(s.column(normal), s.column(normal) + s.n, to);
  for (int t = s.tangent_begin[normal]; t < s.tangent_begin[normal + 1]; ++t) {
    const double slope = slip_sign(classes[t]) * s.mu[t];
    if (slope != 0) axpy(s.n, slope, s.column(t), to);
  }
}

double ActiveInverse::insert_normal(int i, const std::vector<RowClass>& classes, double rhs) {
  fold(i, classes);
  const double* column = velocity_column(i);
  corner_ = column[i] + epsilon_ * island_->diagonal[i];
  for (int p = 0; p < k_; ++p) {
    column_x_[p] = column[free_[p]];
    row_x_[p] = velocity_column(free_[p])[i];
  }
  return border(i, rhs);
}

double ActiveInverse::insert_tangent(int t, const std::vector<RowClass>& classes, double rhs) {
  const ContactIsland& s = *island_;
  const double slip = slip_sign(classes[t]);
  const int normal = position_[s.normal[t]];
  insert_loose(t, classes, rhs);
  if (!healthy_) return 0;
  // Unknown so far: f_t measured from its bound, f_t = slip μ f_n + y. Back to f_t itself.
  const int p = k_ - 1;
  const double slack_speed = -slip * direction_[p];
  const double slope = slip * s.mu[t];
  for (int j = 0; j < k_; ++j) {
    double* column = inverse_.data() + static_cast<std::ptrdiff_t>(j) * stride_;
    column[p] += slope * column[normal];
  }
  direction_[p] += slope * direction_[normal];
  axpy(s.n, -slope, s.column(t), folded_.data() + static_cast<std::ptrdiff_t>(s.normal[t]) * stride_);
  return slack_speed;
}

double ActiveInverse::insert_loose(int t, const std::vector<RowClass>& classes, double rhs) {
  const ContactIsland& s = *island_;
  const double* a = s.column(t);
  corner_ = a[t] * (1 + epsilon_);
  for (int p = 0; p < k_; ++p) {
    column_x_[p] = a[free_[p]];
    row_x_[p] = velocity_column(free_[p])[t];
  }
  // The compliance of a slipping tangent acts on the force that its normal gives it.
  row_x_[position_[s.normal[t]]] += slip_sign(classes[t]) * s.mu[t] * epsilon_ * a[t];
  return border(t, rhs);
}

/// Adds one equation and one unknown:  [K c; r κ]⁻¹ = [B + w u/s, −w/s; −u/s, 1/s],  w = B c, u = r B, s = κ − r w.
JADE_WIDE_LOOPS double ActiveInverse::border(int row, double rhs) {
  double* w = w_.data();
  double* u = u_.data();
  for (int p = 0; p < k_; ++p) w[p] = 0;
  multiply_add(k_, k_, inverse_.data(), stride_, column_x_.data(), w);
  for (int p = 0; p < k_; ++p) u[p] = dot(k_, row_x_.data(), column(p));
  const double s = corner_ - dot(k_, row_x_.data(), w);
  if (!(std::abs(s) > kSmallestPivot)) {
    healthy_ = false;
    return 0;
  }
  smallest_pivot_ = std::min(smallest_pivot_, std::abs(s));
  const double inverse_s = 1 / s;
  const double added = (rhs - dot(k_, row_x_.data(), direction_.data())) * inverse_s;
  axpy(k_, -added, w, direction_.data());
  direction_[k_] = added;
  for (int p = 0; p < k_; ++p) {
    double* to = inverse_.data() + static_cast<std::ptrdiff_t>(p) * stride_;
    const double factor = u[p] * inverse_s;
    axpy(k_, factor, w, to);
    to[k_] = -factor;
  }
  double* last = inverse_.data() + static_cast<std::ptrdiff_t>(k_) * stride_;
  for (int p = 0; p < k_; ++p) last[p] = -w[p] * inverse_s;
  last[k_] = inverse_s;
  position_[row] = k_++;
  free_.push_back(row);
  return added;
}

double ActiveInverse::remove(int row) { return erase(position_[row], -1, 0); }

double ActiveInverse::remove_to_bound(int t, int sign) {
  const int n = island_->normal[t];
  axpy(island_->n, sign * island_->mu[t], island_->column(t),
       folded_.data() + static_cast<std::ptrdiff_t>(n) * stride_);
  return erase(position_[t], position_[island_->normal[t]], sign * island_->mu[t]);
}

/// Deletes an equation and the unknown y = x_p − slope x_tied:  B ← B − B_{·p} ρ / ρ_p,  ρ = B_{p·} − slope B_{tied·}.
JADE_WIDE_LOOPS double ActiveInverse::erase(int p, int tied_to, double slope) {
  double* rho = u_.data();
  for (int j = 0; j < k_; ++j) {
    const double* column_j = column(j);
    rho[j] = tied_to < 0 ? column_j[p] : column_j[p] - slope * column_j[tied_to];
  }
  const double speed = tied_to < 0 ? direction_[p] : direction_[p] - slope * direction_[tied_to];
  if (!(std::abs(rho[p]) > kSmallestPivot)) {
    healthy_ = false;
    return 0;
  }
  const double inverse_pivot = 1 / rho[p];
  const double* pivot_column = column(p);
  for (int j = 0; j < k_; ++j) w_[j] = pivot_column[j];
  const double velocity = -speed * inverse_pivot;
  axpy(k_, velocity, w_.data(), direction_.data());
  for (int j = 0; j < k_; ++j) {
    if (j == p) continue;
    axpy(k_, -rho[j] * inverse_pivot, w_.data(), inverse_.data() + static_cast<std::ptrdiff_t>(j) * stride_);
  }
  // The last unknown takes the place of the deleted one.
  const int last = k_ - 1;
  position_[free_[p]] = -1;
  if (p != last) {
    double* to = inverse_.data() + static_cast<std::ptrdiff_t>(p) * stride_;
    const double* from = column(last);
    for (int i = 0; i < k_; ++i) to[i] = from[i];
    for (int j = 0; j < last; ++j) {
      double* column_j = inverse_.data() + static_cast<std::ptrdiff_t>(j) * stride_;
      column_j[p] = column_j[last];
    }
    direction_[p] = direction_[last];
    free_[p] = free_[last];
    position_[free_[p]] = p;
  }
  free_.pop_back();
  --k_;
  return velocity;
}

void ActiveInverse::rebuild(const ClassEquations& equations, const std::vector<RowClass>& classes,
                            const double* rhs) {
  free_ = equations.free_rows();
  std::fill(position_.begin(), position_.end(), -1);
  for (int p = 0; p < k_; ++p) {
    position_[free_[p]] = p;
    if (free_[p] < island_->m) fold(free_[p], classes);
    direction_[p] = rhs[free_[p]];
    double* to = inverse_.data() + static_cast<std::ptrdiff_t>(p) * stride_;
    std::fill(to, to + k_, 0.0);
    to[p] = 1;
    equations.solve(to);
  }
  equations.solve(direction_.data());
}

void ActiveInverse::aim(const double* rhs) {
  for (int p = 0; p < k_; ++p) direction_[p] = rhs[free_[p]];
  solve(direction_.data());
}

JADE_WIDE_LOOPS void ActiveInverse::solve(double* r) const {
  std::copy(r, r + k_, w_.data());
  std::fill(r, r + k_, 0.0);
  multiply_add(k_, k_, inverse_.data(), stride_, w_.data(), r);
}

}  // namespace jade::lcp
