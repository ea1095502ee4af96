#pragma once

// Bullet in double precision: the plain package would compare us with floats.
#ifndef BT_USE_DOUBLE_PRECISION
#error "build against bullet-float64 with BT_USE_DOUBLE_PRECISION"
#endif
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include "reference/scene_kinematics.h"
#include "reference/world.h"

namespace jade::reference {

static_assert(sizeof(btScalar) == 8);

inline btVector3 to_bullet(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline Vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btTransform to_bullet(const Transform& X);
Transform from_bullet(const btTransform& X);
btQuaternion to_bullet(const Quat& q);

/// A body as Bullet wants it: about its centre of mass, along principal axes (frame C).
struct BulletBody {
  bool fixed = false;  ///< to the world, directly or through other fixed bodies
  double mass = 0;
  Vec3 inertia = Vec3::Zero();  ///< principal moments
  Transform X_BC;
};

/// Effort on each coordinate of a joint from its spring, damper and applied signal, all at the given state;
/// `t` is where the signal is read.
std::vector<double> joint_effort(const JointDescription& joint, const JointState& state, double t);

/// Whether a joint has a spring, a damper or a signal at all.
bool has_efforts(const JointDescription& joint);

/// Of a free body: force on its centre of mass and torque, in world axes.
struct FreeEffort {
  btVector3 force, torque;
};
FreeEffort free_effort(const JointDescription& joint, JointState& state, const btVector3& velocity,
                       const btVector3& angular_velocity, double t);

/// `3.24`
std::string bullet_version();

/// What both of our Bullet worlds share: the scene about centres of mass, collision shapes with their materials
/// per pair, fixed bodies, and the solver's settings.
class BulletScene {
 public:
  explicit BulletScene(const RunRequest& request);
  ~BulletScene();
  BulletScene(const BulletScene&) = delete;
  BulletScene& operator=(const BulletScene&) = delete;

  const SceneDescription& scene() const { return scene_; }
  const std::vector<BulletBody>& bodies() const { return bodies_; }
  const std::vector<BodyMass>& masses() const { return masses_; }
  const std::vector<BodyState>& start() const { return start_; }

  /// Gravity, solver settings, pair filter and every fixed body's shapes.
  void furnish(btDiscreteDynamicsWorld& world);

  /// The collision shape of a moving body, about frame C; an empty shape when it has none.
  btCollisionShape* moving_shape(int body);
  /// Lets contacts of this object look up their pair of materials, and the filter know its body.
  void tag(btCollisionObject& object, int body) const;
  /// One new point a step makes bodies rock: asks for whole manifolds where Bullet can make them.
  static void fill_manifolds(btDefaultCollisionConfiguration& configuration);

  /// Everything that would change the numbers, for the report.
  std::vector<std::pair<std::string, std::string>> settings() const;

  /// Springs, dampers and signals are translated for free, revolute and prismatic joints only.
  [[noreturn]] void refuse_efforts(int body) const;

  /// State of a body from the pose of C and the velocities there.
  BodyState state_of(int body, const Transform& X_WC, const Vec3& velocity,
                     const Vec3& angular_velocity) const;

 private:
  class PairFilter;

  btCollisionShape* primitive(const Shape& geometry, const std::string& material, bool moving);
  btCollisionShape* keep(std::unique_ptr<btCollisionShape> shape);
  int material_index(const std::string& material) const;
  void add_fixed_shapes(btDiscreteDynamicsWorld& world, int body);

  SceneDescription scene_;
  std::vector<BodyMass> masses_;
  std::vector<BulletBody> bodies_;
  std::vector<BodyState> start_;
  int iterations_ = 50;
  bool bounces_ = false;  ///< some pair of materials has restitution
  std::unique_ptr<PairFilter> filter_;
  std::vector<std::unique_ptr<btStridingMeshInterface>> meshes_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> fixed_objects_;
};

std::unique_ptr<World> make_maximal_world(const RunRequest& request);
std::unique_ptr<World> make_multibody_world(const RunRequest& request);

}  // namespace jade::reference
