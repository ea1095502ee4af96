/// Articulated dynamics and their derivatives beside MuJoCo, and how the cost grows with the length of a chain.

#include <fmt/core.h>

#include "jade_dynamics.h"
#include "mechanisms.h"
#include "reference/mujoco/mujoco_mechanism.h"

namespace jade::benchmarks {
namespace {

void compare_with_mujoco(const SceneDescription& scene, const TimingSettings& settings,
                         std::vector<ComparisonResult>& results) {
  JadeDynamics ours(scene);
  reference::MujocoMechanism mechanism(ours.model);
  mechanism.set_state(ours.state, ours.effort);
  mjModel* m = mechanism.model();
  mjData* d = mechanism.data();
  // Smooth dynamics alone: nothing touches, and nothing is looked for.
  m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_LIMIT;

  Comparison forward(scene.name + ", forward dynamics", settings);
  forward.add("jade", [&] { ours.forward(); });
  forward.add("mujoco mj_forward", [=] { mj_forward(m, d); });
  results.push_back(forward.run());

  Comparison inverse(scene.name + ", inverse dynamics", settings);
  inverse.add("jade", [&] { ours.inverse(); });
  inverse.add("mujoco mj_inverse", [=] { mj_inverse(m, d); });
  results.push_back(inverse.run());

  Comparison mass(scene.name + ", mass matrix", settings);
  mass.add("jade", [&] { ours.mass_matrix(); });
  mass.add("mujoco mj_kinematics, comPos, crb", [=] {
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
  });
  results.push_back(mass.run());

  // MuJoCo differentiates by differences of whole steps.
  Comparison derivatives(scene.name + ", derivatives", settings);
  std::vector<mjtNum> A(static_cast<std::size_t>(4 * m->nv * m->nv));
  derivatives.add("jade, all of da/d(q, v, tau)", [&] { ours.forward_derivatives(); });
  derivatives.add("jade, forward dynamics alone", [&] { ours.forward(); });
  derivatives.add("mujoco mjd_transitionFD",
                  [&, m, d] { mjd_transitionFD(m, d, 1e-6, 0, A.data(), nullptr, nullptr, nullptr); });
  results.push_back(derivatives.run());
}

/// All lengths in one comparison, so that they see the same phases of the machine.
void measure_growth(const TimingSettings& settings, std::vector<ComparisonResult>& results) {
  Comparison growth("forward dynamics of a chain, per link", settings);
  std::vector<std::unique_ptr<JadeDynamics>> chains;
  const std::vector<int> lengths{160, 10, 20, 40, 80};
  for (const int links : lengths) {
    chains.push_back(std::make_unique<JadeDynamics>(chain(links)));
    growth.add(fmt::format("{} links", links), [chain = chains.back().get()] { chain->forward(); });
  }
  ComparisonResult result = growth.run();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    result.timings[i].minimum /= lengths[i];
    result.timings[i].tenth /= lengths[i];
  }
  results.push_back(result);
}

std::vector<ComparisonResult> measure(const TimingSettings& settings) {
  std::vector<ComparisonResult> results;
  // MuJoCo reads XML that is nested up to 100 deep, which leaves room for 96 links.
  for (const SceneDescription& scene : {arm(), humanoid(), chain(96)}) {
    fmt::print(stderr, "measuring: {}\n", scene.name);
    compare_with_mujoco(scene, settings, results);
  }
  measure_growth(settings, results);
  return results;
}

}  // namespace
}  // namespace jade::benchmarks

int main(int argc, char** argv) {
  return jade::benchmarks::benchmark_main(argc, argv, "Articulated dynamics beside MuJoCo ",
                                          jade::benchmarks::measure);
}
