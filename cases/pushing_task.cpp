#include "cases/pushing_task.h"

#include "cases/scenes.h"

namespace jade::cases {

SceneDescription pushing_scene() {
  SceneDescription s = contact_scene("pushing", 0, 0, 1);
  s.bodies = {free_solid("first", Sphere{0.2}, Vec3(-2, -2, 0)),
              free_solid("second", Sphere{0.2}, Vec3(-1, -1, 0))};
  for (BodyDescription& body : s.bodies)
    body.inertia = InertiaDescription{.mass = 1, .inertia = 0.4 * 0.04 * Mat3::Identity()};
  const Signal three{.times = {0}, .values = {3}}, none{.times = {0}, .values = {0}};
  s.bodies[0].joint.effort = {three, three, none, none, none, none};
  return s;
}

Outcome pushing_cost(const Model& model) {
  const int x1 = coordinate_of(model, "first", 0), x2 = coordinate_of(model, "second", 0);
  const Outcome end = readings(model, {{.coordinate = x2}, {.coordinate = x2 + 1}});
  return {.names = {"cost"},
          .value =
              [=](const Experiment& e, const Rollout& r) {
                double effort = 0;
                for (const Controls& c : r.controls) effort += c.effort.segment<2>(x1).squaredNorm();
                return VecX::Constant(1, end.value(e, r).squaredNorm() + 0.1 * r.settings.h * effort);
              },
          .cotangents =
              [=](const Experiment& e, const Rollout& r, int) {
                RolloutCotangents cotangents = no_cotangents(r);
                VecX& q = cotangents.states.back().q = VecX::Zero(e.model.nv());
                q.segment<2>(x2) = 2 * end.value(e, r);
                for (const Controls& c : r.controls) {
                  VecX direct = VecX::Zero(e.model.nv());
                  direct.segment<2>(x1) = 0.2 * r.settings.h * c.effort.segment<2>(x1);
                  cotangents.effort.push_back(direct);
                }
                return cotangents;
              }};
}

}  // namespace jade::cases
