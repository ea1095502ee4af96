#include <cmath>
#include <cstdio>

#include "jade/base/version.h"
#include "jade/gradients/rollout.h"
#include "jade/model/scene_json.h"

/// Reads a scene, throws a stone up for a second, and asks how high it ends by the speed that it was thrown with: T.
int main() {
  const jade::SceneDescription scene = jade::scene_from_json(R"({
    "schema": 1, "gravity": [0, 0, -10],
    "bodies": [{"name": "stone", "joint": {"kind": "free", "velocity": [0, 0, 5, 0, 0, 0]},
                "inertia": {"mass": 2, "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}]
  })");
  const jade::Model model = jade::build_model(scene);
  jade::StepWorkspace workspace(model);
  jade::GradientWorkspace gradients(model);

  const jade::Rollout run =
      jade::rollout(model, jade::initial_state(model), {}, {.h = 0.01, .steps = 100}, workspace);
  jade::RolloutCotangents loss = jade::no_cotangents(run);
  loss.states.back() = {.q = jade::VecX::Unit(model.nv(), 2), .v = jade::VecX::Zero(model.nv())};
  const jade::RolloutGradient gradient =
      jade::rollout_gradient(model, run, loss, jade::parameters_of(model), workspace, gradients);

  const double height = run.states.back().q[2], by_speed = gradient.v0[2];
  std::printf("Jade %s: the stone is back at %g m; faster by 1 m/s it would be at %g m\n", jade::version(),
              height, height + by_speed);
  return std::abs(height) < 1e-12 && std::abs(by_speed - 1) < 1e-12 ? 0 : 1;
}
