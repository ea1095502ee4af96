#pragma once

#include <vector>

#include "jade/geometry/contact_features.h"

namespace jade {

/// A pair of features that meet. Features are fixed in their shapes, so that the same contact can be evaluated again at
/// other poses and differentiated (feature.h), and recognised in the next step by their names.
struct ContactPoint {
  Feature a;          ///< in the frame of shape A
  Feature b;          ///< in the frame of shape B
  FeatureContact at;  ///< their closest points now
  /// The lowest place of a rim that lies flat beside four others which bear what rests on it: it tells where the shapes meet,
  /// and runs around the rim with rounding once they do.
  bool passing = false;
};

/// Finds the points at which two shapes that are nearer than a given distance support each other.
///
///   corner on face    a true corner that is at the bottom of its shape, its foot in the merged face; n is the face's
///   edge on edge      sharp convex edges, feet inside both, not nearly parallel; n = ± their cross product
///   round on edge     (with a radius on either side) a point over an edge, or a point over a point; n along the
///                     shortest line
///   sharp on sharp    only where no contact above is as near as the shapes are: a corner over an edge or a corner, n
///                     along the shortest line; else the nearest points, with the tangent where it is a rim
/// Never the difference of nearest points on two flat surfaces: it makes a table of many triangles rough.
/// At the feet dn·(x_b − x_a) = 0, so the gap changes with the pose as nᵀ(ẋ_b − ẋ_a) exactly.
class ContactFinder {
 public:
  /// Appends the contacts with a gap below `reach` to `out`, in an order that depends on the shapes alone. `hint` is a
  /// direction from A to B to begin the distance query with, or zero. Nothing is allocated once the lists have grown.
  /// Shapes that touch or overlap by less than a nanometre still give contacts; deeper ones may give none.
  void find(const PlacedShape& a, const PlacedShape& b, double reach, std::vector<ContactPoint>& out,
            const Vec3& hint = Vec3::Zero());

  /// The distance on which the last answer rests.
  const DistanceResult& distance() const { return distance_; }
  /// Whether its normal separates the whole shapes, and not only the nearest pieces of them.
  bool separates_wholly() const { return whole_; }

 private:
  enum class Sharpness { round, sharp };

  bool corners_on_plane(bool plane_is_A);
  void gather();
  void corners_on_faces(bool ground_is_A, ContactFeatures::Rim rim);
  void edges_on_edges();
  void corners_on_edges(bool edge_is_A, Sharpness which);
  void corners_on_corners(Sharpness which);
  void nearest_points();
  bool reaches_the_distance() const;
  void add(const Feature& a, const Feature& b, const Vec3& toward_B);
  bool is_new(const FeatureContact& at) const;

  const PlacedShape* a_ = nullptr;
  const PlacedShape* b_ = nullptr;
  ContactFeatures features_a_, features_b_;
  DistanceResult distance_;
  double reach_ = 0;
  double margin_ = 0;
  bool whole_ = false;
  std::vector<ContactPoint>* out_ = nullptr;
  std::size_t first_ = 0;  // of this pair in the list
};

/// The same with a finder of the calling thread.
void contact_points(const PlacedShape& a, const PlacedShape& b, double reach, std::vector<ContactPoint>& out);
std::vector<ContactPoint> contact_points(const PlacedShape& a, const PlacedShape& b, double reach);

}  // namespace jade
