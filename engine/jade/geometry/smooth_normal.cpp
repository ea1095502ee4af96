#include "jade/geometry/smooth_normal.h"

#include "jade/geometry/contact_features.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using Mat3x12 = FeatureContactDerivative::Matrix;

// Cosine of the largest angle between the facets' normal and the smooth one.
constexpr double kFarthestOff = 0.5;

/// The centre of a side in the world.
struct Core {
  Vec3 c;
  Mat3 by_foot;  ///< by the motion of the foot against the shape
};

std::optional<Core> core_of(const PlacedShape& placed, const Feature& feature, const Vec3& foot) {
  const PreparedShape& shape = placed.shape;
  const Transform& X = placed.X_WS;
  const Mat3 along = (X.R * feature.direction) * (X.R * feature.direction).transpose();
  if (const SmoothSurface* surface = shape.smooth()) {
    const SmoothSurface::Centre centre = surface->centre_at(X.inverse() * foot);
    const Mat3 by_foot = X.R * centre.by_point * X.R.transpose();
    switch (feature.kind) {
      case Feature::Kind::point:
        return Core{X * centre.c, Mat3::Zero()};
      case Feature::Kind::line:
        return Core{X * centre.c, by_foot * along};
      case Feature::Kind::plane:
        return Core{X * centre.c, by_foot};
    }
  }
  if (feature.kind == Feature::Kind::plane || has_travelling_features(shape)) return std::nullopt;
  const Vec3 x = X * feature.point;
  if (feature.kind == Feature::Kind::point) return Core{x, Mat3::Zero()};
  return Core{x + along * (foot - x), along};
}

struct Cores {
  Core a, b;
  Vec3 w;  ///< from a to b
};

std::optional<Cores> cores_of(const PlacedShape& a, const Feature& on_a, const PlacedShape& b,
                              const Feature& on_b, const FeatureContact& at) {
  if (!a.shape.smooth() && !b.shape.smooth()) return std::nullopt;
  const std::optional<Core> core_a = core_of(a, on_a, at.p_A), core_b = core_of(b, on_b, at.p_B);
  if (!core_a || !core_b) return std::nullopt;
  const Vec3 w = core_b->c - core_a->c;
  if (!(w.dot(at.normal) > kFarthestOff * w.norm())) return std::nullopt;
  return Cores{*core_a, *core_b, w};
}

/// How a point x of a body moves with the six numbers of that body, which turns about `centre`.
Eigen::Matrix<double, 3, 6> carried(const Vec3& x, const Vec3& centre) {
  Eigen::Matrix<double, 3, 6> out;
  out << Mat3::Identity(), -skew(x - centre);
  return out;
}

}  // namespace

std::optional<Vec3> smooth_normal(const PlacedShape& a, const Feature& on_a, const PlacedShape& b,
                                  const Feature& on_b, const FeatureContact& at) {
  const std::optional<Cores> cores = cores_of(a, on_a, b, on_b, at);
  if (!cores) return std::nullopt;
  return cores->w.normalized();
}

Mat3x12 smooth_normal_derivative(const PlacedShape& a, const Feature& on_a, const PlacedShape& b,
                                 const Feature& on_b, const FeatureContact& at,
                                 const FeatureContactDerivative& contact, const RotationCentres& about) {
  const std::optional<Cores> cores = cores_of(a, on_a, b, on_b, at);
  if (!cores) return Mat3x12::Zero();
  // The feet are half a gap from the middle: d p = d middle ∓ ½ (n dgap + gap dn).
  Mat3x12 apart;
  apart << -carried(at.p_A, about.A), carried(at.p_B, about.B);
  const Mat3x12 half = 0.5 * (at.normal * (at.normal.transpose() * apart).eval() + at.gap * contact.normal);
  Mat3x12 foot_a = contact.midpoint - half, foot_b = contact.midpoint + half;
  foot_a.leftCols<6>() -= carried(at.p_A, about.A);
  foot_b.rightCols<6>() -= carried(at.p_B, about.B);

  Mat3x12 dw = cores->b.by_foot * foot_b - cores->a.by_foot * foot_a;
  dw.leftCols<6>() -= carried(cores->a.c, about.A);
  dw.rightCols<6>() += carried(cores->b.c, about.B);
  const double length = cores->w.norm();
  const Vec3 n = cores->w / length;
  return (dw - n * (n.transpose() * dw).eval()) / length;
}

}  // namespace jade
