#include <fmt/format.h>

#include "cases/case.h"
#include "cases/scenes.h"
#include "reference/closed_form/sliding.h"

namespace jade::cases {
namespace {

constexpr double kStep = 0.01, kHeight = 0.2;
constexpr closed_form::SlidingBlock kBlock{.speed0 = 2, .friction = 0.16, .gravity = 9};

struct Table {
  const char* name;
  const char* words;
  Shape shape;
  Placement at;
};

/// All three have their surface at z = 0. The mesh has 2048 triangles, of which a prism crosses many on its way.
std::vector<Table> tables() {
  const Vec3 low(-1, -1, -0.25), high(3, 1, 0);
  return {{"plane", "a half-space", HalfSpace{}, {}},
          {"box", "a box", Box{high - low}, {.position = (low + high) / 2}},
          {"mesh", "a table of 2048 triangles", mesh_box(low, high, {16, 16, 8}), {}}};
}

SceneDescription scene(int sides, const Table& table) {
  SceneDescription s = contact_scene("sliding_prism", kBlock.gravity, kBlock.friction, 0);
  // Turned by an angle without symmetry, so that corners carry different loads.
  s.bodies = {fixed_solid("table", table.shape, table.at),
              free_solid("prism", prism(sides, 0.15, kHeight, 0.3), Vec3(0, 0, kHeight / 2 + kStandoff),
                         Vec3(kBlock.speed0, 0, 0))};
  return s;
}

Case sliding_prism(int sides, const Table& table) {
  const Tolerance exact{
      .absolute = 1e-9,
      .covers = Covers::rounding,
      .why =
          "constant force, and the moment of stopping is located: rounding of about 1e-12 of the "
          "speed, times 1.4 s and a margin of 100 for four to twelve corners sharing one load"};
  const Tolerance drops{.absolute = 1.1 * kBlock.friction * kStandoff / kStep,
                        .covers = Covers::model_limit,
                        .why =
                            "an engine without a gap falls by the standoff δ first, and friction misses the "
                            "impulse μ m δ/h; 10 % for "
                            "the fall's taking two steps"};
  const Tolerance stays{.absolute = 1e-9, .covers = Covers::rounding, .why = exact.why};
  return {
      .name = fmt::format("sliding_prism_{}_on_{}", sides, table.name),
      .claim = fmt::format(
          "A prism of {} sides on {} loses 0.0144 m/s a step to friction and stops after 25/18 s and "
          "25/18 m.",
          sides, table.words),
      .source = "Coulomb friction: v = v₀ − μ g t",
      .scene = [=] { return scene(sides, table); },
      .time_step = kStep,
      .steps = 150,
      .expects =
          {equals(velocity_of("prism", 0), [](double t) { return kBlock.speed(t); },
                  {.absolute = 1e-10,
                   .covers = Covers::rounding,
                   .why = "friction is constant while it slides: every scheme is exact"}),
           equals(
               position_of("prism", 0), [](double t) { return kBlock.distance(t); }, exact)
               .at_first_order({.absolute = kBlock.speed0 * kStep / 2 + kBlock.deceleration() * kStep * kStep,
                                .why =
                                    "Euler's rules use the speed of one end of each step: ½ μ g h t in all, "
                                    "v₀ h/2 at the stop, and the step that holds the stop"}),
           equals(position_of("prism", 1), 0.0, stays),
           equals(position_of("prism", 2), kHeight / 2 + kStandoff, stays)
               .at_first_order({.absolute = 1.01 * kStandoff,
                                .covers = Covers::model_limit,
                                .why = "an engine without a gap drops by the standoff"}),
           equals(orientation_error("prism", [](double) { return Mat3::Identity(); }), 0.0,
                  {.absolute = 1e-8, .covers = Covers::rounding, .why = "the same over a width of 0.15 m"}),
           never_intersects()},
  };
}

const std::vector<RegisterCase> registered = [] {
  std::vector<RegisterCase> cases;
  for (const Table& table : tables()) {
    for (const int sides : {3, 4, 6, 12}) cases.emplace_back(sliding_prism(sides, table));
  }
  return cases;
}();

}  // namespace
}  // namespace jade::cases
