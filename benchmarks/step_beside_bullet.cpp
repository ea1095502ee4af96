/// Steps beside Bullet in double precision, with the settings that it comes with.

#ifndef BT_USE_DOUBLE_PRECISION
#error "build against bullet-float64 with BT_USE_DOUBLE_PRECISION"
#endif
#include "reference/bullet/bullet_scene.h"
#include "step_contest.h"

namespace jade::benchmarks {
namespace {

using reference::BodyMass;
using reference::BodyState;
using reference::from_bullet;
using reference::to_bullet;

/// Free boxes among fixed boxes and half-spaces as Bullet's own examples would set them up; only sleeping is off.
class PlainBullet final : public reference::World {
 public:
  PlainBullet(const StepScene& scene, int iterations)
      : scene_(scene), masses_(reference::body_masses(scene.scene)), dispatcher_(&configuration_) {
    world_ = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher_, &broadphase_, &solver_, &configuration_);
    world_->setGravity(to_bullet(scene.scene.gravity));
    world_->getSolverInfo().m_numIterations = iterations;
    const auto start = reference::body_states(scene.scene, masses_, reference::initial_joints(scene.scene));
    for (std::size_t i = 0; i < start.size(); ++i) add(i, start[i]);
  }

  reference::EngineInfo info() const override { return {.engine = "bullet"}; }
  void step() override { world_->stepSimulation(scene_.time_step, 0); }

  reference::Frame frame() const override {
    reference::Frame frame;
    for (const auto& body : bodies_) {
      const Transform X = from_bullet(body->getWorldTransform());
      frame.bodies.push_back(
          {X.p, Quat(X.R), from_bullet(body->getLinearVelocity()), from_bullet(body->getAngularVelocity())});
    }
    return frame;
  }

 private:
  void add(std::size_t i, const BodyState& start) {
    const BodyDescription& described = scene_.scene.bodies[i];
    const Shape& shape = described.shapes.at(0).geometry;
    if (const auto* box = std::get_if<Box>(&shape))
      shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(box->size / 2)));
    else
      shapes_.push_back(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), 0));
    const bool fixed = described.joint.kind == JointKind::fixed;
    const double mass = fixed ? 0 : masses_[i].mass;
    const btVector3 inertia = fixed ? btVector3(0, 0, 0) : to_bullet(Vec3(masses_[i].inertia.diagonal()));
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
    info.m_startWorldTransform = to_bullet(reference::pose_of(start));
    // Bullet multiplies the coefficients of both bodies.
    info.m_friction = std::sqrt(scene_.scene.pairs[0].friction);
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setLinearVelocity(to_bullet(start.velocity));
    bodies_.back()->setAngularVelocity(to_bullet(start.angular_velocity));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_->addRigidBody(bodies_.back().get());
  }

  const StepScene& scene_;
  std::vector<BodyMass> masses_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
};

/// Chains of hinges go into reduced coordinates.
std::unique_ptr<reference::World> make_bullet(const StepScene& scene, int iterations) {
  for (const BodyDescription& body : scene.scene.bodies)
    if (body.joint.kind == JointKind::revolute)
      return reference::make_multibody_world({.engine = "bullet:multibody",
                                              .scene = scene.scene,
                                              .time_step = scene.time_step,
                                              .settings = {{"iterations", std::to_string(iterations)}}});
  return std::make_unique<PlainBullet>(scene, iterations);
}

}  // namespace
}  // namespace jade::benchmarks

int main(int argc, char** argv) {
  using namespace jade::benchmarks;
  return step_benchmark_main(
      argc, argv, "Steps beside Bullet, double precision",
      {"Bullet as it comes, sleeping off; 10 iterations are its default. The arm: btMultiBody."},
      {{"bullet, 10 iterations", [](const StepScene& scene) { return make_bullet(scene, 10); }},
       {"bullet, 200 iterations", [](const StepScene& scene) { return make_bullet(scene, 200); }}});
}
