#include "step_dart_world.h"

#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include "reference/scene_kinematics.h"

namespace jade::benchmarks {
namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::Skeleton;

Eigen::Isometry3d to_dart(const Transform& X) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.linear() = X.R;
  result.translation() = X.p;
  return result;
}

class DartWorld final : public reference::World {
 public:
  explicit DartWorld(const StepScene& scene)
      : scene_(scene.scene),
        masses_(reference::body_masses(scene_)),
        world_(dart::simulation::World::create()) {
    world_->setGravity(scene_.gravity);
    world_->setTimeStep(scene.time_step);
    world_->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    const auto start = reference::body_states(scene_, masses_, reference::initial_joints(scene_));
    for (std::size_t i = 0; i < start.size(); ++i) add(i, start[i]);
    for (const auto& skeleton : skeletons_) world_->addSkeleton(skeleton);
  }

  reference::EngineInfo info() const override { return {.engine = "dart"}; }
  void step() override { world_->step(); }

  reference::Frame frame() const override {
    reference::Frame frame;
    for (const BodyNode* node : nodes_) {
      const Eigen::Isometry3d& X = node->getWorldTransform();
      frame.bodies.push_back({X.translation(), Quat(X.linear())});
    }
    return frame;
  }

 private:
  void add(std::size_t i, const reference::BodyState& start) {
    const BodyDescription& body = scene_.bodies[i];
    const int parent = reference::parent_of(scene_, static_cast<int>(i));
    const auto skeleton = parent < 0 ? Skeleton::create(body.name) : nodes_[parent]->getSkeleton();
    BodyNode* const on = parent < 0 ? nullptr : nodes_[parent];
    if (parent < 0) skeletons_.push_back(skeleton);
    BodyNode* node = nullptr;
    if (body.joint.kind == JointKind::free) {
      const auto [joint, added] = skeleton->createJointAndBodyNodePair<dart::dynamics::FreeJoint>(on);
      joint->setRelativeTransform(to_dart(reference::pose_of(start)));
      joint->setLinearVelocity(start.velocity);
      node = added;
    } else if (body.joint.kind == JointKind::revolute) {
      const auto [joint, added] = skeleton->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(on);
      joint->setAxis(body.joint.axis);
      joint->setTransformFromParentBodyNode(to_dart(reference::pose_of(body.joint.X_PJ)));
      joint->setDampingCoefficient(0, body.joint.damping.at(0));
      joint->setSpringStiffness(0, body.joint.stiffness.at(0));
      node = added;
    } else {
      const auto [joint, added] = skeleton->createJointAndBodyNodePair<dart::dynamics::WeldJoint>(on);
      joint->setTransformFromParentBodyNode(to_dart(reference::pose_of(start)));
      skeleton->setMobile(false);
      node = added;
    }
    node->setName(body.name);
    node->getParentJoint()->setName(body.name);
    if (body.joint.kind != JointKind::fixed)
      node->setInertia({masses_[i].mass, masses_[i].com, masses_[i].inertia});
    for (const ShapeDescription& shape : body.shapes) add_shape(*node, shape);
    nodes_.push_back(node);
  }

  void add_shape(BodyNode& node, const ShapeDescription& described) const {
    dart::dynamics::ShapePtr shape;
    Transform X_BS = reference::pose_of(described.X_BS);
    if (const auto* box = std::get_if<Box>(&described.geometry)) {
      shape = std::make_shared<dart::dynamics::BoxShape>(box->size);
    } else if (const auto* ball = std::get_if<Sphere>(&described.geometry)) {
      shape = std::make_shared<dart::dynamics::SphereShape>(ball->radius);
    } else {
      shape = std::make_shared<dart::dynamics::BoxShape>(Vec3(40, 40, 2));
      X_BS.p.z() -= 1;
    }
    auto* const on =
        node.createShapeNodeWith<dart::dynamics::CollisionAspect, dart::dynamics::DynamicsAspect>(shape);
    on->setRelativeTransform(to_dart(X_BS));
    on->getDynamicsAspect()->setFrictionCoeff(scene_.pairs[0].friction);
  }

  const SceneDescription& scene_;
  std::vector<reference::BodyMass> masses_;
  dart::simulation::WorldPtr world_;
  std::vector<dart::dynamics::SkeletonPtr> skeletons_;
  std::vector<BodyNode*> nodes_;
};

}  // namespace

std::unique_ptr<reference::World> make_dart_world(const StepScene& scene) {
  return std::make_unique<DartWorld>(scene);
}

}  // namespace jade::benchmarks
