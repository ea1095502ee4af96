// ODE's own LCP solver. Its headers do not declare it, but the shared library exports it together with the memory
// arena it works in; the declarations below are those of ODE 0.16. The adapter's test solves known problems with
// it, so that another version with other declarations shows at once.

#include <cstddef>

#include <ode/common.h>

#include "lcp_peers/peer_solver.h"

static_assert(sizeof(dReal) == 8, "ODE must be built in double precision");

class dxWorldProcessMemArena;
struct dxWorldProcessMemoryManager;
struct dxWorldProcessMemoryReserveInfo;
std::size_t dxEstimateSolveLCPMemoryReq(unsigned n, bool outer_w_avail);
dxWorldProcessMemArena* dxAllocateTemporaryWorldProcessMemArena(
    std::size_t size, const dxWorldProcessMemoryManager* manager,
    const dxWorldProcessMemoryReserveInfo* reserve);
void dxFreeTemporaryWorldProcessMemArena(dxWorldProcessMemArena* arena);
void dxSolveLCP(dxWorldProcessMemArena* arena, unsigned n, dReal* A, dReal* pairs_b_x, dReal* outer_w,
                unsigned nub, dReal* pairs_lo_hi, int* findex);

namespace jade::reference {
namespace {

/// An arena comes without a place to allocate from; it begins with two pointers, the next free byte and the first.
void rewind_to_start(dxWorldProcessMemArena* arena) {
  void** const words = reinterpret_cast<void**>(arena);
  words[0] = words[1];
}

PeerAnswer dantzig(const LcpProblem& problem) {
  PeerProblem peer = to_peer_problem(problem);  // ODE overwrites it
  std::vector<double> pairs_b_x(2 * peer.n, 0.0), pairs_lo_hi(2 * peer.n);
  for (int i = 0; i < peer.n; ++i) {
    pairs_b_x[2 * i] = peer.b[i];
    pairs_lo_hi[2 * i] = peer.lo[i];
    pairs_lo_hi[2 * i + 1] = peer.hi[i];
  }
  const std::size_t size = dxEstimateSolveLCPMemoryReq(static_cast<unsigned>(peer.n), false);
  dxWorldProcessMemArena* arena = dxAllocateTemporaryWorldProcessMemArena(size, nullptr, nullptr);
  rewind_to_start(arena);
  PeerAnswer answer;
  answer.claims_success = true;  // it returns nothing: whatever it leaves in x is its answer
  answer.microseconds = timed([&] {
    dxSolveLCP(arena, static_cast<unsigned>(peer.n), peer.A.data(), pairs_b_x.data(), nullptr, 0,
               pairs_lo_hi.data(), peer.findex.data());
  });
  dxFreeTemporaryWorldProcessMemArena(arena);
  answer.f.resize(peer.n);
  for (int i = 0; i < peer.n; ++i) answer.f[i] = pairs_b_x[2 * i + 1];
  return answer;
}

constexpr PeerSolver kSolvers[] = {{"ode-dantzig", "dxSolveLCP of libode", dantzig}};

}  // namespace

std::span<const PeerSolver> ode_lcp_solvers() { return kSolvers; }

}  // namespace jade::reference
