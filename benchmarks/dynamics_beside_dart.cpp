/// Articulated dynamics beside DART.

#include <array>

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
  const auto skeleton = dart::dynamics::Skeleton::create(scene.name);
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

void compare_with_dart(const SceneDescription& scene, const TimingSettings& settings,
                       std::vector<ComparisonResult>& results) {
  JadeDynamics ours(scene);
  const auto skeleton = skeleton_of(scene);
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
