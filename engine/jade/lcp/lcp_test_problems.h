#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "jade/lcp/lcp_problem.h"

namespace jade::lcp_test {

/// A rigid body on planes: one row of J for each direction at a point, body at the origin.
struct BodyProblem {
  std::vector<Eigen::Matrix<double, 1, 6>> J;
  std::vector<LcpRow> rows;

  void add_contact(const Vec3& point, const Vec3& normal, double mu, const Vec3& t1, const Vec3& t2) {
    const int n = static_cast<int>(rows.size());
    add_row(point, normal, {.kind = RowKind::normal});
    add_row(point, t1, {.kind = RowKind::tangent, .normal = n, .mu = mu});
    add_row(point, t2, {.kind = RowKind::tangent, .normal = n, .mu = mu});
  }
  void add_row(const Vec3& point, const Vec3& direction, const LcpRow& row) {
    J.emplace_back();
    J.back() << direction.transpose(), point.cross(direction).transpose();
    rows.push_back(row);
  }
  LcpProblem problem(double mass, const Vec3& inertia, const Vec6& u) const {
    ContactFactors factors;
    factors.J.resize(static_cast<int>(J.size()), 6);
    for (std::size_t i = 0; i < J.size(); ++i) factors.J.row(static_cast<int>(i)) = J[i];
    factors.inverse_mass = MatX::Zero(6, 6);
    factors.inverse_mass.diagonal() << Vec3::Constant(1 / mass), inertia.cwiseInverse();
    factors.u = u;
    return make_contact_problem(factors, rows);
  }
};

/// A unit cube of mass 1 on the plane under its four corners, u its velocity before contact forces.
inline LcpProblem cube_on_plane(double mu, const Vec6& u) {
  BodyProblem body;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      body.add_contact({x, y, -0.5}, Vec3::UnitZ(), mu, Vec3::UnitX(), Vec3::UnitY());
    }
  }
  return body.problem(1, Vec3::Constant(1.0 / 6), u);
}

/// Gaussian J of the given shape, unit mass.
inline LcpProblem random_contacts(int contacts, int nv, double mu, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  ContactFactors factors{MatX(3 * contacts, nv), MatX::Identity(nv, nv), VecX(nv), VecX::Zero(3 * contacts)};
  for (double& x : factors.J.reshaped()) x = normal(random);
  for (double& x : factors.u) x = normal(random);
  std::vector<LcpRow> rows;
  for (int c = 0; c < contacts; ++c) {
    rows.push_back({.kind = RowKind::normal});
    for (int k = 0; k < 2; ++k) rows.push_back({.kind = RowKind::tangent, .normal = 3 * c, .mu = mu});
  }
  return make_contact_problem(factors, rows);
}

/// The problem with row i at place order[i].
inline LcpProblem permuted(const LcpProblem& p, const std::vector<int>& order) {
  LcpProblem q = p;
  for (int i = 0; i < p.size(); ++i) {
    q.b[order[i]] = p.b[i];
    q.beta[order[i]] = p.beta[i];
    q.rows[order[i]] = p.rows[i];
    if (p.rows[i].normal >= 0) q.rows[order[i]].normal = order[p.rows[i].normal];
    for (int j = 0; j < p.size(); ++j) q.A(order[i], order[j]) = p.A(i, j);
    if (p.factors) q.factors->J.row(order[i]) = p.factors->J.row(i);
  }
  return q;
}

inline LcpProblem plain(const MatX& M, const VecX& q) {
  LcpProblem p;
  p.form = LcpForm::plain;
  p.A = M;
  p.b = q;
  return p;
}

}  // namespace jade::lcp_test
