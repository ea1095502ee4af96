#include "jade/geometry/contact_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jade {
namespace {

// Overlap by which shapes that are meant to touch may miss each other [m].
constexpr double kTouching = 1e-9;

// Sine of the angle below which two edges count as parallel: their cross product says little about a normal, since
// it magnifies a tilt by the inverse. The end of one is then within the same part of the size beside the face of the
// other, and stands for the crossing, provided that the face looks at the other shape (up to kFacing).
constexpr double kParallel = 1e-4;
constexpr double kFacing = 1e-2;

// Part of the smaller shape's size by which a foot may lie outside of any face: rounding.
constexpr double kBeside = 1e-9;

// Sine by which a face may rise beyond a plane normal to n at a contact of edges: tilted shapes near contact.
constexpr double kSlack = 0.5;

// Kinds of ContactFeatureId.
enum Kind : std::uint8_t {
  corner_A_face_B,
  face_A_corner_B,
  edge_edge,
  corner_A_edge_B,
  edge_A_corner_B,
  corner_corner,
  nearest
};

double size_of(const PreparedShape& shape) {
  return shape.is_half_space() ? std::numeric_limits<double>::infinity()
                               : shape.core().extent + shape.core().radius;
}

Aabb bounds_of(const PlacedShape& placed, double margin) {
  if (placed.shape.is_half_space()) return Aabb::everything();
  Aabb box;
  const ConvexCore& core = placed.shape.core();
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis_S = placed.X_WS.R.row(k);
    box.high[k] = placed.X_WS.p[k] + axis_S.dot(core.support(axis_S)) + core.radius + margin;
    box.low[k] = placed.X_WS.p[k] + axis_S.dot(core.support(-axis_S)) - core.radius - margin;
  }
  return box;
}

}  // namespace

const std::vector<ContactPoint>& ContactFinder::find(const PlacedShape& a, const PlacedShape& b, double limit,
                                                     const Vec3& hint) {
  contacts_.clear();
  limit_ = limit;
  margin_ = kParallel * std::min(size_of(a.shape), size_of(b.shape));
  distance_ = jade::distance(a, b, hint);
  if (distance_.distance >= limit) return contacts_;

  gather(a, b);
  corners_on_faces(features_a_, features_b_, false);
  corners_on_faces(features_b_, features_a_, true);
  edges_on_edges();
  corners_on_edges(features_a_, features_b_, false);
  corners_on_edges(features_b_, features_a_, true);
  corners_on_corners();
  nearest_points();
  return contacts_;
}

/// Two convex shapes with a separating direction: everything nearer than `limit` lies in a thin slab on each side.
void ContactFinder::gather(const PlacedShape& a, const PlacedShape& b) {
  ContactFeatures::Region near_b, near_a;
  const bool convex = !a.shape.tree() && !b.shape.tree();
  if (convex && distance_.separated) {
    const Vec3& n = distance_.normal;
    const double depth = limit_ + margin_;
    near_b.direction = n;
    near_b.least = n.dot(distance_.point_A) - depth;
    near_a.direction = -n;
    near_a.least = -n.dot(distance_.point_B) - depth;
  } else {
    near_b.box = bounds_of(b, limit_ + margin_);
    near_a.box = bounds_of(a, limit_ + margin_);
  }
  features_a_.gather(a, near_b);
  features_b_.gather(b, near_a);
}

/// Keeps a contact unless one that was found before is at the same place with the same normal.
void ContactFinder::add(const ContactPoint& contact) {
  if (!(contact.gap < limit_ && contact.gap > -kTouching)) return;
  const double same = 2 * margin_;
  for (const ContactPoint& other : contacts_)
    if ((contact.point_A - other.point_A).squaredNorm() <= same * same &&
        contact.normal.dot(other.normal) > 0.99)
      return;
  contacts_.push_back(contact);
}

void ContactFinder::corners_on_faces(ContactFeatures& standing, const ContactFeatures& ground,
                                     bool ground_is_A) {
  for (const FaceFeature& face : ground.faces()) {
    const Vec3& n = face.normal;
    const bool facing = n.cross(distance_.normal).norm() < kFacing && !distance_.normal.isZero();
    const double margin = facing ? margin_ : kBeside / kParallel * margin_;
    for (const CornerFeature& corner : standing.feet(n)) {
      const double height = n.dot(corner.x) - face.offset, gap = height - corner.radius;
      if (gap >= limit_ || gap <= -kTouching || !standing.is_low(corner, n)) continue;
      if (!ground.face_holds(face, corner.x, margin)) continue;
      const Vec3 foot = corner.x - height * n, surface = corner.x - corner.radius * n;
      ContactPoint contact;
      contact.gap = gap;
      if (ground_is_A) {
        contact = {.point_A = foot,
                   .point_B = surface,
                   .normal = n,
                   .gap = gap,
                   .rule = NormalRule::face_A,
                   .core_A = foot,
                   .core_B = corner.x,
                   .feature = {face_A_corner_B, face.id, corner.id}};
      } else {
        contact = {.point_A = surface,
                   .point_B = foot,
                   .normal = -n,
                   .gap = gap,
                   .rule = NormalRule::face_B,
                   .core_A = corner.x,
                   .core_B = foot,
                   .feature = {corner_A_face_B, corner.id, face.id}};
      }
      add(contact);
    }
  }
}

void ContactFinder::edges_on_edges() {
  for (const EdgeFeature& e : features_a_.edges())
    for (const EdgeFeature& f : features_b_.edges()) {
      const Vec3 cross = e.direction.cross(f.direction);
      const double sine = cross.norm();
      if (sine < kParallel) continue;
      // Feet of the common normal of both lines, inside both edges.
      const Vec3 apart = f.from - e.from;
      const double s = apart.cross(f.direction).dot(cross) / (sine * sine);
      const double t = apart.cross(e.direction).dot(cross) / (sine * sine);
      if (!(s > 0 && s < e.length && t > 0 && t < f.length)) continue;
      const Vec3 x_a = e.from + s * e.direction, x_b = f.from + t * f.direction;
      Vec3 n = cross / sine;
      // Faces say which way is out of A; round edges have no inside near them.
      const Vec3 inward = e.inward[0] + e.inward[1] - f.inward[0] - f.inward[1];
      const double side = inward.isZero() ? -n.dot(x_b - x_a) : n.dot(inward);
      if (side > 0) n = -n;
      if (!is_outward(e, n, kSlack) || !is_outward(f, -n, kSlack)) continue;
      add({.point_A = x_a + e.radius * n,
           .point_B = x_b - f.radius * n,
           .normal = n,
           .gap = n.dot(x_b - x_a) - e.radius - f.radius,
           .rule = NormalRule::edges,
           .core_A = x_a,
           .core_B = x_b,
           .edge_A = e.direction,
           .edge_B = f.direction,
           .feature = {edge_edge, e.id, f.id}});
    }
}

void ContactFinder::corners_on_edges(const ContactFeatures& cornered, const ContactFeatures& edged,
                                     bool edge_is_A) {
  for (const EdgeFeature& e : edged.edges())
    for (const CornerFeature& corner : cornered.corners()) {
      const double radii = e.radius + corner.radius;
      if (radii == 0) continue;
      const double s = e.direction.dot(corner.x - e.from);
      if (!(s > 0 && s < e.length)) continue;
      const Vec3 foot = e.from + s * e.direction, along = corner.x - foot;
      const double length = along.norm();
      if (!(length > 0)) continue;
      const Vec3 n = along / length;
      if (!is_outward(e, n, 1e-9) || !cornered.is_outward(corner, -n)) continue;
      const Vec3 on_edge = foot + e.radius * n, on_corner = corner.x - corner.radius * n;
      if (edge_is_A)
        add({.point_A = on_edge,
             .point_B = on_corner,
             .normal = n,
             .gap = length - radii,
             .core_A = foot,
             .core_B = corner.x,
             .edge_A = e.direction,
             .feature = {edge_A_corner_B, e.id, corner.id}});
      else
        add({.point_A = on_corner,
             .point_B = on_edge,
             .normal = -n,
             .gap = length - radii,
             .core_A = corner.x,
             .core_B = foot,
             .edge_B = e.direction,
             .feature = {corner_A_edge_B, corner.id, e.id}});
    }
}

void ContactFinder::corners_on_corners() {
  for (const CornerFeature& c : features_a_.corners())
    for (const CornerFeature& d : features_b_.corners()) {
      const double length = (d.x - c.x).norm(), radii = c.radius + d.radius;
      if (radii == 0 || !(length > 0)) continue;
      const Vec3 n = (d.x - c.x) / length;
      if (!features_a_.is_outward(c, n) || !features_b_.is_outward(d, -n)) continue;
      add({.point_A = c.x + c.radius * n,
           .point_B = d.x - d.radius * n,
           .normal = n,
           .gap = length - radii,
           .core_A = c.x,
           .core_B = d.x,
           .feature = {corner_corner, c.id, d.id}});
    }
}

void ContactFinder::nearest_points() {
  if (!distance_.separated) return;
  // A contact this much above the nearest points stands for them: the rounding of both.
  const double enough = distance_.distance + 1e-3 * limit_;
  const bool found =
      std::any_of(contacts_.begin(), contacts_.end(), [&](const ContactPoint& c) { return c.gap <= enough; });
  if (found) return;
  const Vec3& n = distance_.normal;
  add({.point_A = distance_.point_A,
       .point_B = distance_.point_B,
       .normal = n,
       .gap = distance_.distance,
       .core_A = distance_.point_A,
       .core_B = distance_.point_B,
       .feature = {nearest, 0, 0}});
}

}  // namespace jade
