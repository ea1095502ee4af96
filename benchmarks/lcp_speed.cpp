// How fast contact problems are solved: cold and warm, beside the Dantzig solvers of DART and Bullet and beside one
// Cholesky factorisation of the clamped block, which no direct method can beat. All in one process and one run: the
// contestants take turns on the same problem and each keeps its fastest time.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <Eigen/Cholesky>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "generators/lcp_families.h"
#include "jade/lcp/lcp_solver.h"
#include "lcp_judge/lcp_judge.h"
#include "lcp_peers/peer_solver.h"

namespace jade {
namespace {

using Json = nlohmann::ordered_json;
using reference::timed;

const reference::PeerSolver& peer_named(std::span<const reference::PeerSolver> solvers,
                                        std::string_view name) {
  return *std::ranges::find(solvers, name, &reference::PeerSolver::name);
}

// Contacts that are solved between two readings of the clock, at least.
constexpr int kBatchedContacts = 64;

/// The rows that carry force at zero velocity, which every method must factor once.
MatX clamped_block(const LcpProblem& problem, const LcpSolution& solution) {
  std::vector<int> rows;
  for (int i = 0; i < problem.size(); ++i) {
    const RowClass row = solution.classes[i];
    if (row == RowClass::clamped || row == RowClass::stick) rows.push_back(i);
  }
  MatX block = problem.A(rows, rows);
  // Redundant contacts make it singular; the compliance of the polish keeps the factorisation going.
  for (int i = 0; i < block.rows(); ++i) block(i, i) *= 1 + 1e-6;
  return block;
}

/// Medians over problems; ratios are those of the same problem, because problems of one size differ: one that rests has the
/// whole matrix to factor, one that slides a third of it or two rows. Ratios in all are those of the sums, as a simulation that
/// meets them all would see them.
struct Times {
  double cold = 0, warm = 0, dart = 0, bullet = 0, cholesky = 0;
  double cold_in_all = 0, warm_in_all = 0;  ///< to Cholesky
  double cold_to_dart = 0, cold_to_bullet = 0, cold_to_cholesky = 0, warm_to_cholesky = 0;
  int wrong_ours = 0, wrong_dart = 0, wrong_bullet = 0;
};

/// The fastest of `rounds` interleaved runs of each problem. What is compared with a Cholesky factorisation of few rows, which
/// takes no more than a tick of the clock, is timed in batches; what is compared with a peer is timed as the peer is.
class Contest {
 public:
  Contest(std::string_view family, bool at_rest, int contacts, int problems, int rounds)
      : family_(family), at_rest_(at_rest), contacts_(contacts), problems_(problems), rounds_(rounds) {}

  Times run() {
    for (int k = 0; static_cast<int>(cold_.size()) < problems_; ++k) run_problem(k);
    times_.cold = median(cold_);
    times_.warm = median(warm_);
    times_.dart = median(dart_);
    times_.bullet = median(bullet_);
    times_.cholesky = median(cholesky_);
    times_.cold_to_dart = median(cold_to_dart_);
    times_.cold_to_bullet = median(cold_to_bullet_);
    times_.cold_to_cholesky = median(cold_to_cholesky_);
    times_.warm_to_cholesky = median(warm_to_cholesky_);
    times_.cold_in_all = all_cold_ / all_limits_;
    times_.warm_in_all = all_warm_ / all_limits_;
    return times_;
  }

 private:
  void run_problem(int k) {
    const LcpProblem problem = generators::make_lcp_problem({.seed = 1,
                                                             .family = family_,
                                                             .index = static_cast<std::uint64_t>(k),
                                                             .max_contacts = contacts_,
                                                             .exact = true});
    const auto& dart = peer_named(reference::dart_lcp_solvers(), "dart-dantzig");
    const auto& bullet = peer_named(reference::bullet_lcp_solvers(), "bullet-dantzig");
    solve(problem, {}, {}, workspace_, solution_);
    const std::vector<RowClass> classes = solution_.classes;
    const MatX block = clamped_block(problem, solution_);
    if (at_rest_ && block.rows() < problem.size()) return;
    Eigen::LLT<MatX> factor(block.rows());
    times_.wrong_ours += !reference::judge(problem, solution_.f).valid;

    constexpr double never = std::numeric_limits<double>::infinity();
    double cold = never, cold_in_batch = never, warm = never, limit = never, by_dart = never,
           by_bullet = never;
    const int batch = std::max(1, kBatchedContacts / contacts_);
    const auto batched = [&](const auto& work) {
      return timed([&] {
               for (int i = 0; i < batch; ++i) work();
             }) /
             batch;
    };
    for (int round = 0; round < rounds_; ++round) {
      cold = std::min(cold, timed([&] { solve(problem, {}, {}, workspace_, solution_); }));
      const reference::PeerAnswer from_dart = dart.solve(problem);
      by_dart = std::min(by_dart, from_dart.microseconds);
      warm = std::min(warm, batched([&] { solve(problem, {}, classes, workspace_, solution_); }));
      const reference::PeerAnswer from_bullet = bullet.solve(problem);
      by_bullet = std::min(by_bullet, from_bullet.microseconds);
      limit = std::min(limit, batched([&] { factor.compute(block); }));
      cold_in_batch =
          std::min(cold_in_batch, batched([&] { solve(problem, {}, {}, workspace_, solution_); }));
      if (round > 0) continue;
      times_.wrong_dart += !reference::judge(problem, from_dart.f).valid;
      times_.wrong_bullet += !reference::judge(problem, from_bullet.f).valid;
    }
    cold_.push_back(cold);
    warm_.push_back(warm);
    dart_.push_back(by_dart);
    bullet_.push_back(by_bullet);
    cholesky_.push_back(limit);
    cold_to_dart_.push_back(cold / by_dart);
    cold_to_bullet_.push_back(cold / by_bullet);
    // Where nothing is clamped there is nothing to factor and no limit to compare with.
    if (block.rows() == 0) return;
    cold_to_cholesky_.push_back(cold_in_batch / limit);
    warm_to_cholesky_.push_back(warm / limit);
    all_cold_ += cold_in_batch;
    all_warm_ += warm;
    all_limits_ += limit;
  }

  static double median(std::vector<double>& times) {
    std::ranges::nth_element(times, times.begin() + static_cast<long>(times.size() / 2));
    return times[times.size() / 2];
  }

  std::string_view family_;
  bool at_rest_;  ///< only problems in which every row is clamped or sticks
  int contacts_, problems_, rounds_;
  LcpWorkspace workspace_;
  LcpSolution solution_;
  std::vector<double> cold_, warm_, dart_, bullet_, cholesky_;
  std::vector<double> cold_to_dart_, cold_to_bullet_, cold_to_cholesky_, warm_to_cholesky_;
  double all_cold_ = 0, all_warm_ = 0, all_limits_ = 0;
  Times times_;
};

double two_digits(double x) { return std::stod(fmt::format("{:.3g}", x)); }

Json run_all(int problems, int rounds, int largest) {
  Json table{
      {"title", "Contact LCP: time to solve (µs)"},
      {"columns",
       {"family", "contacts", "jade cold", "jade warm", "DART Dantzig", "Bullet Dantzig", "Cholesky",
        "cold/DART", "cold/Bullet", "cold/Cholesky", "warm/Cholesky", "cold/Cholesky in all",
        "warm/Cholesky in all", "wrong jade", "wrong DART", "wrong Bullet"}},
      {"rows", Json::array()},
      {"notes",
       {fmt::format(
            "Fastest of {} interleaved runs of each problem, one process, one thread; medians over {} "
            "problems, for ratios those of the same problem; in all: ratios of the sums over the problems.",
            rounds, problems),
        "Cholesky: one factorisation of the rows that stick or are clamped, the limit of a direct method; "
        "where most "
        "rows slip or separate that block is small. In a resting stack it is the whole matrix.",
        "Wrong: answers the independent judge rejects; a Dantzig that gives up early looks fast."}}};
  fmt::print(
      "{:13} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>11} {:>13} {:>13} {:>11} {:>11}  wrong "
      "jade/DART/Bullet\n",
      "family", "contacts", "cold", "warm", "DART", "Bullet", "Cholesky", "cold/DART", "cold/Bullet",
      "cold/Cholesky", "warm/Cholesky", "cold in all", "warm in all");
  struct Kind {
    const char *name, *family;
    bool at_rest;
  };
  for (const auto& [name, family, at_rest] : {Kind{"random", "random", false}, Kind{"stack", "stack", false},
                                              Kind{"resting stack", "stack", true}}) {
    for (const int contacts : {1, 4, 8, 16, 32, 64}) {
      if (contacts > largest) continue;
      const Times t = Contest(family, at_rest, contacts, problems, rounds).run();
      fmt::print(
          "{:13} {:8} {:10.2f} {:10.2f} {:10.2f} {:10.2f} {:10.2f} {:9.2f} {:11.2f} {:13.2f} {:13.2f} "
          "{:11.2f} {:11.2f}  {}/{}/{}\n",
          name, contacts, t.cold, t.warm, t.dart, t.bullet, t.cholesky, t.cold_to_dart, t.cold_to_bullet,
          t.cold_to_cholesky, t.warm_to_cholesky, t.cold_in_all, t.warm_in_all, t.wrong_ours, t.wrong_dart,
          t.wrong_bullet);
      std::fflush(stdout);
      Json row{name, contacts};
      for (const double x : {t.cold, t.warm, t.dart, t.bullet, t.cholesky, t.cold_to_dart, t.cold_to_bullet,
                             t.cold_to_cholesky, t.warm_to_cholesky, t.cold_in_all, t.warm_in_all}) {
        row.push_back(two_digits(x));
      }
      for (const int wrong : {t.wrong_ours, t.wrong_dart, t.wrong_bullet}) row.push_back(wrong);
      table["rows"].push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace
}  // namespace jade

int main(int argc, char** argv) {
  CLI::App app{"Time of the contact LCP solver beside DART's and Bullet's Dantzig and one Cholesky"};
  int problems = 20, rounds = 20, largest = 64;
  std::string out;
  app.add_option("--problems", problems, "problems a size")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--rounds", rounds, "interleaved runs, of which the fastest counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--largest", largest, "largest number of contacts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--out", out, "also write the table as JSON for the report");
  CLI11_PARSE(app, argc, argv);
  // DART's solver reports each of its failures on stderr.
  const int messages = dup(STDERR_FILENO);
  if (!std::freopen("/dev/null", "w", stderr)) return 3;
  const nlohmann::ordered_json table = jade::run_all(problems, rounds, largest);
  dup2(messages, STDERR_FILENO);
  if (out.empty()) return 0;
  std::ofstream file(out + ".unfinished");
  file << table.dump(2) << '\n';
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(out + ".unfinished", out, error);
  if (!file || error) {
    fmt::print(stderr, "{}: cannot be written; check the folder\n", out);
    return 3;
  }
  return 0;
}
