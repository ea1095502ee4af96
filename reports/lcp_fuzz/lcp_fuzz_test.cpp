#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "lcp_fuzz/campaign.h"
#include "lcp_fuzz/command_solver.h"
#include "lcp_fuzz/shrink.h"
#include "lcp_io/lcp_json.h"

namespace jade::reports {
namespace {

/// A falling block that slides: f = (2, −1, 0) by hand.
LcpProblem sliding_block() {
  LcpProblem problem;
  problem.A = MatX::Identity(3, 3);
  problem.b = Vec3(-2, 3, 0);
  problem.rows = {{.kind = RowKind::normal},
                  {.kind = RowKind::tangent, .normal = 0, .mu = 0.5},
                  {.kind = RowKind::tangent, .normal = 0, .mu = 0.5}};
  return problem;
}

std::string reason_of(const std::string& command, double timeout = 20) {
  CommandSolver solver(command, timeout);
  return verdict_on(sliding_block(), solver.solve(sliding_block()), false, 1e-10).reason;
}

TEST(CommandSolver, IsAskedAndItsAnswerIsJudged) {
  EXPECT_EQ(reason_of(R"(while read line; do echo '{"f":[2,-1,0]}'; done)"), "");
  EXPECT_EQ(reason_of(R"(while read line; do echo '{"f":[1,-0.5,0]}'; done)"), "penetrating velocity");
  EXPECT_EQ(reason_of(R"(while read line; do echo '{"f":[2,NaN,0]}'; done)"), "NaN");
  EXPECT_EQ(reason_of(R"(while read line; do echo '{"f":[2,-1]}'; done)"), "wrong size");
  EXPECT_EQ(reason_of(R"(while read line; do echo '{"f":[0,0,0],"status":"no_solution_found"}'; done)"),
            "gave up");
}

TEST(CommandSolver, TurnsMisbehaviourIntoFindings) {
  EXPECT_EQ(reason_of("exit 3"), "crashed");
  EXPECT_EQ(reason_of("kill -SEGV $$"), "crashed");
  EXPECT_EQ(reason_of("no_such_program_anywhere"), "crashed");
  EXPECT_EQ(reason_of("while read line; do echo nonsense; done"), "garbage");
  EXPECT_EQ(reason_of("cat /dev/zero"), "garbage") << "a line without end is not read into memory for ever";
  EXPECT_EQ(reason_of("sleep 1000", 0.2), "hung");
  EXPECT_EQ(reason_of("while read line; do printf '{\"f\":[2,'; done", 0.2), "hung");
}

TEST(CommandSolver, SaysWhyThereIsNoAnswer) {
  const auto detail_of = [](const char* command) {
    return CommandSolver(command, 20).solve(sliding_block()).detail;
  };
  EXPECT_NE(detail_of("no_such_program_anywhere").find("is there such a program?"), std::string::npos);
  EXPECT_NE(detail_of("exit 3").find("exit code 3"), std::string::npos);
  EXPECT_NE(detail_of("read line; echo '{}'").find("f is missing"), std::string::npos);
}

TEST(CommandSolver, NoticesAnswersThatWereNotAskedFor) {
  // The second line is there with the first or when the next question is asked, whichever comes sooner.
  CommandSolver solver(R"(while read line; do echo '{"f":[2,-1,0]}'; echo more; done)", 20);
  const bool at_once = solver.solve(sliding_block()).claim == Claim::garbage;
  EXPECT_TRUE(at_once || solver.solve(sliding_block()).claim == Claim::garbage);
}

TEST(CommandSolver, StartsAfreshAfterMisbehaviour) {
  // Answers once and ends: every second question meets a closed door.
  CommandSolver solver(R"(read line; echo '{"f":[2,-1,0]}')", 20);
  EXPECT_EQ(solver.solve(sliding_block()).claim, Claim::solved);
  EXPECT_EQ(solver.solve(sliding_block()).claim, Claim::crashed);
  EXPECT_EQ(solver.solve(sliding_block()).claim, Claim::solved);
}

TEST(CommandSolver, ReadsProblemsThatAreLongerThanAPipe) {
  const LcpProblem problem = generators::make_lcp_problem(
      {.family = "stack", .max_contacts = 40, .exact = true});  // 14400 entries of A
  ASSERT_GT(reference::to_json_line(problem).size(), 100'000U);
  CommandSolver solver(R"(while read line; do echo "{\"f\":[${#line}]}"; done)", 60);
  EXPECT_EQ(solver.solve(problem).f[0], static_cast<double>(reference::to_json_line(problem).size()));
}

FuzzSettings small_campaign(int jobs) {
  FuzzSettings settings;
  settings.count = 640;
  settings.max_contacts = 6;
  settings.jobs = jobs;
  for (const auto& family : generators::lcp_families()) settings.families.push_back(family);
  // Gauss–Seidel fails often enough to compare reasons and failures, not only successes.
  for (const char* name : {"jade", "pgs"}) settings.solvers.push_back(solver_named(name, "", 10));
  return settings;
}

TEST(Campaign, DoesNotDependOnTheNumberOfJobs) {
  const FuzzResult one = run_campaign(small_campaign(1)), three = run_campaign(small_campaign(3));
  ASSERT_EQ(one.cells.size(), three.cells.size());
  std::size_t failures = 0;
  for (std::size_t c = 0; c < one.cells.size(); ++c) {
    const FuzzCell &a = one.cells[c], &b = three.cells[c];
    EXPECT_EQ(a.problems, b.problems);
    EXPECT_EQ(a.valid, b.valid);
    EXPECT_EQ(a.compliant, b.compliant);
    EXPECT_EQ(a.wrong_claims, b.wrong_claims);
    EXPECT_EQ(a.worst_residual, b.worst_residual);
    EXPECT_EQ(a.reasons, b.reasons);
    ASSERT_EQ(a.failures.size(), b.failures.size());
    for (std::size_t k = 0; k < a.failures.size(); ++k) {
      EXPECT_EQ(a.failures[k].index, b.failures[k].index);
      EXPECT_EQ(a.failures[k].residual, b.failures[k].residual);
    }
    failures += a.failures.size();
  }
  EXPECT_GT(failures, 0U) << "nothing to compare: the campaign is too easy for Gauss–Seidel";
}

TEST(Campaign, EndsEarlyWithWhatItHas) {
  std::atomic<bool> stop = true;
  FuzzSettings settings = small_campaign(2);
  settings.stop = &stop;
  const FuzzResult result = run_campaign(settings);
  EXPECT_TRUE(result.interrupted);
  EXPECT_LT(result.done, settings.count);
}

TEST(Verdict, CountsACompliantAnswerOnlyWhereNoSolutionMayExist) {
  // Two opposite rows that both want to move: no solution. With A + I: f = (1, 1).
  LcpProblem problem;
  problem.A.resize(2, 2);
  problem.A << 1, -1, -1, 1;
  problem.b = Vec2(-1, -1);
  problem.rows = {{.kind = RowKind::normal}, {.kind = RowKind::normal}};
  SolverReply reply{.claim = Claim::gave_up, .f = Vec2(1, 1), .regularisation = 1};
  EXPECT_TRUE(verdict_on(problem, reply, true, 1e-10).compliant);
  EXPECT_FALSE(verdict_on(problem, reply, false, 1e-10).acceptable());
  reply.f = Vec2(1, 2);
  EXPECT_FALSE(verdict_on(problem, reply, true, 1e-10).acceptable());
  reply = {.claim = Claim::solved, .f = Vec2(1, 1), .regularisation = 1};
  EXPECT_TRUE(verdict_on(problem, reply, true, 1e-10).wrong_claim);
}

TEST(Shrink, FindsTheOneContactThatMatters) {
  const LcpProblem problem =
      generators::make_lcp_problem({.seed = 3, .family = "stack", .max_contacts = 16, .exact = true});
  // Fails whenever a contact with a closing normal is there: one such contact is enough.
  const auto fails = [](const LcpProblem& candidate) {
    EXPECT_FALSE(candidate.factors);
    for (int i = 0; i < candidate.size(); ++i) {
      if (candidate.rows[i].kind == RowKind::normal && candidate.b[i] < 0) return true;
    }
    return false;
  };
  ASSERT_TRUE(fails([&] {
    LcpProblem bare = problem;
    bare.factors.reset();
    return bare;
  }()));
  const auto small = shrink(problem, fails);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->size(), 3);
  EXPECT_TRUE(fails(*small));
  EXPECT_TRUE(check_problem(*small).empty());
}

TEST(Shrink, SaysWhenTheProblemDoesNotFailAsAFile) {
  const LcpProblem problem = generators::make_lcp_problem({.family = "row"});
  EXPECT_FALSE(shrink(problem, [](const LcpProblem&) { return false; }));
}

}  // namespace
}  // namespace jade::reports
