#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

namespace jade::cases {
namespace {

constexpr double kRadius = 0.05;
const Vec2 kShot(4, -0.1);
const closed_form::Billiards kTable{.radius = kRadius, .standoff = kStandoff};

TriangleMesh ball(int cuts) {
  TriangleMesh mesh = icosphere(kRadius, cuts);
  mesh.normals = MeshNormals::smooth;
  return mesh;
}

/// The largest angle between a corner of a triangle and its middle, seen from the centre: how far beside the line of
/// centres the meshes may touch.
double facet_angle(const TriangleMesh& mesh) {
  double largest = 0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 &a = mesh.vertices[i], &b = mesh.vertices[j], &c = mesh.vertices[k];
    const Vec3 n = (b - a).cross(c - a).normalized();
    largest = std::max(largest, std::acos(n.dot(a) / kRadius));
  }
  return largest;
}

/// Where the target is, away from where exact spheres send it. The meshes meet late, by less than the time of a radius's sag.
Quantity astray() {
  const auto shot = kTable.shoot(kShot);
  return {
      "target off the place of an exact ball by", "m", [=](const Mechanism& m, const reference::Frame& f) {
        const Vec3& p = f.bodies[m.body("target")].position;
        const double flight = std::max(0.0, f.time - shot.impact_time) / (kTable.duration - shot.impact_time);
        return VecX(VecX::Constant(1, (p - flight * Vec3(shot.position.x(), shot.position.y(), 0)).norm()));
      }};
}

SceneDescription scene(int cuts) {
  SceneDescription s = contact_scene("smooth billiards", 0, 0, 1);
  s.bodies = {free_solid("shot", ball(cuts), Vec3(kTable.start.x(), kTable.start.y(), 0),
                         Vec3(kShot.x(), kShot.y(), 0)),
              free_solid("target", ball(cuts), Vec3::Zero())};
  return s;
}

Case smooth(int cuts, int vertices) {
  const double angle = facet_angle(ball(cuts));
  return {
      .name = fmt::format("billiards_smooth_mesh_{}", vertices),
      .claim =
          "Balls of triangles with smooth normals push each other along the line of their centres: they come "
          "to exact "
          "balls with the square of the facets' size.",
      .source = "closed form of the shot of exact balls at the standoff in use",
      .scene = [=] { return scene(cuts); },
      .time_step = 0.01,
      .steps = 20,
      .expects =
          {equals(
               astray(), 0.0,
               {.absolute = kTable.shoot(kShot).position.norm() * 2.5 * angle * angle,
                .covers = Covers::model_limit,
                .why =
                    "a push at the angle α beside the line of centres turns the balls, which costs 5/2 α² of "
                    "the impulse; the facets meet later by α² of a radius, which is less"}),
           conserves(kinetic_energy(),
                     {.relative = 1e-12, .covers = Covers::rounding, .why = "e = 1, no friction"}),
           conserves(linear_momentum(),
                     {.relative = 1e-12, .covers = Covers::rounding, .why = "nothing acts from outside"}),
           conserves(
               angular_momentum(),
               {.relative = 1e-12, .covers = Covers::rounding, .why = "both balls are pushed at one point"}),
           never_intersects()},
  };
}

const RegisterCase smooth_42{smooth(1, 42)};
const RegisterCase smooth_162{smooth(2, 162)};
const RegisterCase smooth_642{smooth(3, 642)};

}  // namespace
}  // namespace jade::cases
