#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jade/base/error.h"
#include "jade/model/scene_description.h"

namespace jade {

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
};

/// The motion of one link against its parent link. Universal and planar joints are chains of the first two with
/// massless links between; a fixed joint welds its body to the link before it.
enum class LinkMotion : unsigned char { revolute, prismatic, screw, ball, free };

/// What the recursions walk over: parents come before children.
struct Link {
  int parent = -1;  ///< −1: the world
  LinkMotion motion = LinkMotion::revolute;
  int q = 0, v = 0;  ///< first coordinate and first velocity
  int nv = 1;
  bool prescribed = false;
  Transform X_PJ;             ///< joint frame in the parent link
  Vec3 axis = Vec3::UnitZ();  ///< unit, in J and in the link alike
  double pitch = 0;
  SpatialInertia inertia;  ///< of all bodies welded to this link, in the link's frame
  Vec3 reference_L =
      Vec3::Zero();  ///< free links: the point whose velocity v holds, the centre of mass as described
};

struct Body {
  std::string name;
  int link = -1;           ///< −1: fixed to the world
  Transform X_LB;          ///< body frame in its link
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

  /// Index of a body; throws InvalidInput with the nearest name when there is none.
  int body_named(std::string_view name) const;

 private:
  friend class ModelBuilder;
  Model() = default;

  SceneDescription scene_;
  int nq_ = 0, nv_ = 0;
  std::vector<Link> links_;
  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  Vec3 gravity_ = Vec3::Zero();
  VecX damping_, stiffness_, rest_position_, armature_, effort_limit_;
};

/// Every mistake of a description with its place and remedy; empty when it can be built.
std::vector<Mistake> check_scene(const SceneDescription& scene);

/// Throws InvalidInput listing everything that `check_scene` finds.
Model build_model(const SceneDescription& scene);

/// The positions and velocities that the scene starts from.
State initial_state(const Model& model);

}  // namespace jade
