#include <cmath>

#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/impacts.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kRadius = 0.05;
const Vec3 kShot(4, -0.1, 0);

Vec3 start() {
  const Vec2 at = closed_form::Billiards{.radius = kRadius}.start;
  return {at.x(), at.y(), 0};
}

/// Two equal polyhedra, symmetric about their centres and turned alike, one moving: the difference of their centres
/// enters the Minkowski sum A ⊕ (−B) = 2A through the facet whose plane n·d = 2 h + δ it crosses last, and A pushes B
/// along that facet's normal n, whatever the impulse is and wherever in the facet it acts:
///   t = max over facets with n·v > 0 of (n·d₀ − 2 h − δ)/(n·v)        h: distance of the facet from the centre
struct FacetHit {
  double time = 0;
  Vec3 normal = Vec3::Zero();
};

FacetHit first_facet(const TriangleMesh& ball, const Vec3& d0, const Vec3& v) {
  FacetHit hit{-INFINITY, Vec3::Zero()};
  for (const auto& [a, b, c] : ball.triangles) {
    const Vec3 &p = ball.vertices[a], &q = ball.vertices[b], &r = ball.vertices[c];
    const Vec3 n = (q - p).cross(r - p).normalized();
    if (!(n.dot(v) > 0)) continue;
    const double t = (n.dot(d0) - 2 * n.dot(p) - kStandoff) / n.dot(v);
    if (t > hit.time) hit = {t, n};
  }
  return hit;
}

/// Speed of the target before the hit, and after it the angle between its velocity and the facet's normal.
Quantity heading_error(int cuts) {
  const FacetHit hit = first_facet(icosphere(kRadius, cuts), -start(), kShot);
  return {"target heading off the facet's normal by", "rad",
          [=](const Mechanism& m, const reference::Frame& f) {
            const Vec3& v = f.bodies[m.body("target")].velocity;
            const double error =
                f.time < hit.time ? v.norm() : std::atan2(v.cross(hit.normal).norm(), v.dot(hit.normal));
            return VecX(VecX::Constant(1, error));
          }};
}

SceneDescription scene(int cuts) {
  SceneDescription s = contact_scene("faceted billiards", 0, 0, 1);
  const TriangleMesh ball = icosphere(kRadius, cuts);
  s.bodies = {free_solid("shot", ball, start(), kShot), free_solid("target", ball, Vec3::Zero())};
  return s;
}

Case faceted(int cuts, int vertices) {
  return {
      .name = fmt::format("billiards_mesh_{}", vertices),
      .claim =
          "A ball of flat triangles sends another along the normal of the facet that it hits, which is the "
          "same for all "
          "shots at that facet: the goal's error is a staircase of the shot.",
      .source = "momentum of the impact; entry of a line into the Minkowski sum of the two polyhedra",
      .scene = [=] { return scene(cuts); },
      .time_step = kStep,
      .steps = 20,
      .expects = {equals(heading_error(cuts), 0.0,
                         {.absolute = 1e-9,
                          .covers = Covers::rounding,
                          .why = "the impulse is along a unit normal, and nothing else acts"}),
                  conserves(kinetic_energy(),
                            {.relative = 1e-12, .covers = Covers::rounding, .why = "e = 1, no friction"}),
                  conserves(
                      linear_momentum(),
                      {.relative = 1e-12, .covers = Covers::rounding, .why = "nothing acts from outside"}),
                  conserves(angular_momentum(), {.relative = 1e-12,
                                                 .covers = Covers::rounding,
                                                 .why = "both balls are pushed at one point"}),
                  never_intersects()},
  };
}

const RegisterCase billiards_42{faceted(1, 42)};
const RegisterCase billiards_162{faceted(2, 162)};
const RegisterCase billiards_642{faceted(3, 642)};

}  // namespace
}  // namespace jade::cases
