#include "gradients/gradient_fuzz.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "campaign/index_pool.h"
#include "jade/model/scene_json.h"

namespace jade::reports {
namespace {

using gradient_trial::GradientTrial;
using Json = nlohmann::ordered_json;

// How many times the error of differences may be what they estimate, as they are tested for.
constexpr double kUnderestimated = 10;

/// What is kept of a trial: of a long campaign there are many.
struct Summary {
  bool done = false, exists = true, settles = false, kink = false, claims_regular = false;
  bool impacts = false, contacts = false, error = false;
  bool loaded = true;
  double transpose = 0;
  std::array<Smoothness, 3> smoothness{};
  std::array<bool, 3> passed{};
  std::array<double, 3> errors{};
  std::array<double, 3> differences_known{};  ///< error estimate
  std::array<std::optional<double>, 3> one_sided{};
  std::string why;
};

Summary summary(const generators::World& world, const GradientTrial& trial) {
  Summary s{.done = true,
            .exists = trial.regularity.exists,
            .settles = trial.settles(),
            .kink = trial.kink(),
            .claims_regular = trial.regularity.regular && trial.regularity.exists,
            .impacts = trial.impacts > 0,
            .contacts = trial.contacts > 0,
            .error = !trial.error.empty(),
            .loaded = !world.touches_without_load,
            .transpose = trial.transpose_error,
            .why = trial.regularity.why};
  for (std::size_t k = 0; k < 3; ++k) {
    s.smoothness[k] = trial.directions[k].check.differences.smoothness;
    s.passed[k] = trial.directions[k].passed;
    s.errors[k] = trial.directions[k].check.error;
    s.differences_known[k] = trial.directions[k].check.differences.error;
    s.one_sided[k] = trial.directions[k].one_sided_error;
  }
  return s;
}

void count(DirectionTally& tally, Smoothness smoothness, double error, double tolerance) {
  switch (smoothness) {
    case Smoothness::regular: {
      ++tally.regular;
      tally.worst = std::max(tally.worst, error);
      const double digits = std::clamp(-std::log10(std::max(error, 1e-300)), 0.0, 16.0);
      ++tally.digits[static_cast<std::size_t>(digits)];
      break;
    }
    case Smoothness::kink:
      ++tally.kinks;
      tally.worst_outside = std::max(tally.worst_outside, error);
      tally.outside += error > tolerance;
      break;
    default:
      ++tally.unresolved;
  }
}

std::uint64_t between(const DirectionTally& tally, std::size_t from, std::size_t end) {
  std::uint64_t sum = 0;
  for (std::size_t d = from; d < end; ++d) sum += tally.digits[d];
  return sum;
}

}  // namespace

std::string GradientFailure::what() const {
  if (direction == kProducts) return "products from the left";
  return std::string(GradientTrial::kDirections[direction]) + (one_sided ? ", to one side" : "");
}

GradientDraw draw(const GradientFuzzSettings& settings, std::uint64_t index) {
  return {generators::random_world(settings.seed, index, settings.climate),
          generators::mixed_seed(settings.seed, "gradient", index)};
}

GradientFuzzResult fuzz_gradients(const GradientFuzzSettings& settings) {
  std::vector<Summary> summaries(settings.count);
  GradientFuzzResult result;
  result.done = run_indices(
      {.count = settings.count, .jobs = settings.jobs, .stop = settings.stop, .progress = settings.progress},
      [&](std::size_t, std::uint64_t k) {
        const GradientDraw one = draw(settings, settings.first + k);
        summaries[k] =
            summary(one.world, gradient_trial::try_gradient(one.world, one.numbers, settings.trial));
      });
  result.interrupted = result.done < settings.count;
  for (std::uint64_t k = 0; k < settings.count; ++k) {
    const Summary& s = summaries[k];
    if (!s.done) continue;
    result.loaded += s.loaded;
    result.errors += s.error;
    if (s.error) continue;
    result.with_impacts += s.impacts;
    result.with_contacts += s.contacts;
    if (!s.exists) {
      ++result.without_gradient;
      result.without_gradient_settled += s.settles;
      continue;
    }
    result.regular += s.settles;
    result.regular_loaded += s.settles && s.loaded;
    if (s.settles && !s.claims_regular) result.not_claimed.push_back(settings.first + k);
    if (s.kink && s.claims_regular) result.wrongly_claimed.push_back(settings.first + k);
    if (!result.worst_transpose_index || result.worst_transpose < s.transpose) {
      result.worst_transpose = s.transpose;
      result.worst_transpose_index = settings.first + k;
    }
    const std::size_t failures = result.failures.size();
    for (std::size_t d = 0; d < 3; ++d) {
      if (s.passed[d]) {
        ++result.directions[d].passed;
        continue;
      }
      count(result.directions[d], s.smoothness[d], s.errors[d], settings.trial.tolerance);
      if (s.smoothness[d] == Smoothness::regular && !(s.errors[d] <= settings.trial.tolerance))
        result.failures.push_back({settings.first + k, d, s.errors[d], s.why});
    }
    result.wrong += s.settles && result.failures.size() > failures;
    for (std::size_t d = 0; d < 3; ++d) {
      if (!s.one_sided[d] || s.differences_known[d] > settings.trial.tolerance) continue;
      DirectionTally& tally = result.directions[d];
      ++tally.one_sided;
      tally.worst_one_sided = std::max(tally.worst_one_sided, *s.one_sided[d]);
      if (*s.one_sided[d] <= settings.trial.tolerance + kUnderestimated * s.differences_known[d]) continue;
      ++result.wrong_sides;
      result.failures.push_back({.index = settings.first + k,
                                 .direction = d,
                                 .error = *s.one_sided[d],
                                 .why = s.why,
                                 .one_sided = true});
    }
    if (!(s.transpose <= settings.trial.transpose_tolerance)) {
      ++result.wrong_products;
      result.failures.push_back({settings.first + k, GradientFailure::kProducts, s.transpose, s.why});
    }
  }
  return result;
}

Table table_of(const GradientFuzzSettings& settings, const GradientFuzzResult& result) {
  Table table{
      .title = "Gradients of two steps of random worlds against differences",
      .columns = {"direction", "worlds", "regular", "kink", "unresolved", "worst rel. error", "< 6 digits",
                  "6–8", "8–10", "≥ 10", "kinks outside", "worst outside", "both sides known", "worst side"},
      .rows = {},
      .notes = {}};
  for (std::size_t d = 0; d < 3; ++d) {
    const DirectionTally& t = result.directions[d];
    const auto whole = [](std::uint64_t n) { return static_cast<long long>(n); };
    table.rows.push_back({GradientTrial::kDirections[d], whole(t.passed + t.regular + t.kinks + t.unresolved),
                          whole(t.regular), whole(t.kinks), whole(t.unresolved), t.worst,
                          whole(between(t, 0, 6)), whole(between(t, 6, 8)), whole(between(t, 8, 10)),
                          whole(between(t, 10, 17)), whole(t.outside), t.worst_outside, whole(t.one_sided),
                          t.worst_one_sided});
  }
  const std::string screen = fmt::format(
      "A screen: {}, {} and {} directions passed because a near central difference agrees, and were "
      "not judged; shares of regular worlds and of claims are those of the rest, and say nothing.",
      result.directions[0].passed, result.directions[1].passed, result.directions[2].passed);
  table.notes = {
      fmt::format("Seed {}, worlds {} … {}; {} with contacts, {} with impacts in the two steps, {} that no "
                  "step could be taken from.",
                  settings.seed, settings.first, settings.first + settings.count - 1, result.with_contacts,
                  result.with_impacts, result.errors),
      fmt::format(
          "Regular in all three directions: {} of {} ({:.1f} %), as differences from both sides see "
          "it; the gradient has no say in it but that it does not exist, as in {} worlds (bodies meet "
          "more often than the patience of a step allows, say), in {} of which differences settle.",
          result.regular, result.done, 100 * result.regular_share(), result.without_gradient,
          result.without_gradient_settled),
      fmt::format("Beyond the tolerance of {:.0e} in some direction: {} of these regular worlds, and {} "
                  "directions of all "
                  "worlds in which differences settle.",
                  settings.trial.tolerance, result.wrong,
                  result.failures.size() - result.wrong_products - result.wrong_sides),
      fmt::format("Among the {} worlds in which nothing was placed to touch without a load, a kink of the "
                  "physics at a start of measure zero: {} ({:.1f} %){}.",
                  result.loaded, result.regular_loaded, 100 * result.regular_share_of_loaded(),
                  settings.climate.touching ? "" : "; with --touching such worlds are drawn as well"),
      fmt::format("The gradient calls {} of these irregular, and {} worlds with a kink regular.",
                  result.not_claimed.size(), result.wrongly_claimed.size()),
      fmt::format(
          "At a kink between touching and leaving step_along knows the derivatives to both sides, and "
          "differences of each judge them: beyond the tolerance, and ten times what these are known to: "
          "{} directions.",
          result.wrong_sides),
      fmt::format(
          "Products from the left against the Jacobians: worst relative difference beyond measured "
          "rounding {:.1e}{}; beyond the tolerance of {:.0e}: {} worlds.",
          result.worst_transpose,
          result.worst_transpose_index ? fmt::format(" (world {})", *result.worst_transpose_index) : "",
          settings.trial.transpose_tolerance, result.wrong_products)};
  if (settings.trial.screen) table.notes.insert(table.notes.begin() + 1, screen);
  return table;
}

Json to_json(const GradientFuzzSettings& settings, const GradientFuzzResult& result) {
  Json directions = Json::array(), failures = Json::array(), worst_index;
  if (result.worst_transpose_index) worst_index = *result.worst_transpose_index;
  for (std::size_t d = 0; d < 3; ++d) {
    const DirectionTally& t = result.directions[d];
    directions.push_back({{"direction", GradientTrial::kDirections[d]},
                          {"passed_screen", t.passed},
                          {"regular", t.regular},
                          {"kinks", t.kinks},
                          {"unresolved", t.unresolved},
                          {"worst_relative_error", t.worst},
                          {"outside_at_kinks", t.outside},
                          {"worst_outside_at_kinks", t.worst_outside},
                          {"kinks_with_both_sides_known", t.one_sided},
                          {"worst_one_sided_error", t.worst_one_sided},
                          {"digits", t.digits}});
  }
  for (const GradientFailure& f : result.failures) {
    failures.push_back(
        {{"index", f.index}, {"direction", f.what()}, {"relative_error", f.error}, {"nearest_kink", f.why}});
  }
  return {{"seed", settings.seed},
          {"first", settings.first},
          {"count", settings.count},
          {"done", result.done},
          {"interrupted", result.interrupted},
          {"tolerance", settings.trial.tolerance},
          {"touching", settings.climate.touching},
          {"screen", settings.trial.screen},
          {"regular", result.regular},
          {"regular_share", result.regular_share()},
          {"regular_but_wrong", result.wrong},
          {"without_gradient", result.without_gradient},
          {"without_gradient_but_settled", result.without_gradient_settled},
          {"without_unloaded_touching", result.loaded},
          {"regular_without_unloaded_touching", result.regular_loaded},
          {"regular_share_without_unloaded_touching", result.regular_share_of_loaded()},
          {"with_contacts", result.with_contacts},
          {"with_impacts", result.with_impacts},
          {"refused_by_step", result.errors},
          {"regular_but_not_claimed", result.not_claimed},  // indices of worlds
          {"kink_but_claimed_regular", result.wrongly_claimed},
          {"worst_transpose_error", result.worst_transpose},
          {"worst_transpose_index", worst_index},
          {"with_wrong_sides", result.wrong_sides},
          {"transpose_tolerance", settings.trial.transpose_tolerance},
          {"with_wrong_products", result.wrong_products},
          {"directions", std::move(directions)},
          {"failures", std::move(failures)}};
}

std::string saved_draw(const GradientFuzzSettings& settings, const GradientFailure& failure) {
  const GradientDraw one = draw(settings, failure.index);
  const Json file = {{"seed", settings.seed},       {"index", failure.index},
                     {"numbers", one.numbers},      {"time_step", one.world.h},
                     {"direction", failure.what()}, {"relative_error", failure.error},
                     {"nearest_kink", failure.why}, {"scene", Json::parse(scene_to_json(one.world.scene))}};
  return file.dump(2) + "\n";
}

}  // namespace jade::reports
