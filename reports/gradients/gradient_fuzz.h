#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "campaign/table.h"
#include "gradient_trial/gradient_trial.h"

namespace jade::reports {

struct GradientFuzzSettings {
  std::uint64_t count = 1000;  ///< worlds
  std::uint64_t seed = 1;
  std::uint64_t first = 0;  ///< index of the first world
  int jobs = 1;
  /// In general position: nothing is placed to touch without a load, where the physics itself has a kink.
  generators::Climate climate{.touching = false, .most_things = 4};
  gradient_trial::TrialSettings trial;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t done)> progress = {};
};

/// World and directions of one index: they depend on seed and index alone.
struct GradientDraw {
  generators::World world;
  std::uint64_t numbers = 0;
};
GradientDraw draw(const GradientFuzzSettings& settings, std::uint64_t index);

/// What was seen of one direction over all worlds.
struct DirectionTally {
  std::uint64_t regular = 0, kinks = 0, unresolved = 0;
  double worst = 0;             ///< relative error where regular
  double worst_outside = 0;     ///< at kinks: distance from the interval between both sides, relative
  std::uint64_t outside = 0;    ///< kinks at which that is beyond the tolerance
  std::uint64_t one_sided = 0;  ///< kinks whose sides step_along knows, and differences to the tolerance
  double worst_one_sided = 0;   ///< relative error of either side there
  std::uint64_t passed = 0;     ///< the screen, and not judged
  std::array<std::uint64_t, 17> digits = {};  ///< of regular ones, rounded down
};

struct GradientFailure {
  /// In the place of a direction: products from the left are not those of the Jacobian.
  static constexpr std::size_t kProducts = gradient_trial::GradientTrial::kDirections.size();

  std::uint64_t index = 0;
  std::size_t direction = 0;
  double error = 0;
  std::string why;         ///< what the gradient says of itself there
  bool one_sided = false;  ///< of a derivative to one side

  std::string what() const;
};

/// The same for any number of jobs.
struct GradientFuzzResult {
  std::uint64_t done = 0;
  bool interrupted = false;
  std::array<DirectionTally, 3> directions;
  std::uint64_t regular = 0;  ///< worlds in which all three directions are
  /// Worlds in which some step says that it has no gradient, and why; and those of them in which differences settle. They are
  /// not regular, and no direction of theirs is tallied.
  std::uint64_t without_gradient = 0, without_gradient_settled = 0;
  std::uint64_t loaded =
      0;  ///< worlds in which nothing was placed to touch without a load, see generators::World
  std::uint64_t regular_loaded = 0;  ///< regular ones among them
  std::uint64_t errors = 0;          ///< worlds that a step refused
  std::uint64_t with_impacts = 0, with_contacts = 0;
  std::uint64_t wrong = 0;                 ///< regular worlds in which some direction is beyond the tolerance
  std::vector<std::uint64_t> not_claimed;  ///< regular worlds whose gradient says that it is not, by index
  std::vector<std::uint64_t> wrongly_claimed;  ///< worlds with a kink whose gradient says that it is regular
  double worst_transpose = 0;                  ///< of Jᵀ against J
  std::optional<std::uint64_t> worst_transpose_index;  ///< the first world in which it is that
  std::uint64_t wrong_products = 0;                    ///< worlds in which it is beyond the tolerance
  std::uint64_t wrong_sides = 0;  ///< directions with a derivative to one side that is wrong
  /// Regular directions beyond the tolerance, by index; also those of worlds that other directions show a kink of. Derivatives
  /// to one side that are beyond it, and by more than differences are known to. And products from the left that are beyond
  /// theirs, whether the world is regular or not.
  std::vector<GradientFailure> failures;

  double regular_share() const { return share(regular, done); }
  double regular_share_of_loaded() const { return share(regular_loaded, loaded); }

 private:
  static double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

GradientFuzzResult fuzz_gradients(const GradientFuzzSettings& settings);

Table table_of(const GradientFuzzSettings& settings, const GradientFuzzResult& result);
nlohmann::ordered_json to_json(const GradientFuzzSettings& settings, const GradientFuzzResult& result);

/// A failure as a file: the scene, and what is needed to make the two steps and the direction again.
std::string saved_draw(const GradientFuzzSettings& settings, const GradientFailure& failure);

}  // namespace jade::reports
