/// Steps beside MuJoCo with the settings that it comes with.

#include <stdexcept>

#include "mujoco_scene.h"
#include "step_contest.h"

namespace jade::benchmarks {
namespace {

class MujocoWorld final : public reference::World {
 public:
  explicit MujocoWorld(const StepScene& scene) : scene_(scene) {}

  reference::EngineInfo info() const override { return {.engine = "mujoco"}; }

  void step() override {
    mj_step(scene_.model.get(), scene_.data.get());
    for (const int warning : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQACC})
      if (scene_.data->warning[warning].number > 0)
        throw std::runtime_error(mju_warningText(warning, scene_.data->warning[warning].lastinfo));
  }

  reference::Frame frame() const override {
    mj_kinematics(scene_.model.get(), scene_.data.get());
    reference::Frame frame;
    for (const int id : scene_.bodies) {
      const mjtNum *p = scene_.data->xpos + 3 * id, *q = scene_.data->xquat + 4 * id;
      frame.bodies.push_back({Vec3(p[0], p[1], p[2]), Quat(q[0], q[1], q[2], q[3])});
    }
    return frame;
  }

 private:
  MujocoScene scene_;
};

}  // namespace
}  // namespace jade::benchmarks

int main(int argc, char** argv) {
  using namespace jade::benchmarks;
  return step_benchmark_main(
      argc, argv, "Steps beside MuJoCo",
      {"MuJoCo as it comes: Newton's method, pyramidal friction cone, soft contacts, Euler steps.",
       "Of the arm's twelve contacts it has those that overlap, three or six at the edge of the hand: with "
       "all "
       "twelve its step is timed beside ours in gradient_beside_mujoco."},
      {{"mujoco", [](const StepScene& scene) { return std::make_unique<MujocoWorld>(scene); }}});
}
