#include <cstdlib>

#include <gtest/gtest.h>

#include "jade/lcp/lcp_solver.h"
#include "jade/lcp/lcp_test_problems.h"

// Every way to the heap ends in malloc; the sanitizers need theirs, so the count is taken without them.
#if !defined(__SANITIZE_ADDRESS__)
namespace {
long allocations = 0;
}
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

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
    const long before = allocations;
    solve(p, settings, none, workspace, solution);
    solve(p, settings, classes, workspace, solution);
    EXPECT_EQ(allocations - before, 0) << contacts << " contacts, stage " << solution.stage;
    EXPECT_EQ(solution.status, LcpStatus::solved);
  }
}

}  // namespace
}  // namespace jade
#endif
