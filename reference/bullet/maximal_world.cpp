#include <cmath>

#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>

#include "reference/bullet/bullet_scene.h"

namespace jade::reference {
namespace {

/// A right-handed frame whose column `column` is the given direction.
Mat3 frame_along(const Vec3& direction, int column) {
  const Vec3 z = direction.normalized();
  const Vec3 x = z.unitOrthogonal();
  Mat3 R;
  R.col(column) = z;
  R.col((column + 1) % 3) = x;
  R.col((column + 2) % 3) = z.cross(x);
  return R;
}

/// Every body a btRigidBody, every joint a constraint between two of them.
class MaximalWorld : public World {
 public:
  explicit MaximalWorld(const RunRequest& request)
      : engine_(request.engine), h_(request.time_step), bullet_(request), dispatcher_(&configuration_) {
    if (engine_ == "bullet:dantzig") {
      solver_ = std::make_unique<btMLCPSolver>(&dantzig_);
    } else {
      solver_ = std::make_unique<btSequentialImpulseConstraintSolver>();
    }
    world_ =
        std::make_unique<btDiscreteDynamicsWorld>(&dispatcher_, &broadphase_, solver_.get(), &configuration_);
    BulletScene::fill_manifolds(configuration_);
    bullet_.furnish(*world_);
    // The MLCP solver takes each island as one problem.
    if (engine_ == "bullet:dantzig") world_->getSolverInfo().m_minimumSolverBatchSize = 1;
    joints_ = initial_joints(bullet_.scene());
    const int n = static_cast<int>(bullet_.bodies().size());
    rigid_.resize(n);
    for (int i = 0; i < n; ++i) {
      if (!bullet_.bodies()[i].fixed) add_body(i);
    }
    for (int i = 0; i < n; ++i) {
      if (!bullet_.bodies()[i].fixed) add_joint(i);
    }
  }

  ~MaximalWorld() override {
    for (const auto& constraint : constraints_) world_->removeConstraint(constraint.get());
  }

  EngineInfo info() const override {
    EngineInfo info{engine_, bullet_version(), Scheme::semi_implicit_euler, bullet_.settings()};
    info.settings.emplace_back("solver",
                               engine_ == "bullet:dantzig" ? "MLCP, Dantzig" : "sequential impulses");
    info.settings.emplace_back("coordinates", "maximal");
    info.settings.emplace_back("gyroscopic term", "implicit, body axes (Bullet's default)");
    return info;
  }

  void step() override {
    if (has_efforts_) apply_efforts();
    world_->stepSimulation(h_, 0);
    ++steps_;
  }

  Frame frame() const override {
    Frame frame;
    for (std::size_t i = 0; i < rigid_.size(); ++i) {
      if (rigid_[i] == nullptr) {
        frame.bodies.push_back(bullet_.start()[i]);
        continue;
      }
      const btRigidBody& body = *rigid_[i];
      frame.bodies.push_back(bullet_.state_of(static_cast<int>(i), from_bullet(body.getWorldTransform()),
                                              from_bullet(body.getLinearVelocity()),
                                              from_bullet(body.getAngularVelocity())));
    }
    return frame;
  }

 private:
  void add_body(int i) {
    const BulletBody& b = bullet_.bodies()[i];
    const BodyState& start = bullet_.start()[i];
    btRigidBody::btRigidBodyConstructionInfo info(b.mass, nullptr, bullet_.moving_shape(i),
                                                  to_bullet(b.inertia));
    info.m_startWorldTransform = to_bullet(pose_of(start) * b.X_BC);
    rigid_[i] = std::make_unique<btRigidBody>(info);
    rigid_[i]->setDamping(0, 0);
    rigid_[i]->setLinearVelocity(to_bullet(start.velocity));
    rigid_[i]->setAngularVelocity(to_bullet(start.angular_velocity));
    bullet_.tag(*rigid_[i], i);
    world_->addRigidBody(rigid_[i].get());
  }

  /// Frame of the joint in the body it hangs on: a rigid body about its C, or the world.
  Transform frame_in_parent(int parent, const Transform& X_PJ) const {
    if (parent < 0) return X_PJ;
    if (bullet_.bodies()[parent].fixed) return pose_of(bullet_.start()[parent]) * X_PJ;
    return bullet_.bodies()[parent].X_BC.inverse() * X_PJ;
  }

  void add_joint(int i) {
    const JointDescription& joint = bullet_.scene().bodies[i].joint;
    const std::string& name = bullet_.scene().bodies[i].name;
    for (const std::vector<double>* limits : {&joint.lower, &joint.upper}) {
      for (const double limit : *limits) {
        if (std::isfinite(limit))
          throw NotApplicable("position limits of \"" + name + "\" in maximal coordinates");
      }
    }
    const auto any = [](const std::vector<double>& list) {
      return std::any_of(list.begin(), list.end(), [](double x) { return x != 0; });
    };
    if (any(joint.damping) || any(joint.stiffness) || !joint.effort.empty()) has_efforts_ = true;
    if (joint.kind == JointKind::free) return;

    const int parent = parent_of(bullet_.scene(), i);
    const bool on_world = parent < 0 || bullet_.bodies()[parent].fixed;
    btRigidBody& a = on_world ? btTypedConstraint::getFixedBody() : *rigid_[parent];
    btRigidBody& b = *rigid_[i];
    const Transform in_a = frame_in_parent(parent, pose_of(joint.X_PJ));
    const Transform in_b = bullet_.bodies()[i].X_BC.inverse() * pose_of(joint.X_BK);
    const auto turned = [](const Transform& X, const Mat3& R) {
      return to_bullet(X * Transform{R, Vec3::Zero()});
    };
    switch (joint.kind) {
      case JointKind::revolute: {
        const Mat3 R = frame_along(joint.axis, 2);
        add(std::make_unique<btHingeConstraint>(a, b, turned(in_a, R), turned(in_b, R)));
        return;
      }
      case JointKind::ball:
        add(std::make_unique<btPoint2PointConstraint>(a, b, to_bullet(in_a.p), to_bullet(in_b.p)));
        return;
      case JointKind::fixed:
        add(std::make_unique<btFixedConstraint>(a, b, to_bullet(in_a), to_bullet(in_b)));
        return;
      case JointKind::prismatic: {
        const Mat3 R = frame_along(joint.axis, 0);
        auto constraint =
            std::make_unique<btGeneric6DofSpring2Constraint>(a, b, turned(in_a, R), turned(in_b, R));
        lock_all_but(*constraint, {0});
        add(std::move(constraint));
        return;
      }
      case JointKind::planar: {
        Mat3 R;
        R.col(0) = joint.axis.normalized();
        R.col(2) = joint.axis.cross(joint.second_axis).normalized();
        R.col(1) = R.col(2).cross(R.col(0));
        auto constraint =
            std::make_unique<btGeneric6DofSpring2Constraint>(a, b, turned(in_a, R), turned(in_b, R));
        lock_all_but(*constraint, {0, 1, 5});
        add(std::move(constraint));
        return;
      }
      case JointKind::screw:
        throw NotApplicable("Bullet has no screw joint (\"" + name + "\")");
      case JointKind::universal:
        throw NotApplicable("Bullet's universal joint stops at a quarter turn (\"" + name + "\")");
      case JointKind::free:
        return;
    }
  }

  static void lock_all_but(btGeneric6DofSpring2Constraint& constraint, std::initializer_list<int> free_axes) {
    for (int axis = 0; axis < 6; ++axis) constraint.setLimit(axis, 0, 0);
    for (const int axis : free_axes) constraint.setLimit(axis, 1, -1);  // lower above upper: free
  }

  void add(std::unique_ptr<btTypedConstraint> constraint) {
    world_->addConstraint(constraint.get(), true);
    constraints_.push_back(std::move(constraint));
  }

  /// Springs, dampers and signals as forces on both bodies of a joint.
  void apply_efforts() {
    const Frame now = frame();
    const double t = (steps_ + 0.5) * h_;
    for (std::size_t k = 0; k < rigid_.size(); ++k) {
      const int i = static_cast<int>(k);
      const JointDescription& joint = bullet_.scene().bodies[i].joint;
      if (rigid_[i] == nullptr || !has_efforts(joint)) continue;
      if (joint.kind == JointKind::free) {
        const FreeEffort effort = free_effort(joint, joints_[i], rigid_[i]->getLinearVelocity(),
                                              rigid_[i]->getAngularVelocity(), t);
        rigid_[i]->applyCentralForce(effort.force);
        rigid_[i]->applyTorque(effort.torque);
      } else if (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic) {
        apply_axis_effort(i, now, t);
      } else {
        bullet_.refuse_efforts(i);
      }
    }
  }

  void apply_axis_effort(int i, const Frame& now, double t) {
    const JointDescription& joint = bullet_.scene().bodies[i].joint;
    const int parent = parent_of(bullet_.scene(), i);
    btRigidBody* other = parent >= 0 ? rigid_[parent].get() : nullptr;
    const JointFrames frames = joint_frames(bullet_.scene(), now.bodies, i);
    const Vec3 axis = frames.X_WJ.R * joint.axis.normalized();
    const btVector3 point = to_bullet(frames.X_WK.p);
    const btVector3 at = point - rigid_[i]->getCenterOfMassPosition();
    const btVector3 at_other =
        other != nullptr ? point - other->getCenterOfMassPosition() : btVector3(0, 0, 0);

    // The coordinate follows its own turns: a revolute one may pass π.
    const bool turns = joint.kind == JointKind::revolute;
    const double measured = joint_coordinate(bullet_.scene(), now.bodies, i);
    double& q = joints_[i].q[0];
    q = turns ? q + std::remainder(measured - q, 2 * SIMD_PI) : measured;
    btVector3 rate = turns ? rigid_[i]->getAngularVelocity() : rigid_[i]->getVelocityInLocalPoint(at);
    if (other != nullptr)
      rate -= turns ? other->getAngularVelocity() : other->getVelocityInLocalPoint(at_other);
    joints_[i].v[0] = axis.dot(from_bullet(rate));

    const btVector3 effort = to_bullet(axis * joint_effort(joint, joints_[i], t)[0]);
    if (turns) {
      rigid_[i]->applyTorque(effort);
      if (other != nullptr) other->applyTorque(-effort);
    } else {
      rigid_[i]->applyForce(effort, at);
      if (other != nullptr) other->applyForce(-effort, at_other);
    }
  }

  std::string engine_;
  double h_;
  long steps_ = 0;
  bool has_efforts_ = false;
  BulletScene bullet_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btDantzigSolver dantzig_;
  std::unique_ptr<btConstraintSolver> solver_;
  std::vector<JointState> joints_;
  std::vector<std::unique_ptr<btRigidBody>> rigid_;
  std::vector<std::unique_ptr<btTypedConstraint>> constraints_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;  // last: it lets go of bodies and constraints first
};

}  // namespace

std::unique_ptr<World> make_maximal_world(const RunRequest& request) {
  return std::make_unique<MaximalWorld>(request);
}

}  // namespace jade::reference
