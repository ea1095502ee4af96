#include "jade/geometry/contact_points.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "jade/geometry/curve_around.h"

namespace jade {
namespace {

// Overlap by which shapes that are meant to touch may miss each other [m].
constexpr double kTouching = 1e-9;

// Sine of the angle below which two edges count as parallel: their cross product says little about a normal, since
// it magnifies a tilt by the inverse. The end of one is then within the same part of the size beside the face of the
// other, and stands for the crossing, provided that the face looks at the other shape (up to kFacing).
constexpr double kParallel = 1e-4;
constexpr double kFacing = 1e-3;

// Part of the distance by which a contact may be farther apart than the nearest points and still be theirs.
constexpr double kNearest = 1e-4;

// Part of the smaller shape's size by which a foot may lie outside of any face: rounding.
constexpr double kBeside = 1e-9;

// Sine by which a direction between a corner and what is nearest to it may point into its own shape: at a gap of a
// micrometre the direction between two points near one metre is known to 1e-9.
constexpr double kOutward = 1e-8;

// Sine above which the tangents of two rims cross well enough for a normal.
constexpr double kCrossing = 0.05;

// Sine by which a face may rise beyond a plane normal to n at a contact of edges: tilted shapes near contact.
constexpr double kSlack = 0.5;

double size_of(const PreparedShape& shape) {
  return shape.is_half_space() ? std::numeric_limits<double>::infinity()
                               : shape.core().extent + shape.core().radius;
}

/// The tangent or the point of a curve as a feature of its shape.
Feature feature_of(const ThickCurve& thick, const Transform& X_WS) {
  const Curve& curve = thick.curve;
  const Vec3 x_S = X_WS.R.transpose() * (curve.x - X_WS.p);
  if (curve.kind == Curve::Kind::point)
    return {Feature::Kind::point, x_S, Vec3::Zero(), thick.radius, thick.id};
  return {Feature::Kind::line, x_S, X_WS.R.transpose() * curve.tangent().normalized(), thick.radius,
          thick.id};
}

}  // namespace

void ContactFinder::find(const PlacedShape& a, const PlacedShape& b, double reach,
                         std::vector<ContactPoint>& out, const Vec3& hint) {
  a_ = &a;
  b_ = &b;
  out_ = &out;
  first_ = out.size();
  reach_ = reach;
  margin_ = kParallel * std::min(size_of(a.shape), size_of(b.shape));
  distance_ = jade::distance(a, b, hint);
  whole_ = (!a.shape.tree() && !b.shape.tree()) || a.shape.is_half_space() || b.shape.is_half_space();
  if (distance_.distance >= reach) return;
  if (a.shape.is_half_space() && corners_on_plane(true)) return;
  if (b.shape.is_half_space() && corners_on_plane(false)) return;

  gather();
  const auto stand_on_faces = [&](ContactFeatures::Rim rim) {
    corners_on_faces(false, rim);
    corners_on_faces(true, rim);
  };
  stand_on_faces(ContactFeatures::Rim::four_if_flat);
  edges_on_edges();
  const auto is_sharp = [](const PreparedShape& shape) { return shape.is_half_space() || shape.features(); };
  const auto pair_corners = [&](Sharpness which) {
    corners_on_edges(false, which);
    corners_on_edges(true, which);
    corners_on_corners(which);
  };
  if (!is_sharp(a.shape) || !is_sharp(b.shape)) pair_corners(Sharpness::round);
  // Four places of a rim may all be well above its lowest one at the little gap of what comes to rest.
  if (!reaches_the_distance()) {
    const std::size_t known = out.size();
    stand_on_faces(ContactFeatures::Rim::always_lowest);
    for (std::size_t i = known; i < out.size(); ++i) out[i].passing = known - first_ >= 4;
  }
  if (!reaches_the_distance()) pair_corners(Sharpness::sharp);
  if (!reaches_the_distance() && distance_.separated) nearest_points();
}

/// The ground meets corners alone: those of a polyhedron and spheres are looked at where they are, in the frame of their
/// shape. False when that was not all there is to find, with nothing added.
bool ContactFinder::corners_on_plane(bool plane_is_A) {
  const PlacedShape &plane = plane_is_A ? *a_ : *b_, &other = plane_is_A ? *b_ : *a_;
  const Polyhedron* polyhedron = other.shape.features();
  const ConvexCore& core = other.shape.core();
  if (!polyhedron && core.kind != ConvexCore::Kind::point) return false;
  const Vec3 up = plane.X_WS.R.col(2);
  const Feature ground{Feature::Kind::plane, Vec3::Zero(), Vec3::UnitZ(), 0, 0};
  if (!polyhedron) {
    // Its distance says it all.
    const Feature ball{Feature::Kind::point, Vec3::Zero(), Vec3::Zero(), core.radius, 0};
    if (!(distance_.distance > -kTouching)) return false;
    const FeatureContact at{distance_.point_A, distance_.point_B, distance_.normal, distance_.distance};
    out_->push_back({plane_is_A ? ground : ball, plane_is_A ? ball : ground, at});
    return true;
  }
  const Vec3 up_S = other.X_WS.R.transpose() * up;
  const double height = up.dot(other.X_WS.p - plane.X_WS.p);
  for (int i = 0; i < int(polyhedron->vertices.size()); ++i) {
    const double gap = height + up_S.dot(polyhedron->vertices[i]);
    if (gap >= reach_ || gap <= -2 * kTouching || !ContactFeatures::is_low(*polyhedron, i, up_S)) continue;
    const Vec3 x = other.X_WS * polyhedron->vertices[i], foot = x - gap * up;
    const FeatureContact at =
        plane_is_A ? FeatureContact{foot, x, up, gap} : FeatureContact{x, foot, -up, gap};
    if (!is_new(at)) continue;
    const Feature corner = ContactFeatures::corner_feature(*polyhedron, i);
    out_->push_back({plane_is_A ? ground : corner, plane_is_A ? corner : ground, at});
  }
  if (reaches_the_distance()) return true;
  out_->resize(first_);
  return false;
}

void ContactFinder::nearest_points() {
  const auto around = [](const PlacedShape& placed, const Vec3& x) {
    return curve_around(placed, x).value_or(ThickCurve{{.x = x}});
  };
  ThickCurve on_a = around(*a_, distance_.point_A), on_b = around(*b_, distance_.point_B);
  approach(on_a.curve, on_b.curve);
  const Feature a = feature_of(on_a, a_->X_WS);
  Feature b = feature_of(on_b, b_->X_WS);
  // Two tangents side by side have no crossing; one of them is as good as a point there, and keeps its tangent: that is
  // how the point travels.
  if (a.kind == Feature::Kind::line && b.kind == Feature::Kind::line &&
      (a_->X_WS.R * a.direction).cross(b_->X_WS.R * b.direction).norm() < kCrossing) {
    b.kind = Feature::Kind::point;
  }
  add(a, b, distance_.normal);
}

/// Two convex shapes with a separating direction: everything nearer than `reach` lies in a thin slab on each side.
void ContactFinder::gather() {
  ContactFeatures::Region near_b, near_a;
  const bool convex = !a_->shape.tree() && !b_->shape.tree();
  if (convex && distance_.separated) {
    const Vec3& n = distance_.normal;
    near_b.direction = n;
    near_b.least = n.dot(distance_.point_A) - reach_ - margin_;
    near_a.direction = -n;
    near_a.least = -n.dot(distance_.point_B) - reach_ - margin_;
    // Points of the two shapes that are less than the reach apart along a contact's normal, and no less than the distance
    // along n, need a normal with that much of n; feet may lie beside what they stand on by rounding.
    const double beside = 4 * kBeside / kParallel * margin_;
    near_a.along = near_b.along = std::max(0.0, (distance_.lower_bound - beside) / reach_);
  } else {
    near_b.bounded = near_a.bounded = true;
    near_b.box = bounds_of(*b_, reach_ + margin_);
    near_a.box = bounds_of(*a_, reach_ + margin_);
  }
  features_a_.gather(*a_, near_b, b_->shape);
  features_b_.gather(*b_, near_a, a_->shape);
}

void ContactFinder::add(const Feature& a, const Feature& b, const Vec3& toward_B) {
  const FeatureContact at = closest_points(a, a_->X_WS, b, b_->X_WS, toward_B);
  if (is_new(at)) out_->push_back({a, b, at});
}

/// Whether a contact is near enough, and none that was found before is at the same place with the same normal.
bool ContactFinder::is_new(const FeatureContact& at) const {
  if (!(at.gap < reach_ && at.gap > -kTouching)) return false;
  const double same = 4 * margin_ * margin_;
  const ContactPoint* const end = out_->data() + out_->size();
  for (const ContactPoint* other = out_->data() + first_; other != end; ++other)
    if ((at.p_A - other->at.p_A).squaredNorm() <= same && at.normal.dot(other->at.normal) > 0.99)
      return false;
  return true;
}

bool ContactFinder::reaches_the_distance() const {
  // A contact this little above the nearest points stands for them; whatever is searched for farther away.
  const double enough = (1 + kNearest) * distance_.distance + kTouching;
  return std::any_of(out_->begin() + std::ptrdiff_t(first_), out_->end(),
                     [&](const ContactPoint& c) { return c.at.gap <= enough; });
}

void ContactFinder::corners_on_faces(bool ground_is_A, ContactFeatures::Rim rim) {
  ContactFeatures &ground = ground_is_A ? features_a_ : features_b_,
                  &standing = ground_is_A ? features_b_ : features_a_;
  for (const FaceFeature& face : ground.faces()) {
    const Vec3& n = face.normal;
    const bool facing = n.cross(distance_.normal).norm() < kFacing && !distance_.normal.isZero();
    const double margin = facing ? margin_ : kBeside / kParallel * margin_;
    const ContactFeatures::Direction up = standing.direction(n);
    const Feature on_face = ground.feature(face);
    for (const CornerFeature& corner : standing.feet(n, rim)) {
      const double height = ground.height_over(face, corner.x), gap = height - corner.radius;
      if (gap >= reach_ || gap <= -2 * kTouching) continue;
      // Placed from the height that chose it. Corners of equal faces are found from both sides: most of the second are not new.
      const Vec3 foot = corner.x - height * n, over = corner.x - corner.radius * n;
      const FeatureContact at =
          ground_is_A ? FeatureContact{foot, over, n, gap} : FeatureContact{over, foot, -n, gap};
      if (!is_new(at) || !standing.is_low(corner, up) || !ground.face_holds(face, corner.x, margin)) continue;
      const Feature standing_on = standing.feature(corner);
      out_->push_back({ground_is_A ? on_face : standing_on, ground_is_A ? standing_on : on_face, at});
    }
  }
}

void ContactFinder::edges_on_edges() {
  for (const EdgeFeature& e : features_a_.edges())
    for (const EdgeFeature& f : features_b_.edges()) {
      const Vec3 cross = e.direction.cross(f.direction);
      const double squared = cross.squaredNorm();
      if (squared < kParallel * kParallel) continue;
      // Feet of the common normal of both lines, inside both edges.
      const Vec3 apart = f.from - e.from;
      const double s = apart.cross(f.direction).dot(cross);
      if (!(s > 0 && s < e.length * squared)) continue;
      const double t = apart.cross(e.direction).dot(cross);
      if (!(t > 0 && t < f.length * squared)) continue;
      Vec3 n = cross / std::sqrt(squared);
      // Faces say which way is out of A; round edges have no inside near them.
      const Vec3 inward = features_a_.inward(e) - features_b_.inward(f);
      if ((inward.isZero() ? -n.dot(apart) : n.dot(inward)) > 0) n = -n;
      if (features_a_.is_outward(e, n, kSlack) && features_b_.is_outward(f, -n, kSlack))
        add(features_a_.feature(e), features_b_.feature(f), n);
    }
}

void ContactFinder::corners_on_edges(bool edge_is_A, Sharpness which) {
  const ContactFeatures &edged = edge_is_A ? features_a_ : features_b_,
                        &cornered = edge_is_A ? features_b_ : features_a_;
  for (const EdgeFeature& e : edged.edges())
    for (const CornerFeature& corner : cornered.corners()) {
      const bool sharp = e.radius + corner.radius == 0;
      if (sharp != (which == Sharpness::sharp)) continue;
      const double s = e.direction.dot(corner.x - e.from);
      if (!(s > 0 && s < e.length)) continue;
      const Vec3 along = corner.x - e.from - s * e.direction;
      const double length = along.norm();
      if (!(length > 0)) continue;
      const Vec3 n = along / length;
      if (!edged.is_outward(e, n, kOutward) || !cornered.is_outward(corner, -n, kOutward)) continue;
      if (edge_is_A)
        add(edged.feature(e), cornered.feature(corner), n);
      else
        add(cornered.feature(corner), edged.feature(e), -n);
    }
}

void ContactFinder::corners_on_corners(Sharpness which) {
  for (const CornerFeature& c : features_a_.corners())
    for (const CornerFeature& d : features_b_.corners()) {
      const bool sharp = c.radius + d.radius == 0;
      const double length = (d.x - c.x).norm();
      if (sharp != (which == Sharpness::sharp) || !(length > 0)) continue;
      const Vec3 n = (d.x - c.x) / length;
      if (features_a_.is_outward(c, n, kOutward) && features_b_.is_outward(d, -n, kOutward))
        add(features_a_.feature(c), features_b_.feature(d), n);
    }
}

void contact_points(const PlacedShape& a, const PlacedShape& b, double reach,
                    std::vector<ContactPoint>& out) {
  thread_local ContactFinder finder;
  finder.find(a, b, reach, out);
}

std::vector<ContactPoint> contact_points(const PlacedShape& a, const PlacedShape& b, double reach) {
  std::vector<ContactPoint> out;
  contact_points(a, b, reach, out);
  return out;
}

}  // namespace jade
