#include "reference/bullet/bullet_scene.h"

#include <set>

#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "jade/model/model.h"

namespace jade::reference {
namespace {

/// Friction and restitution of the pairs of materials, by index. Bullet calls a free function for each new
/// contact, so the table of the one scene that an adapter process runs is kept here.
struct PairTable {
  std::map<std::pair<int, int>, std::pair<double, double>> pairs;
};
PairTable& pair_table() {
  static PairTable table;
  return table;
}

/// Material of the part of an object that touches. Triangles of a mesh carry none: the shape that holds them does.
int material_of(const btCollisionObjectWrapper* part) {
  for (const btCollisionObjectWrapper* p = part; p != nullptr; p = p->m_parent) {
    if (p->getCollisionShape()->getUserIndex() >= 0) return p->getCollisionShape()->getUserIndex();
  }
  return part->getCollisionObject()->getCollisionShape()->getUserIndex();
}

bool set_pair_material(btManifoldPoint& contact, const btCollisionObjectWrapper* a, int, int,
                       const btCollisionObjectWrapper* b, int, int) {
  const std::pair<int, int> key = std::minmax(material_of(a), material_of(b));
  const auto found = pair_table().pairs.find(key);
  if (found == pair_table().pairs.end()) return false;
  contact.m_combinedFriction = found->second.first;
  contact.m_combinedRestitution = found->second.second;
  return true;
}

BulletBody about_centre_of_mass(const BodyMass& m) {
  BulletBody body{.mass = m.mass};
  body.X_BC.p = m.com;
  const Mat3 off_diagonal = m.inertia - Mat3(m.inertia.diagonal().asDiagonal());
  if (off_diagonal.isZero(0)) {
    body.inertia = m.inertia.diagonal();
    return body;
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(m.inertia);
  body.inertia = principal.eigenvalues();
  body.X_BC.R = principal.eigenvectors();
  if (body.X_BC.R.determinant() < 0) body.X_BC.R.col(0) *= -1;
  return body;
}

int integer_setting(const std::string& name, const std::string& text) {
  try {
    const int value = std::stoi(text);
    if (value > 0) return value;
  } catch (const std::exception&) {
  }
  throw NotApplicable("setting " + name + " wants a positive number, not \"" + text + "\"");
}

}  // namespace

btTransform to_bullet(const Transform& X) {
  const Mat3& R = X.R;
  return btTransform(
      btMatrix3x3(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
      to_bullet(X.p));
}

Transform from_bullet(const btTransform& X) {
  Transform result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.R(i, j) = X.getBasis()[i][j];
  }
  result.p = from_bullet(X.getOrigin());
  return result;
}

btQuaternion to_bullet(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

std::vector<double> joint_effort(const JointDescription& joint, const JointState& state, double t) {
  const auto entry = [](const std::vector<double>& list, std::size_t i) {
    return list.empty() ? 0.0 : list[i];
  };
  std::vector<double> effort(state.v.size(), 0.0);
  for (std::size_t i = 0; i < effort.size(); ++i) {
    if (!joint.effort.empty()) {
      effort[i] = value_at(joint.effort[i], t);
      if (!joint.effort_limit.empty()) {
        effort[i] = std::clamp(effort[i], -joint.effort_limit[i], joint.effort_limit[i]);
      }
    }
    effort[i] -= entry(joint.damping, i) * state.v[i];
    if (!joint.stiffness.empty())
      effort[i] -= joint.stiffness[i] * (state.q[i] - entry(joint.rest_position, i));
  }
  return effort;
}

bool has_efforts(const JointDescription& joint) {
  return !joint.damping.empty() || !joint.stiffness.empty() || !joint.effort.empty();
}

FreeEffort free_effort(const JointDescription& joint, JointState& state, const btVector3& velocity,
                       const btVector3& angular_velocity, double t) {
  const btVector3 &v = velocity, &w = angular_velocity;
  state.v = {v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
  const std::vector<double> f = joint_effort(joint, state, t);
  return {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
}

std::string bullet_version() {
  return fmt::format("{}.{}", BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100);
}

void BulletScene::refuse_efforts(int body) const {
  throw NotApplicable("springs, dampers or efforts on the joint of \"" + scene_.bodies[body].name + "\"");
}

/// Pairs of bodies that never collide. Shapes of one body share one mask here, because Bullet filters objects.
class BulletScene::PairFilter : public btOverlapFilterCallback {
 public:
  explicit PairFilter(const SceneDescription& scene) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const BodyDescription& body = scene.bodies[i];
      masks_.emplace_back(1, ~0u);
      if (!body.shapes.empty()) masks_.back() = {body.shapes[0].groups, body.shapes[0].collides_with};
      for (const ShapeDescription& shape : body.shapes) {
        if (std::pair(shape.groups, shape.collides_with) != masks_.back()) {
          throw NotApplicable("shapes of \"" + body.name +
                              "\" have different collision masks: Bullet has one a body");
        }
      }
      const int parent = parent_of(scene, static_cast<int>(i));
      if (parent >= 0 && !body.joint.collides_with_parent)
        never_.insert(std::minmax(static_cast<int>(i), parent));
    }
    const auto index = [&](const std::string& name) {
      for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        if (scene.bodies[i].name == name) return static_cast<int>(i);
      }
      return -1;
    };
    for (const auto& pair : scene.never_collide) never_.insert(std::minmax(index(pair[0]), index(pair[1])));
  }

  bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
    const auto body = [](btBroadphaseProxy* proxy) {
      return static_cast<btCollisionObject*>(proxy->m_clientObject)->getUserIndex();
    };
    const int i = body(a), j = body(b);
    if (i < 0 || j < 0 || i == j || never_.count(std::minmax(i, j)) > 0) return false;
    return (masks_[i].first & masks_[j].second) != 0 && (masks_[j].first & masks_[i].second) != 0;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> masks_;
  std::set<std::pair<int, int>> never_;
};

BulletScene::BulletScene(const RunRequest& request)
    : scene_(request.scene),
      masses_(body_masses(scene_)),
      start_(body_states(scene_, masses_, initial_joints(scene_))),
      filter_(std::make_unique<PairFilter>(scene_)) {
  for (const auto& [name, value] : request.settings) {
    if (name != "iterations") throw NotApplicable("unknown setting " + name + "; there is: iterations");
    iterations_ = integer_setting(name, value);
  }
  for (const BodyMass& mass : masses_) bodies_.push_back(about_centre_of_mass(mass));
  for (const int i : parents_first(scene_)) {
    const JointDescription& joint = scene_.bodies[i].joint;
    const int parent = parent_of(scene_, i);
    bodies_[i].fixed = joint.kind == JointKind::fixed && (parent < 0 || bodies_[parent].fixed);
    if (!joint.motion.empty()) throw NotApplicable("prescribed motion of \"" + scene_.bodies[i].name + "\"");
    for (const double a : joint.armature) {
      if (a != 0) throw NotApplicable("armature on the joint of \"" + scene_.bodies[i].name + "\"");
    }
  }
  for (const MaterialPair& pair : scene_.pairs) {
    pair_table().pairs[std::minmax(material_index(pair.first), material_index(pair.second))] = {
        pair.friction, pair.restitution};
  }
  bounces_ = std::any_of(scene_.pairs.begin(), scene_.pairs.end(),
                         [](const MaterialPair& pair) { return pair.restitution > 0; });
  gContactAddedCallback = set_pair_material;
}

BulletScene::~BulletScene() = default;

int BulletScene::material_index(const std::string& material) const {
  for (std::size_t i = 0; i < scene_.materials.size(); ++i) {
    if (scene_.materials[i] == material) return static_cast<int>(i);
  }
  return -1;
}

void BulletScene::furnish(btDiscreteDynamicsWorld& world) {
  world.setGravity(to_bullet(scene_.gravity));
  world.getPairCache()->setOverlapFilterCallback(filter_.get());
  // Without this, moving meshes would silently touch nothing.
  btGImpactCollisionAlgorithm::registerAlgorithm(static_cast<btCollisionDispatcher*>(world.getDispatcher()));
  btContactSolverInfo& solver = world.getSolverInfo();
  solver.m_numIterations = iterations_;
  solver.m_linearSlop = 0;
  solver.m_restitutionVelocityThreshold = 0;
  // Where things bounce, overlap is pushed out by positions alone: by default the velocity does it, which adds energy
  // to every bounce. Stacks stand better with the default.
  if (bounces_) solver.m_splitImpulsePenetrationThreshold = 0;
  solver.m_damping = 1;  // Bullet's word for "none" on constraints
  solver.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].fixed) add_fixed_shapes(world, static_cast<int>(i));
  }
}

void BulletScene::add_fixed_shapes(btDiscreteDynamicsWorld& world, int body) {
  for (const ShapeDescription& shape : scene_.bodies[body].shapes) {
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr,
                                                  primitive(shape.geometry, shape.material, false));
    info.m_startWorldTransform = to_bullet(pose_of(start_[body]) * pose_of(shape.X_BS));
    fixed_objects_.push_back(std::make_unique<btRigidBody>(info));
    tag(*fixed_objects_.back(), body);
    world.addRigidBody(fixed_objects_.back().get());
  }
}

void BulletScene::tag(btCollisionObject& object, int body) const {
  object.setUserIndex(body);
  if (bounces_) object.setContactProcessingThreshold(0);
  object.setCollisionFlags(object.getCollisionFlags() | btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK);
  object.setActivationState(DISABLE_DEACTIVATION);
}

void BulletScene::fill_manifolds(btDefaultCollisionConfiguration& configuration) {
  configuration.setConvexConvexMultipointIterations();
  configuration.setPlaneConvexMultipointIterations();
}

std::vector<std::pair<std::string, std::string>> BulletScene::settings() const {
  return {{"precision", "double"},
          {"iterations", fmt::format("{}", iterations_)},
          {"damping", "0"},
          {"linear slop", "0"},
          {"restitution velocity threshold", "0"},
          {"erp", "0.2"},
          {"split impulse", bounces_ ? "for every overlap" : "for overlaps above 0.04 m (Bullet's default)"},
          {"contacts ahead of touching", bounces_ ? "off: they would eat the bounce" : "on"},
          {"manifolds", "filled by turning shapes a little, 3 times"},
          {"friction directions", "2"},
          {"friction and restitution", "per pair of materials"},
          {"joint springs and dampers", "forces at the start of each step"},
          {"sleeping", "off"}};
}

BodyState BulletScene::state_of(int body, const Transform& X_WC, const Vec3& velocity,
                                const Vec3& angular_velocity) const {
  const Transform X_WB = X_WC * bodies_[body].X_BC.inverse();
  return {X_WB.p, Quat(X_WB.R), velocity, angular_velocity};
}

}  // namespace jade::reference
