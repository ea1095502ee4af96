#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jade/base/error.h"
#include "jade/model/scene_description.h"

namespace jade {

struct ParameterValue;

/// Where a mechanism is and how fast it moves. Layout per joint: see JointDescription.
struct State {
  VecX q;  ///< nq
  VecX v;  ///< nv
};

/// Ten numbers, linear in the dynamics: mass, first moment and rotational inertia about the frame's origin.
struct SpatialInertia {
  double mass = 0;
  Vec3 moment = Vec3::Zero();   ///< h = m c  [kg m]
  Mat3 inertia = Mat3::Zero();  ///< about the origin [kg m²]: I_c + m (|c|² 1 − c cᵀ)

  SpatialInertia& operator+=(const SpatialInertia& other);
};

/// The same matter seen from frame A, where X_AB is the pose of the frame that `inertia_B` is given in.
SpatialInertia transformed(const Transform& X_AB, const SpatialInertia& inertia_B);

/// The motion of one link against its parent link. Universal and planar joints are chains of the first two with
/// massless links between; a fixed joint welds its body to the link before it.
enum class LinkMotion : unsigned char { revolute, prismatic, screw, ball, free };

/// What the recursions walk over. Links are in depth-first order, children in the order of the scene: a parent
/// comes before its children, and the subtree of link i is the range [i, subtree_end). Coordinates and velocities
/// are numbered in the same order.
struct Link {
  int parent = -1;  ///< −1: the world
  int subtree_end = 0;
  int tree = 0;
  LinkMotion motion = LinkMotion::revolute;
  bool prescribed = false;
  int q = 0, v = 0;  ///< first coordinate and first velocity
  int nv = 1;
  /// Joint frame in the parent link, turned so that a revolute, prismatic or screw axis is its z axis. At zero
  /// position the link's frame coincides with it.
  Transform X_PJ;
  double pitch = 0;
  SpatialInertia inertia;  ///< of all bodies welded to this link, in the link's frame
  /// Free links: the point whose velocity v holds. It is the centre of mass of the link as described and stays
  /// there when inertial parameters are changed, so that the dynamics are linear in them.
  Vec3 reference_L = Vec3::Zero();
};

/// Links [first, end) that hang together on one joint to the world.
struct Tree {
  int first = 0, end = 0;
  /// The first link that has mass: spatial vectors of the tree are written about its position (the reference point
  /// of a free link), so that nothing is lost far away from the world's origin.
  int origin_link = 0;
};

struct Body {
  std::string name;
  int link = -1;           ///< −1: fixed to the world
  Transform X_LB;          ///< body frame in its link (in the world for link −1)
  SpatialInertia inertia;  ///< in the body frame
};

struct Joint {
  std::string name;
  JointKind kind = JointKind::fixed;
  int body = -1;
  int q = 0, nq = 0, v = 0, nv = 0;
};

/// A mechanism that cannot be invalid: built once from a scene, never changed.
class Model {
 public:
  int nq() const { return nq_; }
  int nv() const { return nv_; }
  const std::vector<Link>& links() const { return links_; }
  const std::vector<Tree>& trees() const { return trees_; }
  const std::vector<Body>& bodies() const { return bodies_; }   ///< in the order of the scene
  const std::vector<Joint>& joints() const { return joints_; }  ///< one per body, same order
  const Vec3& gravity() const { return gravity_; }
  const SceneDescription& scene() const { return scene_; }

  // Per velocity coordinate.
  const VecX& damping() const { return damping_; }
  const VecX& stiffness() const { return stiffness_; }
  const VecX& rest_position() const { return rest_position_; }
  const VecX& armature() const { return armature_; }
  const VecX& effort_limit() const { return effort_limit_; }  ///< +infinity for none
  const VecX& lower() const { return lower_; }                ///< position limits; −infinity for none
  const VecX& upper() const { return upper_; }                ///< +infinity for none
  const VecX& limit_restitution() const { return limit_restitution_; }  ///< of hitting either of them
  /// The least inertia that a coordinate can feel at any position, whatever moves freely behind it: a lower bound
  /// of its articulated inertia. It tells how stiff a damper is for a time step.
  const VecX& least_inertia() const { return least_inertia_; }
  /// The velocity before it on the way to the world, −1 for none; always smaller than its own index.
  const std::vector<int>& velocity_parent() const { return velocity_parent_; }
  const std::vector<int>& velocity_link() const { return velocity_link_; }
  /// The coordinate whose rate this velocity is; −1 for ball and free joints, whose positions are no such thing.
  const std::vector<int>& velocity_position() const { return velocity_position_; }
  bool prescribed(int velocity) const { return links_[velocity_link_[velocity]].prescribed; }
  bool has_springs() const { return has_springs_; }
  bool has_dampers() const { return has_dampers_; }

  /// Index of a body; throws InvalidInput with the nearest name when there is none.
  int body_named(std::string_view name) const;

  /// One tree of this mechanism as a model of its own, with links and coordinates counted from zero. It has no bodies,
  /// joints or scene: it is for the recursions, which can then visit the trees they need and no others.
  Model tree_alone(int tree) const;

  /// The same mechanism with other parameters; see parameter.h. Throws InvalidInput for impossible values.
  Model with(std::span<const ParameterValue> values) const;

 private:
  friend class ModelBuilder;
  friend class ParameterSetter;
  Model() = default;
  /// Everything that follows from inertias, armature, damping and stiffness.
  void refresh();

  SceneDescription scene_;
  int nq_ = 0, nv_ = 0;
  std::vector<Link> links_;
  std::vector<Tree> trees_;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  Vec3 gravity_ = Vec3::Zero();
  VecX damping_, stiffness_, rest_position_, armature_, effort_limit_, least_inertia_;
  VecX lower_, upper_, limit_restitution_;
  std::vector<int> velocity_parent_, velocity_link_, velocity_position_;
  bool has_springs_ = false, has_dampers_ = false;
};

/// Every mistake of a description with its place and remedy; empty when it can be built.
std::vector<Mistake> check_scene(const SceneDescription& scene);

/// Throws InvalidInput listing everything that `check_scene` finds.
Model build_model(const SceneDescription& scene);

/// A signal's value at time t.
double value_at(const Signal& signal, double t);

/// The positions and velocities that the scene starts from.
State initial_state(const Model& model);

}  // namespace jade
