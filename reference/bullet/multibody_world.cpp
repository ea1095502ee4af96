#include <cmath>

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>

#include "jade/math/rotation.h"
#include "reference/bullet/bullet_scene.h"

namespace jade::reference {
namespace {

/// Every tree a btMultiBody: reduced coordinates, Featherstone's algorithm.
class MultibodyWorld : public World {
 public:
  explicit MultibodyWorld(const RunRequest& request)
      : h_(request.time_step),
        bullet_(request),
        dispatcher_(&configuration_),
        world_(std::make_unique<btMultiBodyDynamicsWorld>(&dispatcher_, &broadphase_, &solver_,
                                                          &configuration_)) {
    BulletScene::fill_manifolds(configuration_);
    bullet_.furnish(*world_);
    places_.resize(bullet_.bodies().size());
    joints_ = initial_joints(bullet_.scene());
    for (const int i : parents_first(bullet_.scene())) {
      const int parent = parent_of(bullet_.scene(), i);
      if (bullet_.bodies()[i].fixed) continue;
      if (parent < 0 || bullet_.bodies()[parent].fixed) add_tree(i);
    }
  }

  ~MultibodyWorld() override {
    for (const auto& limit : limits_) world_->removeMultiBodyConstraint(limit.get());
    for (const auto& tree : trees_) world_->removeMultiBody(tree.get());
    for (const auto& collider : colliders_) world_->removeCollisionObject(collider.get());
  }

  EngineInfo info() const override {
    EngineInfo info{"bullet:multibody", bullet_version(), Scheme::semi_implicit_euler, bullet_.settings()};
    info.settings.emplace_back("solver", "btMultiBodyConstraintSolver");
    info.settings.emplace_back("coordinates", "reduced");
    info.settings.emplace_back("gyroscopic term", "on");
    return info;
  }

  void step() override {
    for (std::size_t i = 0; i < places_.size(); ++i) apply_effort(static_cast<int>(i));
    world_->stepSimulation(h_, 0);
    ++steps_;
  }

  Frame frame() const override {
    Frame frame;
    frame.bodies = bullet_.start();
    frame.joints.resize(places_.size());
    std::vector<Motion> motions;
    for (const auto& tree : trees_) motions.push_back(motion_of(*tree));
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const Place& place = places_[k];
      if (place.tree < 0) continue;
      const btMultiBody& tree = *trees_[place.tree];
      const Transform X_WC = from_bullet(place.link < 0 ? tree.getBaseWorldTransform()
                                                        : tree.getLink(place.link).m_cachedWorldTransform);
      const Motion& motion = motions[place.tree];
      frame.bodies[k] =
          bullet_.state_of(static_cast<int>(k), X_WC, X_WC.R * from_bullet(motion.v[place.link + 1]),
                           X_WC.R * from_bullet(motion.w[place.link + 1]));
      if (place.link >= 0 && tree.getLink(place.link).m_dofCount == 1) {
        frame.joints[k] = {{tree.getJointPos(place.link)}, {tree.getJointVel(place.link)}};
      }
    }
    return frame;
  }

 private:
  /// Where a body of the scene is: link −1 is a tree's base; tree −1: the body is fixed to the world.
  struct Place {
    int tree = -1, link = -1;
  };
  /// Velocities of a tree's base and links, each in its own axes.
  struct Motion {
    std::vector<btVector3> w, v;
  };

  static Motion motion_of(btMultiBody& tree) {
    btAlignedObjectArray<btQuaternion> rotations;
    btAlignedObjectArray<btVector3> origins;
    tree.forwardKinematics(rotations, origins);
    Motion motion;
    motion.w.resize(tree.getNumLinks() + 1);
    motion.v.resize(tree.getNumLinks() + 1);
    tree.compTreeLinkVelocities(motion.w.data(), motion.v.data());
    return motion;
  }

  /// Bodies below `root`, itself included, parents first.
  std::vector<int> subtree(int root) const {
    std::vector<bool> inside(bullet_.bodies().size(), false);
    std::vector<int> members;
    for (const int i : parents_first(bullet_.scene())) {
      const int parent = parent_of(bullet_.scene(), i);
      if (i != root && (parent < 0 || !inside[parent])) continue;
      inside[i] = true;
      members.push_back(i);
    }
    return members;
  }

  void add_tree(int root) {
    const bool floating = bullet_.scene().bodies[root].joint.kind == JointKind::free;
    const std::vector<int> members = subtree(root);
    const BulletBody& base = bullet_.bodies()[root];
    const int links = static_cast<int>(members.size()) - (floating ? 1 : 0);
    trees_.push_back(std::make_unique<btMultiBody>(links, floating ? base.mass : 0.0,
                                                   floating ? to_bullet(base.inertia) : btVector3(0, 0, 0),
                                                   !floating, false));
    btMultiBody& tree = *trees_.back();
    const int tree_index = static_cast<int>(trees_.size()) - 1;
    int next_link = 0;
    for (const int i : members) {
      places_[i] = {tree_index, floating && i == root ? -1 : next_link++};
      if (places_[i].link >= 0) set_up_link(tree, i);
    }
    tree.finalizeMultiDof();
    tree.setLinearDamping(0);
    tree.setAngularDamping(0);
    tree.setUseGyroTerm(true);
    tree.setCanSleep(false);
    tree.setMaxCoordinateVelocity(1e12);  // its default would clamp at 100
    tree.setHasSelfCollision(true);
    tree.setBaseWorldTransform(btTransform::getIdentity());
    if (floating) {
      const BodyState& start = bullet_.start()[root];
      tree.setBaseWorldTransform(to_bullet(pose_of(start) * base.X_BC));
      tree.setBaseVel(to_bullet(start.velocity));
      tree.setBaseOmega(to_bullet(start.angular_velocity));
    }
    for (const int i : members) set_initial_joint(tree, i);
    world_->addMultiBody(&tree);
    motion_of(tree);
    for (const int i : members) add_collider(tree, i);
    for (const int i : members) add_limits(tree, i);
  }

  void set_up_link(btMultiBody& tree, int i) {
    const JointDescription& joint = bullet_.scene().bodies[i].joint;
    const std::string& name = bullet_.scene().bodies[i].name;
    const BulletBody& b = bullet_.bodies()[i];
    const int parent = parent_of(bullet_.scene(), i);
    const bool on_base = parent < 0 || bullet_.bodies()[parent].fixed;
    const int parent_link = on_base ? -1 : places_[parent].link;
    // Bullet's frames are the C of both bodies; the base of a tree on the world is the world itself.
    Transform X_AJ = pose_of(joint.X_PJ);
    if (parent >= 0)
      X_AJ = (on_base ? pose_of(bullet_.start()[parent]) : bullet_.bodies()[parent].X_BC.inverse()) * X_AJ;
    const Transform X_CK = b.X_BC.inverse() * pose_of(joint.X_BK);
    const btQuaternion to_this = to_bullet(Quat(X_CK.R * X_AJ.R.transpose()));
    const btVector3 axis = to_bullet(X_CK.R * joint.axis.normalized());
    const btVector3 pivot = to_bullet(X_AJ.p), from_pivot = to_bullet(-X_CK.p),
                    inertia = to_bullet(b.inertia);
    const int link = places_[i].link;
    switch (joint.kind) {
      case JointKind::revolute:
        tree.setupRevolute(link, b.mass, inertia, parent_link, to_this, axis, pivot, from_pivot, true);
        return;
      case JointKind::prismatic:
        tree.setupPrismatic(link, b.mass, inertia, parent_link, to_this, axis, pivot, from_pivot, true);
        return;
      case JointKind::ball:
        tree.setupSpherical(link, b.mass, inertia, parent_link, to_this, pivot, from_pivot, true);
        return;
      case JointKind::fixed:
        tree.setupFixed(link, b.mass, inertia, parent_link, to_this, pivot, from_pivot);
        return;
      case JointKind::screw:
        throw NotApplicable("Bullet has no screw joint (\"" + name + "\")");
      case JointKind::universal:
        throw NotApplicable("btMultiBody has no universal joint (\"" + name + "\")");
      case JointKind::planar:
        throw NotApplicable("btMultiBody's planar joint moves along other axes (\"" + name + "\")");
      case JointKind::free:
        throw NotApplicable("a free joint inside a tree (\"" + name + "\")");
    }
  }

  void set_initial_joint(btMultiBody& tree, int i) {
    const Place& place = places_[i];
    if (place.link < 0) return;
    const JointDescription& joint = bullet_.scene().bodies[i].joint;
    const JointState& s = joints_[i];
    if (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic) {
      tree.setJointPos(place.link, s.q[0]);
      tree.setJointVel(place.link, s.v[0]);
    } else if (joint.kind == JointKind::ball) {
      // Bullet turns parent axes into link axes, and counts velocity in link axes.
      const Mat3 R_CK = (bullet_.bodies()[i].X_BC.inverse() * pose_of(joint.X_BK)).R;
      const Quat R_JK = Quat(s.q[0], s.q[1], s.q[2], s.q[3]).normalized();
      const Quat turn(R_CK * R_JK.toRotationMatrix() * R_CK.transpose());
      const double q[4] = {turn.x(), turn.y(), turn.z(), turn.w()};
      const Vec3 w = R_CK * (R_JK.conjugate() * Vec3(s.v[0], s.v[1], s.v[2]));
      tree.setJointPosMultiDof(place.link, q);
      tree.setJointVelMultiDof(place.link, w.data());
    }
  }

  void add_collider(btMultiBody& tree, int i) {
    const Place& place = places_[i];
    auto collider = std::make_unique<btMultiBodyLinkCollider>(&tree, place.link);
    collider->setCollisionShape(bullet_.moving_shape(i));
    collider->setWorldTransform(place.link < 0 ? tree.getBaseWorldTransform()
                                               : tree.getLink(place.link).m_cachedWorldTransform);
    bullet_.tag(*collider, i);
    world_->addCollisionObject(collider.get(), 2, 1 + 2);
    if (place.link < 0) {
      tree.setBaseCollider(collider.get());
    } else {
      tree.getLink(place.link).m_collider = collider.get();
    }
    colliders_.push_back(std::move(collider));
  }

  void add_limits(btMultiBody& tree, int i) {
    const JointDescription& joint = bullet_.scene().bodies[i].joint;
    const double lower = joint.lower.empty() ? -INFINITY : joint.lower[0];
    const double upper = joint.upper.empty() ? INFINITY : joint.upper[0];
    if (!std::isfinite(lower) && !std::isfinite(upper)) return;
    if (joint.limit_restitution != 0) throw NotApplicable("a joint limit that bounces");
    // A side without limit is put where no joint of a case ever comes.
    limits_.push_back(std::make_unique<btMultiBodyJointLimitConstraint>(
        &tree, places_[i].link, std::isfinite(lower) ? lower : -1e9, std::isfinite(upper) ? upper : 1e9));
    world_->addMultiBodyConstraint(limits_.back().get());
  }

  void apply_effort(int i) {
    const JointDescription& joint = bullet_.scene().bodies[i].joint;
    const Place& place = places_[i];
    if (place.tree < 0 || !has_efforts(joint)) return;
    btMultiBody& tree = *trees_[place.tree];
    const double t = (steps_ + 0.5) * h_;
    JointState& s = joints_[i];
    if (joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic) {
      s = {{tree.getJointPos(place.link)}, {tree.getJointVel(place.link)}};
      tree.addJointTorque(place.link, joint_effort(joint, s, t)[0]);
    } else if (joint.kind == JointKind::free) {
      const FreeEffort effort = free_effort(joint, s, tree.getBaseVel(), tree.getBaseOmega(), t);
      tree.addBaseForce(effort.force);
      tree.addBaseTorque(effort.torque);
    } else {
      bullet_.refuse_efforts(i);
    }
  }

  double h_;
  long steps_ = 0;
  BulletScene bullet_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  std::vector<Place> places_;
  std::vector<JointState> joints_;
  std::vector<std::unique_ptr<btMultiBody>> trees_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  std::vector<std::unique_ptr<btMultiBodyJointLimitConstraint>> limits_;
  std::unique_ptr<btMultiBodyDynamicsWorld> world_;
};

}  // namespace

std::unique_ptr<World> make_multibody_world(const RunRequest& request) {
  return std::make_unique<MultibodyWorld>(request);
}

}  // namespace jade::reference
