#pragma once

#include <memory>
#include <vector>

#include "jade/contact/constraint_rows.h"
#include "jade/geometry/prepared_shape.h"
#include "jade/model/collision_filter.h"
#include "jade/model/model.h"

namespace jade {

/// A shape of the scene, ready for queries, and what it is fixed to.
struct CollisionShape {
  int body = -1;       ///< in the model
  int index = 0;       ///< among the shapes of its body
  int material = -1;   ///< in the scene's list
  Anchor anchor;       ///< tree of the model and link counted within that tree
  Transform X_LS;      ///< shape in its link (in the world when fixed to it)
  bool turned = true;  ///< against its link: X_LS.R is not the identity
  PreparedShape geometry;
  Vec3 centre_L =
      Vec3::Zero();  ///< centre of a ball around the shape, in its link; no meaning for half-spaces
  Vec3 centre_S = Vec3::Zero();     ///< the same in the shape
  bool centred = true;              ///< centre_S is zero
  double reach = 0;                 ///< its radius
  double reach_from_reference = 0;  ///< farthest point from the reference point of a free link; 0 on others

  /// X_WS from the pose of its link.
  Transform placed(const Mat3& R_WL, const Vec3& p_WL) const {
    return {turned ? Mat3(R_WL * X_LS.R) : R_WL, R_WL * X_LS.p + p_WL};
  }
};

/// Every shape of a model and which of them can meet. Built once; the friction and restitution of a pair are read
/// from the model, where they are parameters.
class CollisionModel {
 public:
  /// Throws InvalidInput for shapes that cannot be used (open meshes and the like), named with body and shape.
  explicit CollisionModel(const Model& model);
  /// Of the mechanism of `other` with other parameters, which change no shape.
  CollisionModel(const Model& model, const CollisionModel& other);

  const std::vector<CollisionShape>& shapes() const { return shapes_; }
  bool can_meet(int a, int b) const;
  /// Index into scene().pairs of what happens where these two shapes meet.
  int material_pair(int a, int b) const;

 private:
  std::vector<CollisionShape> shapes_;
  const SceneDescription* scene_;
  CollisionFilter filter_;
  int materials_ = 0;
  std::vector<int> pair_of_materials_;  ///< materials × materials
};

}  // namespace jade
