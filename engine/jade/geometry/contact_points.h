#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "jade/geometry/contact_features.h"

namespace jade {

/// How the normal of a contact follows the two shapes, for derivatives of rows that contain it.
enum class NormalRule : std::uint8_t {
  face_A,  ///< fixed in A
  face_B,  ///< fixed in B
  edges,   ///< ± edge_A × edge_B, made unit; each edge is fixed in its shape
  nearest,  ///< along the shortest line between two points, or between a point and a line: core_A and core_B are on
            ///< it, edge_A or edge_B is the direction of the line (zero for a point)
};

/// Names the features that meet; the same as long as they do, so that a solver can be started from the last step.
struct ContactFeatureId {
  std::uint8_t kind = 0;  ///< which kinds of features meet, and in which order
  int on_A = 0, on_B = 0;
  auto operator<=>(const ContactFeatureId&) const = default;
};

struct ContactPoint {
  Vec3 point_A = Vec3::Zero();  ///< on the surfaces, world coordinates
  Vec3 point_B = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  ///< unit, from A to B
  double gap = 0;              ///< normal·(point_B − point_A)
  NormalRule rule = NormalRule::nearest;
  Vec3 core_A = Vec3::Zero(), core_B = Vec3::Zero();  ///< the points without the radii
  Vec3 edge_A = Vec3::Zero(), edge_B = Vec3::Zero();  ///< unit directions: see NormalRule
  ContactFeatureId feature;
};

/// Finds the points at which two shapes that are nearer than a given distance support each other.
///
///   corner on face    a true corner that is at the bottom of its shape, its foot in the merged face; n is the face's
///   edge on edge      sharp convex edges, feet inside both, not nearly parallel; n = ± their cross product
///   round on edge     (with a radius on either side) a point over an edge, or a point over a point; n along the
///                     shortest line
///   nearest points    only where no feature above is as near as the shapes are: corner to corner, corner to edge and
///                     parallel edges of sharp shapes, rim to edge of a cylinder
/// Never the difference of nearest points on two flat surfaces: it makes a table of many triangles rough.
/// At the feet dn·(x_b − x_a) = 0, so the gap changes with the pose as nᵀ(ẋ_b − ẋ_a) exactly.
class ContactFinder {
 public:
  /// Contacts with a gap below `limit`, in an order that depends on the shapes alone. `hint` is a direction from A to B
  /// to begin the distance query with, or zero. Valid until the next call; nothing is allocated once the lists have
  /// grown. Shapes that touch or overlap by less than a nanometre still give contacts; deeper ones may give none.
  const std::vector<ContactPoint>& find(const PlacedShape& a, const PlacedShape& b, double limit,
                                        const Vec3& hint = Vec3::Zero());

  /// The distance on which the last answer rests.
  const DistanceResult& distance() const { return distance_; }

 private:
  void gather(const PlacedShape& a, const PlacedShape& b);
  void corners_on_faces(ContactFeatures& standing, const ContactFeatures& ground, bool ground_is_A);
  void edges_on_edges();
  void corners_on_edges(const ContactFeatures& cornered, const ContactFeatures& edged, bool edge_is_A);
  void corners_on_corners();
  void nearest_points();
  void add(const ContactPoint& contact);

  ContactFeatures features_a_, features_b_;
  DistanceResult distance_;
  double limit_ = 0;
  double margin_ = 0;
  std::vector<ContactPoint> contacts_;
};

}  // namespace jade
