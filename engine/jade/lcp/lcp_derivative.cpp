#include "jade/lcp/lcp_derivative.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/lcp/class_equations.h"
#include "jade/lcp/contact_island.h"
#include "jade/lcp/island_state.h"

namespace jade {
namespace {

/// The proximal parameter of the solution's own polish, and a fixed number of steps: the derivative has to be one
/// linear map, the same forwards and backwards.
constexpr double kProximal = 1e-6;
constexpr int kSteps = 6;

struct FactoredIsland {
  lcp::ContactIsland island;
  std::vector<RowClass> classes;
  lcp::ClassEquations equations;

  /// With H = (K + εW)⁻¹ and E = εW H = 1 − K H, what a proximal step leaves of its right-hand side:
  ///   K^# = H (1 + E + … + E^{N−1}) (1 − E^N)²
  /// The sum inverts what is regular, 1 − E^N removes what no step reduces. It is applied twice because rounding
  /// leaves 1e-10 (ε against 1e-16) of a redundant part, which H would magnify by 1/ε. E is never formed as 1 − K H,
  /// which would cancel. All factors are functions of H and W alone, so the transpose is the same with Hᵀ.
  VecX pseudo_solve(VecX r, bool transposed) const {
    const std::vector<int>& free = equations.free_rows();
    r.conservativeResizeLike(VecX::Zero(lcp::ClassEquations::room(equations.size())));
    const auto step = [&](VecX& e) {
      transposed ? equations.solve_transposed(e.data()) : equations.solve(e.data());
    };
    const auto comply = [&](VecX& e) {
      for (std::size_t p = 0; p < free.size(); ++p)
        e[static_cast<long>(p)] *= kProximal * island.diagonal[free[p]];
    };
    for (int pass = 0; pass < 2; ++pass) {
      VecX left = r;
      for (int k = 0; k < kSteps; ++k) {
        step(left);
        comply(left);
      }
      r -= left;
    }
    VecX x = VecX::Zero(r.size());
    for (int k = 0; k < kSteps; ++k) {
      if (k > 0) comply(r);
      step(r);
      x += r;
    }
    return x.head(equations.size());
  }
};

}  // namespace

struct LcpDerivative::Islands {
  std::vector<FactoredIsland> all;
};

LcpDerivative::~LcpDerivative() = default;
LcpDerivative::LcpDerivative(LcpDerivative&&) noexcept = default;
LcpDerivative& LcpDerivative::operator=(LcpDerivative&&) noexcept = default;

LcpDerivative::LcpDerivative(const LcpProblem& problem, const LcpSolution& solution)
    : islands_(std::make_unique<Islands>()) {
  if (problem.form != LcpForm::contact || !problem.factors) {
    throw InvalidInput("derivative of a complementarity problem",
                       {{"factors", "are missing", "build the problem with make_contact_problem"}});
  }
  if (solution.status != LcpStatus::solved || solution.f.size() != problem.size()) {
    throw InvalidInput(
        "derivative of a complementarity problem",
        {{"solution", "is not a solution of this problem", "differentiate solved problems only"}});
  }
  const int n = problem.size();
  factors_ = *problem.factors;
  f_ = solution.f;
  g_ = factors_.J.transpose() * f_;
  w_ = factors_.u + factors_.inverse_mass * g_;
  slope_ = slope_per_mu_ = VecX::Zero(n);
  normal_.assign(n, -1);
  for (int i = 0; i < n; ++i) {
    normal_[i] = problem.rows[i].normal;
    if (!lcp::is_slipping(solution.classes[i])) continue;
    slope_per_mu_[i] = solution.classes[i] == RowClass::high ? 1 : -1;
    slope_[i] = slope_per_mu_[i] * problem.rows[i].mu;
  }
  lcp::IslandSplitter splitter;
  const int count = splitter.split(problem);
  for (int k = 0; k < count; ++k) {
    FactoredIsland& island = islands_->all.emplace_back();
    splitter.extract(problem, k, island.island);
    island.island.copy_all_columns();
    for (int i = 0; i < island.island.n; ++i) {
      island.classes.push_back(solution.classes[island.island.row[i]]);
    }
    if (!island.equations.factor(island.island, island.classes, kProximal)) {
      throw InvalidInput("derivative of a complementarity problem",
                         {{"A", "is not positive semidefinite", "use A = J M⁻¹ Jᵀ with a positive M"}});
    }
  }
  measure_distance(problem, solution);
}

void LcpDerivative::measure_distance(const LcpProblem& p, const LcpSolution& s) {
  const VecX sigma = (p.beta.size() > 0 ? p.beta : VecX(p.b.cwiseAbs())) + p.A.cwiseAbs() * s.f.cwiseAbs();
  distance_to_kink_ = std::numeric_limits<double>::infinity();
  for (int i = 0; i < p.size(); ++i) {
    const bool tangent = p.rows[i].kind == RowKind::tangent;
    if (tangent && (s.classes[i] == RowClass::separate || p.rows[i].mu == 0)) continue;
    const double force = p.A(i, i) * s.f[i];
    double margin = std::abs(s.v[i]);
    if (s.classes[i] == RowClass::clamped) margin = std::abs(force);
    if (s.classes[i] == RowClass::stick) {
      margin = p.A(i, i) * p.rows[i].mu * s.f[p.rows[i].normal] - std::abs(force);
    }
    const double distance = margin > 0 ? margin / sigma[i] : 0;  // σ = 0: nothing can move the row
    if (distance < distance_to_kink_) {
      distance_to_kink_ = distance;
      nearest_row_ = i;
    }
  }
}

VecX LcpDerivative::solve(const VecX& r, bool transposed) const {
  VecX result = VecX::Zero(r.size());
  for (const FactoredIsland& island : islands_->all) {
    const std::vector<int>& free = island.equations.free_rows();
    VecX x(static_cast<long>(free.size()));
    // Scaled like the island: equations and unknowns both carry D.
    const auto row = [&](std::size_t p) { return island.island.row[free[p]]; };
    const auto scale = [&](std::size_t p) { return island.island.scale[free[p]]; };
    for (std::size_t p = 0; p < free.size(); ++p) x[static_cast<long>(p)] = scale(p) * r[row(p)];
    x = island.pseudo_solve(std::move(x), transposed);
    for (std::size_t p = 0; p < free.size(); ++p) result[row(p)] = scale(p) * x[static_cast<long>(p)];
  }
  return result;
}

LcpDerivative::Tangent LcpDerivative::forward(const ContactDirection& d) const {
  const MatX& J = factors_.J;
  const MatX& Minv = factors_.inverse_mass;
  VecX df = VecX::Zero(f_.size());
  if (d.mu.size() > 0) {
    for (int t = 0; t < f_.size(); ++t) {
      if (slope_per_mu_[t] != 0) df[t] = slope_per_mu_[t] * d.mu[t] * f_[normal_[t]];
    }
  }
  VecX dw = Minv * (J.transpose() * df);
  if (d.J.size() > 0) dw += Minv * (d.J.transpose() * f_);
  if (d.inverse_mass.size() > 0) dw += d.inverse_mass * g_;
  if (d.u.size() > 0) dw += d.u;
  VecX dv = J * dw;
  if (d.J.size() > 0) dv += d.J * w_;
  if (d.bias.size() > 0) dv += d.bias;

  VecX dx = -solve(dv, false);
  for (int t = 0; t < f_.size(); ++t) {
    if (slope_per_mu_[t] != 0) dx[t] = slope_[t] * dx[normal_[t]];
  }
  df += dx;
  VecX impulse = J.transpose() * df;
  if (d.J.size() > 0) impulse += d.J.transpose() * f_;
  return {std::move(df), std::move(impulse)};
}

ContactDirection LcpDerivative::backward(const VecX& f_bar_in, const VecX& impulse_bar) const {
  const MatX& J = factors_.J;
  const MatX& Minv = factors_.inverse_mass;
  const long n = f_.size();
  VecX f_bar = f_bar_in.size() > 0 ? f_bar_in : VecX(VecX::Zero(n));
  if (impulse_bar.size() > 0) f_bar += J * impulse_bar;

  // x̄ = Pᵀ f̄,  v̄ = −K^#ᵀ x̄ on the free rows.
  VecX x_bar = f_bar;
  for (int t = 0; t < n; ++t) {
    if (slope_per_mu_[t] != 0) x_bar[normal_[t]] += slope_[t] * f_bar[t];
  }
  const VecX v_bar = -solve(x_bar, true);
  const VecX w_bar = J.transpose() * v_bar;
  const VecX g_bar = Minv.transpose() * w_bar;

  ContactDirection grad;
  grad.J = v_bar * w_.transpose() + f_ * g_bar.transpose();
  if (impulse_bar.size() > 0) grad.J += f_ * impulse_bar.transpose();
  grad.inverse_mass = w_bar * g_.transpose();
  grad.u = w_bar;
  grad.bias = v_bar;
  const VecX df_bar = f_bar + J * g_bar;
  grad.mu = VecX::Zero(n);
  for (int t = 0; t < n; ++t) {
    if (slope_per_mu_[t] != 0) grad.mu[t] = slope_per_mu_[t] * f_[normal_[t]] * df_bar[t];
  }
  return grad;
}

}  // namespace jade
