#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "ccd/ccd_check.h"
#include "ccd/ccd_fuzz.h"
#include "cli/campaign_terminal.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/numbers.h"
#include "jade/base/atomic_file.h"
#include "jade/base/error.h"

namespace jade::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDifferencesPrinted = 20;

/// One line on the terminal that replaces itself; nothing when the output goes to a file.
void show_progress(const std::string& what) {
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K{}", what);
}

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> methods{"exact"};
  std::string kind;
  std::string table;
  int passes = 9;
  bool json = false;
};

CcdKind kind_of(const std::string& path, const std::string& stated) {
  if (stated == "vertex-face") return CcdKind::vertex_face;
  if (stated == "edge-edge") return CcdKind::edge_edge;
  if (const auto kind = reference::kind_from_path(path)) return *kind;
  throw InvalidInput("query file \"" + path + "\"",
                     {{"path", "names neither vertex-face nor edge-edge", "say which with --kind"}});
}

Json to_json(const reports::CcdCheck& check) {
  Json tallies = Json::array(), differences = Json::array();
  for (const reports::CcdTally& t : check.tallies) {
    tallies.push_back({{"method", t.method->name},
                       {"kind", reports::name_of(t.kind)},
                       {"queries", t.queries},
                       {"hits", t.hits},
                       {"false_negatives", t.false_negatives},
                       {"false_positives", t.false_positives},
                       {"by_exact_arithmetic", t.by_exact_arithmetic},
                       {"not_asked", t.not_asked},
                       {"microseconds", {{"median", t.median_us}, {"p99", t.p99_us}, {"worst", t.worst_us}}},
                       {"keeps_promise", t.keeps_promise()}});
  }
  for (const reports::CcdDifference& d : check.differences) {
    differences.push_back(
        {{"method", d.method->name}, {"file", d.path}, {"line", d.line}, {"truth", d.truth}});
  }
  return {{"promises_kept", check.promises_kept()}, {"results", tallies}, {"differences", differences}};
}

void print(const reports::CcdCheck& check) {
  fmt::print("{}", to_text(reports::table_of(check)));
  std::size_t printed = 0;
  for (const reports::CcdDifference& d : check.differences) {
    if (printed++ == kDifferencesPrinted) {
      fmt::print("… and {} more differences; --json lists them all\n",
                 check.differences.size() - kDifferencesPrinted);
      break;
    }
    fmt::print("{}: {} at {}:{}\n", d.method->name, d.truth ? "missed a hit" : "false hit", d.path, d.line);
  }
}

int run_check(const CheckOptions& options) {
  make_ready({.folder = {}, .file = options.table});
  reports::CcdCheckSettings settings{.methods = {}, .passes = options.passes, .progress = show_progress};
  for (const std::string& name : options.methods)
    settings.methods.push_back(&reports::ccd_method_named(name));
  std::vector<reports::CcdFile> files;
  for (const std::string& path : options.files) {
    show_progress("reading " + path);
    const CcdKind kind = kind_of(path, options.kind);
    files.push_back({path, kind, reference::read_ccd_queries(path, kind)});
  }
  // Nothing asked is nothing passed.
  if (std::ranges::all_of(files, [](const reports::CcdFile& file) { return file.queries.empty(); }))
    throw InvalidInput("query files", {{"FILE", "holds no query", "give eight rows for every query"}});
  const reports::CcdCheck check = reports::check_ccd(files, settings);
  show_progress("");
  if (options.json) {
    fmt::print("{}\n", to_json(check).dump(2));
  } else {
    print(check);
  }
  if (!options.table.empty()) write_file(options.table, to_json(reports::table_of(check)).dump(2) + "\n");
  return check.promises_kept() ? kSuccess : kFailure;
}

std::string method_help() {
  std::string text = "How to decide; may be repeated.";
  for (const reports::CcdMethod& method : reports::ccd_methods()) {
    text += fmt::format(" {}: {}.", method.name, method.says);
  }
  return text;
}

void add_check(CLI::App& ccd, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* check = ccd.add_subcommand(
      "check", "Decide recorded vertex-face and edge-edge queries and compare with the truth in the files");
  check->add_option("FILE", options->files, "Query files: eight rows of seven integers a query")->required();
  check->add_option("--method", options->methods, method_help())
      ->allow_extra_args(false)  // what follows the name is a file
      ->capture_default_str();
  check->add_option("--kind", options->kind, "What the files hold; otherwise a folder or file name says it")
      ->check(CLI::IsMember({"vertex-face", "edge-edge"}));
  check->add_option("--passes", options->passes, "Passes for the timing; the fastest of each query counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  check->add_option("--table", options->table, "Also write the table to this file, as JSON for the report");
  check->add_flag("--json", options->json, "Print everything as JSON");
  check->footer(
      "Exit code 1 if a method gave an answer that it promises never to give, 2 for files that are not of "
      "the format, 3 for files that cannot be read or written.");
  check->callback([options, &exit_code] { exit_code = run_check(*options); });
}

struct FuzzOptions {
  reports::CcdFuzzSettings settings;
  std::vector<std::string> methods;
  std::string table;
  bool json = false;
};

/// The sweeps whose name begins with one of the given method names; all of them if none is given.
std::vector<reports::SweepMethod> sweeps_named(const std::vector<std::string>& names) {
  std::vector<reports::SweepMethod> all = reports::sweep_methods();
  if (names.empty()) return all;
  std::vector<reports::SweepMethod> chosen;
  for (const std::string& name : names) {
    const std::size_t before = chosen.size();
    for (const reports::SweepMethod& method : all) {
      if (method.name.substr(0, method.name.find(',')) == name) chosen.push_back(method);
    }
    if (chosen.size() == before) {
      throw InvalidInput("method",
                         {{"\"" + name + "\"", "is unknown", "choose one of exact, cubic, advancement"}});
    }
  }
  return chosen;
}

Json to_json(const std::vector<reports::CcdFuzzRow>& rows, std::uint64_t seed) {
  Json results = Json::array();
  for (const reports::CcdFuzzRow& row : rows) {
    results.push_back({{"method", row.method},
                       {"spin", row.spin},
                       {"pairs", row.pairs},
                       {"hits", row.hits},
                       {"missed", row.missed},
                       {"late", row.late},
                       {"unproven", row.unproven},
                       {"wrong_on_own_path", row.wrong_on_own_path},
                       {"median_microseconds", row.median_us},
                       {"keeps_promise", row.keeps_promise()}});
  }
  return {{"seed", seed}, {"results", results}};
}

int run_fuzz(FuzzOptions options) {
  make_ready({.folder = {}, .file = options.table});
  options.settings.methods = sweeps_named(options.methods);
  options.settings.progress = [](std::uint64_t done, std::uint64_t all) {
    if (done % 64 == 0) show_progress(fmt::format("{} of {} pairs", done, all));
  };
  const auto rows = reports::fuzz_ccd(options.settings);
  show_progress("");
  const reports::Table table = reports::table_of(rows, options.settings.seed);
  if (options.json) {
    fmt::print("{}\n", to_json(rows, options.settings.seed).dump(2));
  } else {
    fmt::print("{}", to_text(table));
  }
  if (!options.table.empty()) write_file(options.table, to_json(table).dump(2) + "\n");
  const bool kept =
      std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.keeps_promise(); });
  return kept ? kSuccess : kFailure;
}

void add_fuzz(CLI::App& ccd, int& exit_code) {
  auto options = std::make_shared<FuzzOptions>();
  CLI::App* fuzz = ccd.add_subcommand(
      "fuzz", "Sweep random spinning triangles with every method against a dense exact oracle");
  reports::CcdFuzzSettings& settings = options->settings;
  fuzz->add_option("--count", settings.count, "Pairs for each spin")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  fuzz->add_option("--seed", settings.seed, "The same seed gives the same pairs")->capture_default_str();
  fuzz->add_option("--spin", settings.spins, "Spins to try, rad/s")
      ->check(zero_or_more())
      ->capture_default_str();
  fuzz->add_option(
          "--method", options->methods,
          "exact or cubic (on straightened paths) or advancement; may be repeated. All if none is given.")
      ->allow_extra_args(false);
  fuzz->add_option("--jobs", settings.jobs, "Threads; the result does not depend on it")
      ->check(job_count())
      ->capture_default_str();
  fuzz->add_option("--table", options->table, "Also write the table to this file, as JSON for the report");
  fuzz->add_flag("--json", options->json, "Print everything as JSON");
  fuzz->footer(
      "Exit code 1 if a method broke its promise: a sweep of the curved motion that is never late was late, "
      "or "
      "exact queries were wrong about the straightened path that they were given.");
  fuzz->callback([options, &exit_code] { exit_code = run_fuzz(*options); });
}

}  // namespace

void add_ccd_command(CLI::App& app, int& exit_code) {
  CLI::App* ccd = app.add_subcommand("ccd", "Continuous collision detection: methods side by side");
  ccd->require_subcommand(1);
  add_check(*ccd, exit_code);
  add_fuzz(*ccd, exit_code);
}

}  // namespace jade::cli
