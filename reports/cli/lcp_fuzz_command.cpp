#include "cli/lcp_fuzz_command.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/campaign_terminal.h"
#include "cli/exit_code.h"
#include "cli/numbers.h"
#include "jade/base/atomic_file.h"
#include "lcp_fuzz/campaign.h"
#include "lcp_fuzz/fuzz_table.h"
#include "lcp_fuzz/shrink.h"
#include "lcp_io/lcp_file.h"

namespace jade::cli {
namespace {

using namespace reports;

struct FuzzArguments {
  FuzzSettings settings;
  std::vector<std::string> families, solvers;
  std::string command, save, table;
  double timeout = 10;
  int contacts = 0;
  bool json = false;
};

FuzzSettings complete(const FuzzArguments& arguments) {
  FuzzSettings settings = arguments.settings;
  for (const generators::LcpFamily& family : generators::lcp_families()) {
    if (arguments.families.empty() || std::ranges::count(arguments.families, family.name) > 0) {
      settings.families.push_back(family);
    }
  }
  for (const std::string& name : arguments.families) {
    if (generators::lcp_family_named(name)) continue;
    std::string names;
    for (const auto& family : generators::lcp_families()) names += fmt::format(" {}", family.name);
    throw InvalidInput("fuzz", {{"--family", fmt::format("`{}` is not known", name), "use one of:" + names}});
  }
  std::vector<std::string> solvers = arguments.solvers;
  if (solvers == std::vector<std::string>{"all"}) solvers = solver_names();
  if (solvers.empty() && arguments.command.empty()) solvers = {"jade"};
  for (const std::string& name : solvers) {
    settings.solvers.push_back(solver_named(name, peer_folder(), arguments.timeout));
  }
  if (!arguments.command.empty())
    settings.solvers.push_back(solver_command(arguments.command, arguments.timeout));
  if (arguments.contacts > 0) {
    settings.max_contacts = arguments.contacts;
    settings.exact_contacts = true;
  }
  if (settings.jobs <= 0) settings.jobs = default_jobs();
  settings.stop = &interrupted;
  return settings;
}

/// Shrinks and saves the first failures of a cell; what a peer gets wrong by the thousand is not all kept.
void save_failures(const FuzzSettings& settings, std::size_t family, std::size_t solver, const FuzzCell& cell,
                   const std::filesystem::path& folder) {
  constexpr std::size_t kept_of_ours = 100, kept_of_others = 5;
  const SolverSpec& spec = settings.solvers[solver];
  const std::size_t kept = std::min(cell.failures.size(), spec.must_be_valid ? kept_of_ours : kept_of_others);
  const auto instance = spec.make();
  const bool apart = settings.families[family].may_have_no_solution;
  const auto fails = [&](const LcpProblem& problem) {
    return !verdict_on(problem, instance->solve(problem), apart, settings.tolerance).acceptable();
  };
  for (std::size_t k = 0; k < kept && !interrupted; ++k) {
    const Failure& failure = cell.failures[k];
    const generators::LcpProblemId id = problem_id(settings, family, failure.index);
    const LcpProblem problem = generators::make_lcp_problem(id);
    // A hang costs its whole timeout at each try.
    const int tries = failure.reason == "hung" ? 10 : 2000;
    const std::optional<LcpProblem> small = shrink(problem, fails, tries);
    const std::filesystem::path file =
        folder / fmt::format("{}_{}_seed{}_{}.json", spec.name, id.family, id.seed, failure.index);
    const std::string origin = fmt::format("{}; {}: {}", to_string(id), spec.name, failure.reason);
    reference::write_lcp_file(file, small ? *small : problem,
                              small ? "shrunk from " + origin : origin + "; fails only with its factors");
    fmt::print(stderr, "saved {} ({} rows of {})\n", file.string(), (small ? *small : problem).size(),
               problem.size());
  }
  if (kept < cell.failures.size()) {
    fmt::print(stderr, "{} on {}: {} further failures, to be made again from seed and index\n", spec.name,
               settings.families[family].name, cell.problems - cell.valid - cell.compliant - kept);
  }
}

void save_all(const FuzzSettings& settings, const FuzzResult& result, const std::string& folder) {
  for (std::size_t f = 0; f < settings.families.size(); ++f) {
    for (std::size_t s = 0; s < settings.solvers.size(); ++s) {
      save_failures(settings, f, s, result.cells[f * settings.solvers.size() + s], folder);
    }
  }
}

/// How to make the first failures of those that must be valid again.
void print_failures(const FuzzSettings& settings, const FuzzResult& result) {
  constexpr std::size_t shown = 3;
  for (std::size_t f = 0; f < settings.families.size(); ++f) {
    for (std::size_t s = 0; s < settings.solvers.size(); ++s) {
      if (!settings.solvers[s].must_be_valid) continue;
      const auto& failures = result.cells[f * settings.solvers.size() + s].failures;
      for (std::size_t k = 0; k < std::min(shown, failures.size()); ++k) {
        const Failure& failure = failures[k];
        const std::string more =
            failure.detail.empty() ? fmt::format("residual {:.1e}", failure.residual) : failure.detail;
        fmt::print("{} failed: {}: {}, {}\n", settings.solvers[s].name,
                   to_string(problem_id(settings, f, failure.index)), failure.reason, more);
      }
    }
  }
}

int run_fuzz(const FuzzArguments& arguments) {
  FuzzSettings settings = complete(arguments);
  make_ready({.folder = arguments.save, .file = arguments.table});
  listen_for_interrupt();
  FuzzResult result;
  {
    ProgressBar bar(settings.count);
    settings.progress = [&](std::uint64_t done) { bar.show(done); };
    result = run_campaign(settings);
  }
  if (arguments.json) {
    fmt::print("{}\n", to_json(settings, result).dump(2));
  } else {
    fmt::print("{}", text_table(settings, result));
    if (result.interrupted) fmt::print("interrupted after {} of {} problems\n", result.done, settings.count);
    print_failures(settings, result);
  }
  std::fflush(stdout);
  if (!arguments.table.empty()) write_file(arguments.table, report_table(settings, result).dump(2) + "\n");
  if (!arguments.save.empty()) {
    listen_for_interrupt();
    save_all(settings, result, arguments.save);
  }
  for (std::size_t c = 0; c < result.cells.size(); ++c) {
    const FuzzCell& cell = result.cells[c];
    if (settings.solvers[c % settings.solvers.size()].must_be_valid &&
        cell.valid + cell.compliant < cell.problems) {
      return kFailure;
    }
  }
  return kSuccess;
}

std::string families_for_help() {
  std::string text = "\nFamilies:\n";
  for (const auto& family : generators::lcp_families()) {
    text += fmt::format("  {:18} {}{}\n", family.name, family.meaning,
                        family.may_have_no_solution ? " (may have no solution)" : "");
  }
  text += "\nSolvers:\n ";
  for (const std::string& name : solver_names()) text += " " + name;
  return text +
         "\n\nA --solver-command stays alive, reads a problem a line and answers {\"f\": [...]} a line, "
         "e.g.\n"
         "  {\"schema\":1,\"form\":\"contact\",\"A\":[[...]...],\"b\":[...],\"beta\":[...],\n"
         "   \"rows\":[{\"kind\":\"normal\"},{\"kind\":\"tangent\",\"normal\":0,\"mu\":0.5},...]}\n"
         "with v = A f + b. It may add \"status\":\"no_solution_found\" and \"microseconds\".\n";
}

}  // namespace

void add_lcp_fuzz_command(CLI::App& lcp, int& exit_code) {
  const auto arguments = std::make_shared<FuzzArguments>();
  FuzzSettings& settings = arguments->settings;
  settings.jobs = 0;
  CLI::App* fuzz = lcp.add_subcommand(
      "fuzz",
      "Generate contact problems, solve them, judge every answer; exit 1 if jade or the command was wrong");
  fuzz->add_option("--count", settings.count, "problems in total over the families")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}))
      ->capture_default_str();
  fuzz->add_option("--seed", settings.seed, "a problem depends on seed, family and index alone")
      ->capture_default_str();
  fuzz->add_option("--family", arguments->families, "families (default: all)")->delimiter(',');
  fuzz->add_option("--solver", arguments->solvers, "solvers, or `all` (default: jade)")->delimiter(',');
  fuzz->add_option("--solver-command", arguments->command, "a program of yours to fuzz, run by /bin/sh")
      ->check([](const std::string& command) {
        return command.empty() ? std::string("is empty; name a program, or leave the option out")
                               : std::string();
      });
  fuzz->add_option("--timeout", arguments->timeout, "seconds a program may take for an answer")
      ->check(waiting_seconds())
      ->capture_default_str();
  CLI::Option* largest =
      fuzz->add_option("--max-contacts", settings.max_contacts, "problems have 1 to so many contacts")
          ->check(CLI::Range(1, 1000))
          ->capture_default_str();
  fuzz->add_option("--contacts", arguments->contacts, "problems have exactly so many contacts")
      ->check(CLI::Range(1, 1000))
      ->excludes(largest);
  fuzz->add_option("--jobs", settings.jobs, "threads (default: all cores); the results do not depend on it")
      ->check(job_count());
  fuzz->add_option("--save", arguments->save,
                   "folder for failures, shrunk, as files that `jade lcp solve` reads");
  fuzz->add_option("--table", arguments->table, "also write the table as JSON for the report");
  fuzz->add_flag("--json", arguments->json, "print JSON instead of the table");
  fuzz->footer(families_for_help);
  fuzz->callback([arguments, &exit_code] { exit_code = run_fuzz(*arguments); });
}

}  // namespace jade::cli
