#include "step_contest.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "jade/base/atomic_file.h"
#include "jade_step_world.h"
#include "reference/judge/judge.h"
#include "reference/scene_kinematics.h"

namespace jade::benchmarks {
namespace {

// Judged states of a run; between them an overlap may go unseen, which favours the peers.
constexpr int kJudgedStates = 50;
// A batch is at least one step; a contender that is slow gets fewer of them.
constexpr double kMostSeconds = 3;
// An engine whose run takes longer than this is not waited for.
constexpr double kLongestRun = 20;

struct Contender {
  StepScore score;
  std::unique_ptr<reference::World> world;  ///< null once it has failed
  std::function<std::unique_ptr<reference::World>()> make;
  int calls = 1;
  std::vector<double> samples;
  double spent = 0;
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void give_up(Contender& contender, const std::exception& error) {
  contender.score.problem = error.what();
  contender.world.reset();
}

/// The whole run of a scene, with overlap and drift.
void run_judged(const StepScene& scene, judge::Judge& judge, Contender& contender) {
  try {
    contender.world = contender.make();
    reference::Frame before = contender.world->frame(), now;
    std::vector<Transform> poses;
    const int every = std::max(1, scene.steps / kJudgedStates);
    double spent = 0;
    for (int step = 1; step <= scene.steps; ++step) {
      spent += seconds_of([&] { contender.world->step(); });
      if (spent > kLongestRun)
        throw std::runtime_error(fmt::format("{} of {} steps took {:.0f} s", step, scene.steps, kLongestRun));
      if (step == scene.drift_from) before = contender.world->frame();
      if (step % every != 0 && step != scene.steps) continue;
      now = contender.world->frame();
      poses.clear();
      for (const reference::BodyState& body : now.bodies) poses.push_back(reference::pose_of(body));
      const judge::Judgement judged = judge.worst(poses);
      if (judged.not_finite >= 0) throw std::runtime_error("a pose is not finite");
      if (judged.worst >= 0)
        contender.score.overlap =
            std::max(contender.score.overlap, -judged.pairs[judged.worst].measured.separation.upper);
    }
    if (!scene.rests) return;
    for (std::size_t i = 0; i < now.bodies.size(); ++i)
      contender.score.drift =
          std::max(contender.score.drift, (now.bodies[i].position - before.bodies[i].position).norm());
    if (scene.falls_at > 0) contender.score.stands = contender.score.drift < scene.falls_at;
  } catch (const std::exception& error) {
    give_up(contender, error);
  }
}

/// One batch: more steps of a scene at rest, or the whole run from a new start that is not timed. Such a run is made once
/// before it is timed, so that caches hold an engine's code in both cases, whatever another one has put there in between.
void time_batch(const StepScene& scene, Contender& contender) {
  if (!contender.world || contender.spent > kMostSeconds) return;
  const auto run = [&](reference::World& world) {
    for (int i = 0; i < contender.calls; ++i) world.step();
  };
  try {
    if (!scene.rests) {
      const auto before = contender.make();
      contender.world = contender.make();
      run(*before);
    }
    const double seconds = seconds_of([&] { run(*contender.world); });
    contender.spent += seconds;
    contender.samples.push_back(seconds / contender.calls);
  } catch (const std::exception& error) {
    give_up(contender, error);
  }
}

void choose_calls(const StepScene& scene, const TimingSettings& settings, Contender& contender) {
  contender.calls = scene.steps;
  if (!scene.rests) return;
  contender.calls = 1;
  time_batch(scene, contender);
  time_batch(scene, contender);
  if (contender.samples.empty()) return;
  const double one = *std::min_element(contender.samples.begin(), contender.samples.end());
  contender.calls = std::max(1, static_cast<int>(settings.batch_seconds / one));
  contender.samples.clear();
}

void finish(Contender& contender) {
  std::vector<double>& samples = contender.samples;
  std::sort(samples.begin(), samples.end());
  if (samples.empty()) return;
  contender.score.minimum = samples.front();
  contender.score.tenth = samples[samples.size() / 10];
}

nlohmann::ordered_json row_of(const StepScore& s) {
  const bool resting = s.stands.has_value() || s.drift > 0;
  nlohmann::ordered_json row{s.scene, s.engine};
  if (!s.problem.empty()) {
    for (int i = 0; i < 6; ++i) row.push_back(nullptr);
    row.push_back("did not finish: " + s.problem);
    return row;
  }
  row.push_back(1e6 * s.minimum);
  row.push_back(1e6 * s.tenth);
  // No ratio where one of the two did not finish.
  if (s.ratio > 0)
    row.push_back(s.ratio);
  else
    row.push_back(nullptr);
  if (resting)
    row.push_back(1e3 * s.drift);
  else
    row.push_back(nullptr);
  row.push_back(1e3 * s.overlap);
  if (s.substeps > 0)
    row.push_back(s.substeps);
  else
    row.push_back(nullptr);
  row.push_back(s.stands ? (*s.stands ? "stands" : "has fallen") : "");
  return row;
}

void print(const StepScore& s) {
  if (!s.problem.empty()) {
    fmt::print("{:<26}{:<26}did not finish: {}\n", s.scene, s.engine, s.problem);
    return;
  }
  fmt::print("{:<26}{:<26}{:>10.2f}{:>10.2f}{:>8.3f}{:>12.3g}{:>12.3g}{:>8.3g}  {}\n", s.scene, s.engine,
             1e6 * s.minimum, 1e6 * s.tenth, s.ratio, s.drift, s.overlap, s.substeps,
             s.stands ? (*s.stands ? "stands" : "has fallen") : "");
}

}  // namespace

std::vector<StepScore> step_contest(const StepScene& scene, const std::vector<StepPeer>& peers,
                                    const TimingSettings& settings) {
  std::vector<Contender> contenders(1 + peers.size());
  contenders[0].score.engine = "jade";
  contenders[0].make = [&] { return std::make_unique<JadeStepWorld>(scene.scene, scene.time_step); };
  for (std::size_t i = 0; i < peers.size(); ++i) {
    contenders[i + 1].score.engine = peers[i].name;
    contenders[i + 1].make = [&scene, &peer = peers[i]] { return peer.make(scene); };
  }
  judge::Judge judge(scene.scene);
  for (Contender& contender : contenders) {
    contender.score.scene = scene.scene.name;
    run_judged(scene, judge, contender);
    choose_calls(scene, settings, contender);
  }
  for (int round = 0; round < settings.rounds; ++round)
    for (Contender& contender : contenders) time_batch(scene, contender);

  if (const auto* ours = dynamic_cast<const JadeStepWorld*>(contenders[0].world.get()))
    contenders[0].score.substeps = ours->substeps_a_step();
  std::vector<StepScore> scores;
  for (Contender& contender : contenders) {
    finish(contender);
    contender.score.ratio = contenders[0].score.minimum / contender.score.minimum;
    scores.push_back(contender.score);
  }
  return scores;
}

int step_benchmark_main(int argc, char** argv, const std::string& title,
                        const std::vector<std::string>& notes, const std::vector<StepPeer>& peers) {
  TimingSettings settings;
  std::string file, only;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      settings.rounds = 30;
    } else if (argument == "--json" && i + 1 < argc) {
      file = argv[++i];
    } else if (argument == "--scene" && i + 1 < argc) {
      only = argv[++i];
    } else {
      const bool help = argument == "--help";
      fmt::print(help ? stdout : stderr,
                 "{}\n\nusage: {} [--json FILE] [--quick] [--scene TEXT]\n"
                 "  --json FILE   write the table there as well\n"
                 "  --quick       a tenth of the batches: a look, not a measurement\n"
                 "  --scene TEXT  only scenes whose name holds TEXT\n",
                 title, argv[0]);
      return help ? 0 : 2;
    }
  }
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  fmt::print("{:<26}{:<26}{:>10}{:>10}{:>8}{:>12}{:>12}{:>8}\n", "scene", "engine", "min µs", "tenth µs",
             "ratio", "drift m", "overlap m", "parts");
  for (const StepScene& scene : step_scenes()) {
    if (scene.scene.name.find(only) == std::string::npos) continue;
    fmt::print(stderr, "measuring: {}\n", scene.scene.name);
    for (const StepScore& score : step_contest(scene, peers, settings)) {
      print(score);
      rows.push_back(row_of(score));
    }
  }
  nlohmann::ordered_json all{
      {"title", title},
      {"columns",
       {"scene", "engine", "minimum µs", "tenth µs", "ratio", "drift mm", "overlap mm", "sub-steps", ""}},
      {"rows", rows},
      {"notes",
       {"Time of one step; batches in turn in one process. The ratio is ours over theirs, by minima.",
        "Overlap: the deepest that an independent judge found in up to 50 states of a run; drift: of any "
        "body, over 5 s (arm: the last 4 s, bin: the last second). Resting scenes are timed after these 5 "
        "s."}}};
  for (const std::string& note : notes) all["notes"].push_back(note);
  try {
    if (!file.empty()) write_file(file, all.dump(2) + '\n');
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
  return 0;
}

}  // namespace jade::benchmarks
