#include "jade/geometry/smooth_normal.h"

#include <gtest/gtest.h>

#include "jade/geometry/contact_points.h"
#include "jade/geometry/mesh_check.h"
#include "jade/geometry/test_meshes.h"
#include "jade/math/differences.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using test_meshes::ellipsoid;

TriangleMesh ball(double radius) { return ellipsoid(100, Vec3::Constant(radius)); }

Transform moved(const Transform& X, const Vec6& twist) {
  return {rotation_exp(twist.tail<3>()) * X.R, X.p + twist.head<3>()};
}

TEST(SmoothSurface, HasTheSpheresNormalsAndCentreWhereverVerticesLieOnASphere) {
  const TriangleMesh mesh = ball(0.3);
  const SmoothSurface surface(mesh.vertices, mesh.triangles);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    EXPECT_LT((surface.normals()[i] - mesh.vertices[i] / 0.3).norm(), 1e-13);
    EXPECT_LT(surface.centres()[i].norm(), 1e-13);
  }
  const Vec3 inside = (mesh.vertices[mesh.triangles[7][0]] + mesh.vertices[mesh.triangles[7][1]] +
                       mesh.vertices[mesh.triangles[7][2]]) /
                      3;
  EXPECT_LT(surface.centre_at(inside).c.norm(), 1e-13);
  EXPECT_LT(surface.centre_at(inside).by_point.norm(), 1e-12);
}

TEST(SmoothSurface, IsContinuousAcrossEdges) {
  const TriangleMesh mesh = ellipsoid(100, Vec3(0.3, 0.2, 0.25));
  const SmoothSurface surface(mesh.vertices, mesh.triangles);
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 &a = mesh.vertices[i], &b = mesh.vertices[j], &c = mesh.vertices[k];
    // Just inside and on the edge: the neighbour is the triangle there as well as this one.
    const Vec3 on = 0.7 * a + 0.3 * b, inside = on + 1e-7 * (c - on);
    EXPECT_LT((surface.centre_at(on).c - surface.centre_at(inside).c).norm(), 1e-6);
    const Vec3 along = 0.7 * surface.centres()[i] + 0.3 * surface.centres()[j];
    EXPECT_LT((surface.centre_at(on).c - along).norm(), 1e-9);
  }
}

TEST(SmoothNormal, OfTwoBallsIsTheLineOfTheirCentres) {
  const PreparedShape a{Shape{ball(0.3)}}, b{Shape{ball(0.2)}}, sphere{Shape{Sphere{0.2}}};
  for (int k = 0; k < 40; ++k) {
    const Vec3 direction = Vec3(std::cos(k), std::sin(1.7 * k), std::cos(2.3 * k + 1)).normalized();
    const Transform X_A{rotation_exp(Vec3(0.2, k, 0.1)), Vec3(0.1, 0.2, 0.3)},
        X_B{rotation_exp(Vec3(k, 0.4, 0)), X_A.p + 0.5001 * direction};
    for (const PreparedShape* other : {&b, &sphere})
      for (const ContactPoint& c : contact_points({a, X_A}, {*other, X_B}, 0.05)) {
        const auto n = smooth_normal({a, X_A}, c.a, {*other, X_B}, c.b, c.at);
        ASSERT_TRUE(n.has_value());
        EXPECT_LT((*n - direction).norm(), 1e-12);
      }
  }
}

TEST(SmoothNormal, IsLeftToWhatIsFlat) {
  const PreparedShape smooth{Shape{ball(0.3)}}, ground{Shape{HalfSpace{}}};
  const Transform X_A, X_B{Mat3::Identity(), Vec3(0, 0, 0.301)};
  const auto contacts = contact_points({ground, X_A}, {smooth, X_B}, 0.05);
  ASSERT_FALSE(contacts.empty());
  for (const ContactPoint& c : contacts)
    EXPECT_FALSE(smooth_normal({ground, X_A}, c.a, {smooth, X_B}, c.b, c.at).has_value());
}

TEST(SmoothNormal, MovesAsItsDerivativeSays) {
  const PreparedShape a{Shape{ellipsoid(60, Vec3(0.3, 0.2, 0.25))}},
      b{Shape{ellipsoid(80, Vec3(0.2, 0.3, 0.3))}}, sphere{Shape{Sphere{0.2}}},
      capsule{Shape{Capsule{0.1, 0.2}}}, box{Shape{Box{Vec3(0.4, 0.4, 0.4)}}};
  int checked = 0;
  for (int k = 0; k < 12; ++k) {
    const Vec3 direction = Vec3(std::cos(k), std::sin(1.7 * k), std::cos(2.3 * k + 1)).normalized();
    const Transform X_A{rotation_exp(Vec3(0.2, k, 0.1)), Vec3(0.1, 0.2, 0.3)};
    for (const PreparedShape* other : {&b, &sphere, &capsule, &box}) {
      // Near enough to be a contact: moved together along the direction until they nearly touch.
      Transform X_B{rotation_exp(Vec3(k, 0.4, 0)), X_A.p + direction};
      for (int i = 0; i < 40; ++i) X_B.p -= (distance({a, X_A}, {*other, X_B}).distance - 1e-3) * direction;
      const RotationCentres about{X_A.p, X_B.p};
      for (const ContactPoint& c : contact_points({a, X_A}, {*other, X_B}, 2e-3)) {
        if (!smooth_normal({a, X_A}, c.a, {*other, X_B}, c.b, c.at)) continue;
        const auto derivative = smooth_normal_derivative(
            {a, X_A}, c.a, {*other, X_B}, c.b, c.at,
            closest_points_derivative(c.a, X_A, c.b, X_B, c.at.normal, about), about);
        for (int column = 0; column < 12; ++column) {
          const auto normal = [&](double s) -> VecX {
            Transform A = X_A, B = X_B;
            (column < 6 ? A : B) = moved(column < 6 ? X_A : X_B, s * Vec6::Unit(column % 6));
            const FeatureContact at = closest_points(c.a, A, c.b, B, c.at.normal);
            return *smooth_normal({a, A}, c.a, {*other, B}, c.b, at);
          };
          // Small enough to stay within one triangle; rounding leaves nine digits of them.
          const Derivative expected = ridders_derivative(normal, {.first_step = 1e-5, .levels = 6});
          EXPECT_LE(expected.error, 1e-8) << "column " << column << " of " << k;
          EXPECT_LE((derivative.col(column) - expected.value).norm(), 1e-8 + expected.error)
              << "column " << column << " of " << k;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 12 * 30);
}

TEST(SmoothNormal, IsRefusedToMeshesThatAreNotSmooth) {
  TriangleMesh l = test_meshes::l_prism(), table = test_meshes::table(Vec3(1, 1, 0.1), 2);
  l.normals = table.normals = MeshNormals::smooth;
  ASSERT_FALSE(check_mesh(l).empty());
  ASSERT_FALSE(check_mesh(table).empty());
  EXPECT_NE(check_mesh(table)[0].problem.find("sharper than 60°"), std::string::npos);
  EXPECT_TRUE(check_mesh(ball(0.3)).empty());
}

}  // namespace
}  // namespace jade
