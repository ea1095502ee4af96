#include "jade/stepping/midpoint.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"

namespace jade {
namespace {

// Beyond this turn in a step the midpoint rule's own error is some percent and Newton's method may take a wrong root. No round
// number, so that rounding does not decide on the number of parts where rates and steps are.
constexpr double kLargestTurn = 0.50037;
// Something that turns faster than this a step is lost already; the cut is bounded so that the step returns.
constexpr int kMostParts = 10000;
// A kept Newton matrix that does not gain a digit an iteration is made anew; ten new ones are more than enough.
constexpr double kGoodContraction = 0.1;
constexpr int kMostIterations = 40;

double fastest_turn(const DynamicsWorkspace& dynamics) {
  double fastest = 0;
  for (const Vec6& V : dynamics.V) fastest = std::max(fastest, V.head<3>().squaredNorm());
  return std::sqrt(fastest);
}

/// −r(a), zero for prescribed coordinates.
void set_residual(const Model& model, const State& state, const Controls& controls, double h,
                  PropagateWorkspace& work) {
  work.v_m = state.v + (0.5 * h) * work.a;
  update_velocities(model, work.v_m, work.dynamics);
  rnea(model, work.a, work.dynamics, work.tau);
  work.residual = controls.effort + work.rotation - work.tau;
  for (int k = 0; k < model.nv(); ++k) {
    if (model.prescribed(k)) {
      work.residual[k] = 0;
      continue;
    }
    const int position = model.velocity_position()[k];
    work.residual[k] -= model.damping()[k] * state.v[k] + implicit_damping(model, k, h).value * work.a[k];
    if (position < 0) continue;
    const double mean = work.q_m[position] + 0.25 * h * h * work.a[k];
    work.residual[k] -= model.stiffness()[k] * (mean - model.rest_position()[k]);
  }
}

}  // namespace

ImplicitDamping implicit_damping(const Model& model, int velocity, double h) {
  const double d = model.damping()[velocity], stiff = h * d - model.least_inertia()[velocity];
  if (stiff > 0.5 * h * d) return {stiff, d, h};
  return {0.5 * h * d, 0.5 * d, 0.5 * h};
}

void update_midpoint(const Model& model, const State& state, double h, PropagateWorkspace& work) {
  work.displacement = (0.5 * h) * state.v;
  integrate(model, state.q, work.displacement, work.q_m);
  update_positions(model, work.q_m, work.dynamics);
  update_velocities(model, state.v, work.dynamics);
}

void for_single_bodies(const Model& model, const State& state, double h, const DynamicsWorkspace& at_middle,
                       const std::function<void(int, const FreeRotation&)>& use) {
  for (const Tree& tree : model.trees()) {
    const Link& link = model.links()[tree.first];
    if (tree.end != tree.first + 1 || link.motion != LinkMotion::free) continue;
    use(link.v + 3, free_rotation(at_middle, tree.first, state.v.segment<3>(link.v + 3), h));
  }
}

int midpoint_parts(const Model& model, const State& state, double h, PropagateWorkspace& work) {
  update_midpoint(model, state, h, work);
  const double parts = std::ceil(h * fastest_turn(work.dynamics) / kLargestTurn);
  return std::max(1, static_cast<int>(std::min<double>(parts, kMostParts)));
}

bool factor_midpoint(const Model& model, double h, PropagateWorkspace& work) {
  const int nv = model.nv();
  rnea_derivatives(model, work.dynamics, work.derivative, work.jacobian);
  work.B = work.jacobian.input() + (0.5 * h) * work.jacobian.v();
  for (int k = 0; k < nv; ++k)
    work.B(k, k) += implicit_damping(model, k, h).value + 0.25 * h * h * model.stiffness()[k];
  return work.factorization.factor(model, work.B);
}

void midpoint_step(const Model& model, const State& state, const Controls& controls, double h,
                   PropagateWorkspace& work, State& next, PropagateReport& report) {
  work.a.setZero();
  work.rotation.setZero();
  for_single_bodies(model, state, h, work.dynamics, [&](int spin, const FreeRotation& rotation) {
    work.rotation.segment<3>(spin) = rotation.moment();
  });
  for (const Link& link : model.links())
    if (link.prescribed) work.a[link.v] = controls.acceleration[link.v];

  double last_change = std::numeric_limits<double>::infinity();
  bool renew = true;
  for (int iteration = 0;; ++iteration) {
    set_residual(model, state, controls, h, work);
    ++report.iterations;
    if (renew && !factor_midpoint(model, h, work)) report.converged = false;
    work.factorization.solve(model, work.residual);
    work.a += work.residual;

    // Stop at rounding: the change no longer matters to the velocity, or is small and no longer falls.
    const double change = h * work.residual.lpNorm<Eigen::Infinity>();
    const double size = state.v.lpNorm<Eigen::Infinity>() + h * work.a.lpNorm<Eigen::Infinity>();
    if (change <= 1e-15 * size || (change <= 1e-12 * size && change >= 0.5 * last_change)) break;
    if (iteration == kMostIterations || !std::isfinite(change)) {
      report.converged = false;
      break;
    }
    renew = iteration > 0 && change > kGoodContraction * last_change;
    last_change = change;
  }
  work.v_m = state.v + (0.5 * h) * work.a;
  work.displacement = h * work.v_m;
  integrate(model, state.q, work.displacement, next.q);
  next.v = state.v + h * work.a;
}

}  // namespace jade
