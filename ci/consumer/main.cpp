#include <cmath>
#include <cstdio>

#include "jade/base/version.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/model/model.h"
#include "jade/model/scene_json.h"

/// Reads a scene, builds it and asks for an acceleration: a mass of 2 kg falls with g.
int main() {
  const jade::SceneDescription scene = jade::scene_from_json(R"({
    "schema": 1, "gravity": [0, 0, -10],
    "bodies": [{"name": "stone", "joint": {"kind": "free"},
                "inertia": {"mass": 2, "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}]
  })");
  const jade::Model model = jade::build_model(scene);
  const jade::VecX a =
      jade::forward_dynamics(model, jade::initial_state(model), jade::VecX::Zero(model.nv()));
  std::printf("Jade %s: the stone falls with %g m/s^2\n", jade::version(), a[2]);
  return std::abs(a[2] + 10) < 1e-12 ? 0 : 1;
}
