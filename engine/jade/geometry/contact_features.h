#pragma once

#include <vector>

#include "jade/geometry/aabb.h"
#include "jade/geometry/distance.h"

namespace jade {

/// A corner of a shape that may touch: a vertex of a polyhedron, the centre of a sphere, an end of a capsule's
/// segment. World coordinates.
struct CornerFeature {
  Vec3 x;
  double radius = 0;  ///< of the ball around it
  int id = 0;
};

/// A sharp convex edge of a polyhedron, the segment of a capsule, the axis of a cylinder. World coordinates.
struct EdgeFeature {
  Vec3 from, to;
  Vec3 direction;  ///< unit
  double length = 0;
  double radius = 0;  ///< of the round around it
  Vec3 inward[2];     ///< unit, into both faces, orthogonal to the edge; zero when there is no face
  int id = 0;
};

/// A flat face: of a polyhedron, an end of a cylinder, the ground. World coordinates.
struct FaceFeature {
  Vec3 normal;
  double offset = 0;  ///< normal·x = offset
  int id = 0;
};

/// The features of one shape that can take part in a contact, seen from the world.
class ContactFeatures {
 public:
  /// Which points are worth looking at: within a box, and (unless the direction is zero) far enough along it.
  struct Region {
    Aabb box = Aabb::everything();
    Vec3 direction = Vec3::Zero();
    double least = 0;
    bool holds(const Vec3& x) const {
      return direction.dot(x) >= least && (x.array() >= box.low.array()).all() &&
             (x.array() <= box.high.array()).all();
    }
    bool may_hold(const Vec3& from, const Vec3& to) const;
  };

  void gather(const PlacedShape& placed, const Region& region);

  const std::vector<CornerFeature>& corners() const { return corners_; }
  const std::vector<EdgeFeature>& edges() const { return edges_; }
  const std::vector<FaceFeature>& faces() const { return faces_; }

  /// Points of this shape that can stand on a face with the outward normal n: its corners, and for a cylinder the
  /// lowest point of each rim, with four more on a rim that lies nearly flat.
  const std::vector<CornerFeature>& feet(const Vec3& n);

  /// Whether moving from the corner along each edge loses at most half its length in height over a plane with normal
  /// n: the corner then is at the bottom of its shape, or near it when the shape is tilted.
  bool is_low(const CornerFeature& corner, const Vec3& n) const;

  /// Whether n is an outward direction at the corner, up to rounding.
  bool is_outward(const CornerFeature& corner, const Vec3& n) const;

  /// Whether the foot of x on the face lies in the face, up to `margin`.
  bool face_holds(const FaceFeature& face, const Vec3& x, double margin) const;

 private:
  void gather_polyhedron(const Polyhedron& polyhedron, const Region& region);
  void gather_round(const ConvexCore& core);
  /// Lowest value of n·(w − x)/|w − x| over the neighbours w of a corner.
  double steepest_descent(const CornerFeature& corner, const Vec3& n) const;

  const PreparedShape* shape_ = nullptr;
  Transform X_WS_;
  std::vector<CornerFeature> corners_, feet_;
  std::vector<EdgeFeature> edges_;
  std::vector<FaceFeature> faces_;
};

/// Whether n is an outward direction at the edge; `slack` is the sine by which a face may rise beyond it.
bool is_outward(const EdgeFeature& edge, const Vec3& n, double slack);

}  // namespace jade
