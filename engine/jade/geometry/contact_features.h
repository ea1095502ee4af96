#pragma once

#include <vector>

#include "jade/geometry/aabb.h"
#include "jade/geometry/distance.h"
#include "jade/geometry/feature.h"

namespace jade {

/// Parts of a shape that may touch, where they are now in the world; ContactFeatures::feature gives each as a feature
/// fixed in the shape, which few of them are asked for.
/// Corners (kind point): a vertex of a polyhedron, the centre of a sphere, an end of a capsule's segment, a point of a
/// cylinder's rim.
struct CornerFeature {
  Vec3 x;           ///< world
  int vertex = -1;  ///< of the polyhedron, or end of the segment; −1 − k: the k-th foot on a rim
  double radius = 0;
  int id = 0;
};

/// Edges (kind line): a sharp convex edge of a polyhedron, the segment of a capsule, the axis of a cylinder.
struct EdgeFeature {
  Vec3 from, direction;  ///< world; unit direction
  double length = 0;
  double radius = 0;
  int edge = -1;  ///< of the polyhedron
};

/// Faces (kind plane): of a polyhedron, an end of a cylinder, the ground.
struct FaceFeature {
  Vec3 normal;        ///< world
  double offset = 0;  ///< normal·(x − p) = offset, with p the origin of the shape: see height_over
  int face = -1;      ///< of the polyhedron, or end of the cylinder
};

/// The features of one shape that can take part in a contact, seen from the world.
class ContactFeatures {
 public:
  /// Which points are worth looking at: within a box, and (unless the direction is zero) far enough along it.
  struct Region {
    Aabb box = Aabb::everything();
    Vec3 direction = Vec3::Zero();
    double least = 0;
    bool bounded = false;  ///< by the box
    double along = 0;      ///< the part of a contact's normal along the direction is no less
  };

  /// With room for those of a box.
  ContactFeatures();

  /// `other` is the shape that they may meet: a half-space is met by corners alone.
  void gather(const PlacedShape& placed, const Region& region, const PreparedShape& other);

  const std::vector<CornerFeature>& corners() const { return corners_; }
  const std::vector<EdgeFeature>& edges() const { return edges_; }
  const std::vector<FaceFeature>& faces() const { return faces_; }

  /// How high a world point is above the plane of a face. Seen from the shape, so that it keeps its digits far away.
  double height_over(const FaceFeature& face, const Vec3& x) const {
    return face.normal.dot(x - X_WS_.p) - face.offset;
  }

  static Feature corner_feature(const Polyhedron& polyhedron, int vertex);
  Feature feature(const CornerFeature& corner) const;
  Feature feature(const EdgeFeature& edge) const;
  Feature feature(const FaceFeature& face) const;

  /// Points of this shape that can stand on a face with the outward normal n: its corners, and for a cylinder the
  /// lowest point of each rim, with four more on a rim that lies nearly flat, and these alone on one that is flatter still.
  enum class Rim { four_if_flat, always_lowest };
  const std::vector<CornerFeature>& feet(const Vec3& n, Rim rim);

  /// A direction seen from the world and from this shape.
  struct Direction {
    Vec3 W, S;
  };
  Direction direction(const Vec3& n) const { return {n, X_WS_.R.transpose() * n}; }

  /// Whether moving from the corner along each edge loses at most half its length in height over a plane with normal
  /// n: the corner then is at the bottom of its shape, or near it when the shape is tilted.
  bool is_low(const CornerFeature& corner, const Direction& n) const;
  /// The same for a vertex of a polyhedron, with n in its frame.
  static bool is_low(const Polyhedron& polyhedron, int vertex, const Vec3& n_S);

  /// Whether n is an outward direction at the corner; `slack` is the sine by which an edge may rise beyond it.
  bool is_outward(const CornerFeature& corner, const Vec3& n, double slack) const;
  /// The same at an edge; `slack` is the sine by which a face may rise beyond it.
  bool is_outward(const EdgeFeature& edge, const Vec3& n, double slack) const;
  /// Sum of the unit vectors into both faces of an edge, orthogonal to it; zero when there is no face. World.
  Vec3 inward(const EdgeFeature& edge) const;

  /// Whether the foot of x on the face lies in the face, up to `margin`.
  bool face_holds(const FaceFeature& face, const Vec3& x, double margin) const;

 private:
  void gather_polyhedron(const Polyhedron& polyhedron, const Region& region, bool corners_only);
  void gather_round(const ConvexCore& core);
  /// Lowest value of n·(w − x)/|w − x| over the neighbours w of a corner.
  double steepest_descent(const CornerFeature& corner, const Direction& n) const;

  const PreparedShape* shape_ = nullptr;
  Transform X_WS_;
  std::vector<Vec3> placed_;   // vertices of a polyhedron in the world, where a box bounds them
  std::vector<double> ahead_;  // vertices of a polyhedron along the direction of the region
  std::vector<CornerFeature> corners_, feet_;
  std::vector<Vec3> feet_S_;  // beside feet_ of a cylinder, in S
  std::vector<EdgeFeature> edges_;
  std::vector<FaceFeature> faces_;
};

/// Whether some feature of the shape is not fixed in it: see `followed`.
inline bool has_travelling_features(const PreparedShape& shape) {
  return !shape.is_half_space() && shape.core().kind == ConvexCore::Kind::cylinder;
}
/// Whether the feature is one of these: the lowest point of a cylinder's rim.
bool is_lowest_of_rim(const Feature& feature, const PreparedShape& shape);
/// The feature of a contact at another pose of its shape. Most are fixed in the shape; the lowest point of a cylinder's
/// rim travels along it: it is the point farthest along `toward_S`, the direction to the other shape in S.
Feature followed(const Feature& feature, const PreparedShape& shape, const Vec3& toward_S);
/// d point / d toward_S of the above, in S; zero for features that are fixed in their shape.
Mat3 followed_derivative(const Feature& feature, const PreparedShape& shape, const Vec3& toward_S);

}  // namespace jade
