#include <gtest/gtest.h>

#include "jade/base/allocation_count.h"
#include "jade/lcp/lcp_solver.h"
#include "jade/lcp/lcp_test_problems.h"

#if defined(JADE_COUNTS_ALLOCATIONS)
namespace jade {
namespace {

TEST(LcpWorkspace, AfterTheFirstCallNothingIsAllocated) {
  for (const int contacts : {1, 4, 13, 40}) {
    const LcpProblem p = lcp_test::random_contacts(contacts, 2 * contacts + 3, 0.6, 3);
    LcpWorkspace workspace;
    LcpSolution solution;
    const LcpSettings settings;
    const std::vector<RowClass> none;
    solve(p, settings, none, workspace, solution);
    const std::vector<RowClass> classes = solution.classes;
    solve(p, settings, classes, workspace, solution);
    const int allocations = test::allocations_of([&] {
      solve(p, settings, none, workspace, solution);
      solve(p, settings, classes, workspace, solution);
    });
    EXPECT_EQ(allocations, 0) << contacts << " contacts, stage " << solution.stage;
    EXPECT_EQ(solution.status, LcpStatus::solved);
  }
}

}  // namespace
}  // namespace jade
#endif
