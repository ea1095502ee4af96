#include "jade/stepping/free_rotation.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "jade/dynamics/energy.h"
#include "jade/dynamics/kinematics.h"
#include "jade/math/differences.h"
#include "jade/math/rotation.h"
#include "jade/stepping/propagate.h"

namespace jade {
namespace {

Mat3 turned(const Vec3& principal, const Vec3& by) {
  const Mat3 R = rotation_exp(by);
  return R * principal.asDiagonal() * R.transpose();
}

const Mat3 kInertia = turned({1, 2, 2.5}, {0.3, -0.7, 1.1});
const Vec3 kSpin(3, -5, 2);
constexpr double kLength = 0.07;

/// A body that tumbles without gravity, by half a radian a step.
Model tumbling(const Vec3& principal, const Vec3& com) {
  SceneDescription scene;
  scene.gravity.setZero();
  scene.bodies.resize(1);
  scene.bodies[0].name = "body";
  scene.bodies[0].joint.kind = JointKind::free;
  scene.bodies[0].joint.velocity = {0, 0, 0, 0.6, 0.5, 0.6};
  scene.bodies[0].inertia = {2, com, principal.asDiagonal()};
  return build_model(scene);
}

struct Tumble {
  double momentum = 0;            ///< largest change, of the whole
  double least = 1, largest = 1;  ///< energy, of that at the start
};

Tumble tumble(const Model& model, int steps) {
  Tumble out;
  PropagateWorkspace work(model);
  State state = initial_state(model), next = state;
  const Vec3 L = momentum(model, state).angular;
  const double E = kinetic_energy(model, state);
  const Controls controls = controls_at(model, 0, 0.5);
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(propagate(model, state, controls, 0.5, Integrator::midpoint, work, next).converged);
    std::swap(state, next);
    out.momentum = std::max(out.momentum, (momentum(model, state).angular - L).norm() / L.norm());
    out.least = std::min(out.least, kinetic_energy(model, state) / E);
    out.largest = std::max(out.largest, kinetic_energy(model, state) / E);
  }
  return out;
}

TEST(FreeRotation, KeepsMomentumAndDoesNotDriftInEnergy) {
  // A thousand turns by half a radian. Rounding of each is 1e-16 of the momentum; energy wobbles by the square of the turn.
  for (const Vec3& principal : {Vec3(1, 2, 2.5), Vec3(0.1, 1, 1.05), Vec3(1, 1.2, 2.1)}) {
    const Model model = tumbling(principal, Vec3::Zero());
    const Tumble first = tumble(model, 100), all = tumble(model, 1000);
    EXPECT_LT(all.momentum, 1e-12);
    EXPECT_GT(all.least, 0.96);
    EXPECT_LT(all.largest, 1.02);
    // Ten times as long: what drifts would be ten times as far.
    EXPECT_LT(all.largest - all.least, 1.5 * (first.largest - first.least));
  }
}

TEST(FreeRotation, KeepsTheEnergyOfASymmetricTopToRounding) {
  for (const Vec3& principal : {Vec3(1, 1, 1.9), Vec3(1, 1, 0.1)}) {
    const Tumble all = tumble(tumbling(principal, Vec3::Zero()), 1000);
    EXPECT_LT(all.momentum, 1e-12);
    EXPECT_GT(all.least, 1 - 1e-12);
    EXPECT_LT(all.largest, 1 + 1e-12);
  }
}

TEST(FreeRotation, IsAboutTheCentreOfMassWhereverTheReferenceIs) {
  // Parameters of a built model put the centre of mass elsewhere than the point its coordinates are about.
  const Model model = tumbling({1, 2, 2.5}, Vec3::Zero());
  const ParameterValue moved[] = {{{ParameterKind::inertia, 0, 1}, 0.3}};
  const Tumble all = tumble(model.with(moved), 300);
  EXPECT_GT(all.least, 0.96);
  EXPECT_LT(all.largest, 1.02);
}

TEST(FreeRotation, HasNoMomentWhereNothingIsLacking) {
  EXPECT_EQ(FreeRotation(kInertia, Vec3::Zero(), kLength).moment(), Vec3::Zero());
  EXPECT_EQ(FreeRotation(2 * Mat3::Identity(), kSpin, kLength).moment(), Vec3::Zero());
  // About a principal axis nothing but rounding.
  EXPECT_LT(FreeRotation(Vec3(1, 2, 2.5).asDiagonal(), 5 * Vec3::UnitY(), kLength).moment().norm(), 1e-13);
}

/// Against differences of the moment itself, which no derivative has part in.
TEST(FreeRotation, HasTheDerivativesOfItsMoment) {
  const FreeRotation rotation(kInertia, kSpin, kLength);
  const FreeRotation::Derivatives by = rotation.derivatives();
  const double tolerance = 1e-9 * by.by_spin.norm();
  const Vec3 d(0.4, 0.5, -0.6);
  const auto check = [&](const auto& moment, const Vec3& analytic, double size) {
    const Derivative measured = ridders_derivative([&](double t) -> VecX { return moment(t); });
    EXPECT_LT(measured.error, size * tolerance);
    EXPECT_LT((measured.value - analytic).norm(), size * tolerance);
    EXPECT_GT(analytic.norm(), 100 * size * tolerance);
  };
  check([&](double t) { return FreeRotation(kInertia, kSpin + t * d, kLength).moment(); }, by.by_spin * d, 1);
  check(
      [&](double t) {
        const Mat3 R = rotation_exp(t * d);
        return FreeRotation(R * kInertia * R.transpose(), kSpin, kLength).moment();
      },
      by.by_rotation * d, 10);
  check([&](double t) { return FreeRotation(kInertia, kSpin, kLength * (1 + t)).moment(); },
        by.by_length * kLength, 10);
  const Mat3 dJ = turned({0.1, 0.2, -0.3}, {1, 0.2, 0.4});
  for (const Mat3& J : {kInertia, Mat3(2 * Mat3::Identity())})
    check([&](double t) { return FreeRotation(J + t * dJ, kSpin, kLength).moment(); },
          FreeRotation(J, kSpin, kLength).by_inertia(dJ), 1);
}

TEST(FreeRotation, KnowsTheCentralInertiaOfChangedNumbers) {
  const SpatialInertia link{2, {0.3, -0.4, 0.5}, turned({1, 2, 2.5}, {0.1, 0.2, 0.3})};
  SpatialInertia change{0.3, {0.1, 0.2, -0.1}, turned({0.1, 0.2, 0.2}, {0.5, 0.1, 0})};
  const auto central = [&](double t) -> VecX {
    SpatialInertia sum = link;
    sum.mass += t * change.mass;
    sum.moment += t * change.moment;
    sum.inertia += t * change.inertia;
    const Vec3 com = sum.moment / sum.mass;
    return transformed({Mat3::Identity(), -com}, sum).inertia.reshaped();
  };
  const Derivative measured = ridders_derivative(central);
  EXPECT_LT((measured.value - VecX(central_inertia_change(link, change).reshaped())).norm(), 1e-11);
}

}  // namespace
}  // namespace jade
