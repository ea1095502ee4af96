/// Articulated dynamics beside DART.

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <fmt/core.h>

#include "jade_dynamics.h"
#include "mechanisms.h"

namespace jade::benchmarks {
namespace {

/// The benchmark mechanisms hang on hinges, and their root on one or on a free joint.
dart::dynamics::SkeletonPtr skeleton_of(const SceneDescription& scene) {
  const dart::dynamics::SkeletonPtr skeleton = dart::dynamics::Skeleton::create(scene.name);
  for (const BodyDescription& body : scene.bodies) {
    dart::dynamics::BodyNode* parent =
        body.joint.parent.empty() ? nullptr : skeleton->getBodyNode(body.joint.parent);
    dart::dynamics::BodyNode* node = nullptr;
    if (body.joint.kind == JointKind::revolute) {
      const auto [joint, added] = skeleton->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(parent);
      joint->setAxis(body.joint.axis);
      Eigen::Isometry3d placed = Eigen::Isometry3d::Identity();
      placed.translation() = body.joint.X_PJ.position;
      joint->setTransformFromParentBodyNode(placed);
      node = added;
    } else {
      node = skeleton->createJointAndBodyNodePair<dart::dynamics::FreeJoint>(parent).second;
    }
    node->setName(body.name);
    node->getParentJoint()->setName(body.name);
    node->setInertia({body.inertia->mass, body.inertia->com, body.inertia->inertia});
  }
  return skeleton;
}

/// A time counts only beside one that computes the same thing: accelerations of all hinges, from the same positions,
/// velocities and efforts. A free root is left without velocity and effort, where both engines' coordinates of it mean
/// the same motion.
void require_same_accelerations(const SceneDescription& scene, dart::dynamics::Skeleton& skeleton) {
  constexpr double kRounding = 1e-9;  // of the largest acceleration; conditioning of 100 links in a row
  JadeDynamics ours(scene);
  VecX q = VecX::Zero(ours.model.nv()), v = q, force = q;
  ours.state.v.setZero();
  const bool free_root = ours.model.joints()[0].kind == JointKind::free;
  const auto coordinate = [&](const Joint& joint) {
    return static_cast<Eigen::Index>(skeleton.getJoint(joint.name)->getIndexInSkeleton(0));
  };
  for (const Joint& joint : ours.model.joints()) {
    if (joint.nv != 1) continue;
    ours.state.q[joint.q] = q[coordinate(joint)] = 0.3 + 0.01 * joint.v;
    ours.state.v[joint.v] = v[coordinate(joint)] = free_root ? 0 : 0.5;
    ours.effort[joint.v] = force[coordinate(joint)] = 0.7;
  }
  if (free_root) ours.effort.head(ours.model.joints()[0].nv).setZero();
  skeleton.setGravity(scene.gravity);
  skeleton.setPositions(q);
  skeleton.setVelocities(v);
  skeleton.setForces(force);
  skeleton.computeForwardDynamics();
  ours.forward();
  const VecX theirs = skeleton.getAccelerations();
  double worst = 0;
  for (const Joint& joint : ours.model.joints())
    if (joint.nv == 1) worst = std::max(worst, std::abs(ours.result[joint.v] - theirs[coordinate(joint)]));
  if (!(worst <= kRounding * theirs.lpNorm<Eigen::Infinity>()))
    throw std::runtime_error(
        fmt::format("{}: accelerations differ from DART's by {:.3g}", scene.name, worst));
}

void compare_with_dart(const SceneDescription& scene, const TimingSettings& settings,
                       std::vector<ComparisonResult>& results) {
  JadeDynamics ours(scene);
  const auto skeleton = skeleton_of(scene);
  require_same_accelerations(scene, *skeleton);
  const int n = ours.model.nv();
  const VecX v = VecX::Constant(n, 0.5), force = ours.effort;
  // Positions alternate between two: DART keeps everything that it has computed for positions set again.
  const std::array<VecX, 2> q{VecX::Constant(n, 0.3), VecX::Constant(n, 0.31)};
  std::size_t turn = 0;
  const auto move = [&] {
    turn = 1 - turn;
    skeleton->setPositions(q[turn]);
    skeleton->setVelocities(v);
  };

  Comparison forward(scene.name + ", forward dynamics", settings);
  forward.add("jade", [&] { ours.forward(); });
  forward.add("dart computeForwardDynamics", [&] {
    move();
    skeleton->setForces(force);
    skeleton->computeForwardDynamics();
  });
  results.push_back(forward.run());

  Comparison inverse(scene.name + ", inverse dynamics", settings);
  inverse.add("jade", [&] { ours.inverse(); });
  inverse.add("dart computeInverseDynamics", [&] {
    move();
    skeleton->setAccelerations(force);
    skeleton->computeInverseDynamics();
  });
  results.push_back(inverse.run());

  Comparison mass(scene.name + ", mass matrix", settings);
  mass.add("jade", [&] { ours.mass_matrix(); });
  mass.add("dart getMassMatrix", [&] {
    move();
    skeleton->getMassMatrix();
  });
  results.push_back(mass.run());
}

std::vector<ComparisonResult> measure(const TimingSettings& settings) {
  std::vector<ComparisonResult> results;
  for (const SceneDescription& scene : {arm(), humanoid(), chain(100)}) {
    fmt::print(stderr, "measuring: {}\n", scene.name);
    compare_with_dart(scene, settings, results);
  }
  return results;
}

}  // namespace
}  // namespace jade::benchmarks

int main(int argc, char** argv) {
  return jade::benchmarks::benchmark_main(argc, argv, "Articulated dynamics beside DART",
                                          jade::benchmarks::measure);
}
