#include "jade/geometry/feature.h"

#include <gtest/gtest.h>

#include "jade/math/differences.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using Kind = Feature::Kind;

struct Setting {
  const char* name;
  Feature a, b;
};

const Vec3 kToward(0.1, -0.2, 1);
const Transform kPoseA{rotation_exp(Vec3(0.3, -0.2, 0.5)), Vec3(0.1, 0.2, -0.4)};
const Transform kPoseB{rotation_exp(Vec3(-0.7, 0.4, 0.2)), Vec3(-0.2, 0.3, 0.9)};

std::vector<Setting> settings() {
  const Vec3 d = Vec3(0.48, 0.6, -0.64), e = Vec3(-0.6, 0.8, 0);
  const Feature vertex{Kind::point, {0.2, 0.1, -0.1}, Vec3::Zero(), 0, 1};
  const Feature ball{Kind::point, {-0.1, 0, 0.3}, Vec3::Zero(), 0.25, 2};
  const Feature edge{Kind::line, {0.1, 0.2, 0.2}, d, 0, 3};
  const Feature rod{Kind::line, {0.3, -0.1, 0}, e, 0.1, 4};
  const Feature face{Kind::plane, {0, 0.1, 0.2}, d, 0, 5};
  return {{"vertex on face", face, vertex}, {"face on vertex", vertex, face}, {"ball on face", face, ball},
          {"ball on ball", ball, vertex},   {"ball on rod", rod, ball},       {"edge on ball", ball, edge},
          {"edge on edge", edge, rod}};
}

// Centres of rotation that are nowhere special.
const RotationCentres kAbout{{0.3, -0.1, 0.2}, {-0.4, 0.5, 0.7}};

/// Moves a pose by the six numbers that the derivative's columns stand for.
Transform moved(const Transform& X, const Vec3& centre, const Vec6& twist) {
  const Mat3 turn = rotation_exp(twist.tail<3>());
  return {turn * X.R, centre + turn * (X.p - centre) + twist.head<3>()};
}

TEST(ClosestPoints, FeetLieOnTheNormalAtTheGap) {
  for (const auto& [name, a, b] : settings()) {
    const FeatureContact c = closest_points(a, kPoseA, b, kPoseB, kToward);
    EXPECT_NEAR(c.normal.norm(), 1, 1e-15) << name;
    EXPECT_LT((c.p_B - c.p_A - c.gap * c.normal).norm(), 1e-15) << name;
  }
}

TEST(ActingPoint, IsHalfTheRestingGapOffAPlaneAndElseHalfWay) {
  const double rest = 0.01;
  for (const auto& [name, a, b] : settings()) {
    const FeatureContact c = closest_points(a, kPoseA, b, kPoseB, kToward);
    const double side = plane_side(a, b);
    const Vec3 p = acting_point(c, side, rest);
    const Vec3 expected = side > 0   ? Vec3(c.p_A + 0.5 * rest * c.normal)
                          : side < 0 ? Vec3(c.p_B - 0.5 * rest * c.normal)
                                     : Vec3(0.5 * (c.p_A + c.p_B));
    EXPECT_LT((p - expected).norm(), 1e-15) << name;
  }
}

TEST(ClosestPoints, AreMirroredWhenTheBodiesSwap) {
  for (const auto& [name, a, b] : settings()) {
    const FeatureContact c = closest_points(a, kPoseA, b, kPoseB, kToward);
    const FeatureContact s = closest_points(b, kPoseB, a, kPoseA, -kToward);
    EXPECT_LT((c.normal + s.normal).norm() + (c.p_A - s.p_B).norm() + std::abs(c.gap - s.gap), 1e-14) << name;
  }
}

TEST(ClosestPoints, AreTheClosestOfAllPointsOnTwoLines) {
  const auto all = settings();
  const auto& [name, a, b] = all.back();
  const FeatureContact c = closest_points(a, kPoseA, b, kPoseB, kToward);
  const double core_distance = std::abs(c.gap + a.radius + b.radius);
  const VecX along = VecX::LinSpaced(81, -2, 2);
  for (const double s : along)
    for (const double t : along)
      EXPECT_GE((kPoseA * Vec3(a.point + s * a.direction) - kPoseB * Vec3(b.point + t * b.direction)).norm(),
                core_distance - 1e-14);
}

TEST(ClosestPointsDerivative, AgreesWithDifferences) {
  for (const auto& [name, a, b] : settings()) {
    const FeatureContactDerivative d = closest_points_derivative(a, kPoseA, b, kPoseB, kToward, kAbout);
    const FeatureContact c = closest_points(a, kPoseA, b, kPoseB, kToward);
    for (int k = 0; k < 12; ++k) {
      const auto f = [&, a = a, b = b](double s) -> VecX {
        Vec6 twist_A = Vec6::Zero(), twist_B = Vec6::Zero();
        (k < 6 ? twist_A[k] : twist_B[k - 6]) = s;
        const FeatureContact m =
            closest_points(a, moved(kPoseA, kAbout.A, twist_A), b, moved(kPoseB, kAbout.B, twist_B), kToward);
        VecX out(7);
        out << m.normal, 0.5 * (m.p_A + m.p_B), m.gap;
        return out;
      };
      const VecX numeric = ridders_derivative(f, {.first_step = 0.05}).value;
      EXPECT_LT((d.normal.col(k) - numeric.head<3>()).norm(), 1e-9) << name << " column " << k;
      EXPECT_LT((d.midpoint.col(k) - numeric.segment<3>(3)).norm(), 1e-9) << name << " column " << k;

      // The gap changes only by the motion of the material points at the feet.
      const bool of_A = k < 6;
      const Vec3 arm = (of_A ? c.p_A - kAbout.A : c.p_B - kAbout.B);
      const Vec3 motion = k % 6 < 3 ? Vec3(Vec3::Unit(k % 6)) : Vec3(Vec3::Unit(k % 3).cross(arm));
      EXPECT_NEAR((of_A ? -1 : 1) * c.normal.dot(motion), numeric[6], 1e-9) << name << " column " << k;
    }
  }
}

/// Lines that turn about their point, as the tangents of rims do.
TEST(ClosestPointsByTurns, AgreesWithDifferences) {
  for (const auto& [name, a, b] : settings()) {
    if (a.kind != Feature::Kind::line && b.kind != Feature::Kind::line) continue;
    if (a.kind == Feature::Kind::plane || b.kind == Feature::Kind::plane) continue;
    const LineTurnDerivative d = closest_points_by_turns(a, kPoseA, b, kPoseB, kToward);
    for (int k = 0; k < 6; ++k) {
      const Feature& turned = k < 3 ? a : b;
      if (turned.kind != Feature::Kind::line) continue;
      // Directions stay unit vectors: one is turned by s about an axis of the world.
      const Mat3& R = k < 3 ? kPoseA.R : kPoseB.R;
      const Vec3 axis_S = R.transpose() * Vec3::Unit(k % 3);
      const auto f = [&, a = a, b = b](double s) -> VecX {
        Feature on_a = a, on_b = b;
        Vec3& direction = (k < 3 ? on_a : on_b).direction;
        direction = rotation_exp(s * axis_S) * direction;
        const FeatureContact m = closest_points(on_a, kPoseA, on_b, kPoseB, kToward);
        VecX out(6);
        out << m.normal, 0.5 * (m.p_A + m.p_B);
        return out;
      };
      const VecX numeric = ridders_derivative(f, {.first_step = 0.05}).value;
      const Vec3 change = Vec3::Unit(k % 3).cross(R * turned.direction);
      const int first = k < 3 ? 0 : 3;
      EXPECT_LT((d.normal.middleCols<3>(first) * change - numeric.head<3>()).norm(), 1e-9) << name;
      EXPECT_LT((d.midpoint.middleCols<3>(first) * change - numeric.tail<3>()).norm(), 1e-9) << name;
    }
  }
}

}  // namespace
}  // namespace jade
