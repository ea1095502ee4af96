#include "jade/stepping/step_trace.h"

namespace jade {
namespace {

std::size_t bytes_of(const VecX& v) { return static_cast<std::size_t>(v.size()) * sizeof(double); }
template <class T>
std::size_t bytes_of(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}
std::size_t bytes_of(const ForcesTrace& forces) {
  return bytes_of(forces.classes) + bytes_of(forces.f) + bytes_of(forces.missed);
}

std::size_t bytes_of(const SolveTrace& solve) {
  return bytes_of(solve.rows) + bytes_of(solve.forces) + bytes_of(solve.u_first) + bytes_of(solve.v_next) +
         bytes_of(solve.bends) + bytes_of(solve.event.forced);
}

std::size_t bytes_of(const SubstepTrace& substep) {
  const CollisionTrace& collision = substep.collision;
  std::size_t sum = bytes_of(substep.q) + bytes_of(substep.v) + bytes_of(substep.contacts) +
                    bytes_of(substep.solves) + bytes_of(collision.rows) + bytes_of(collision.bounces) +
                    bytes_of(collision.stages) + bytes_of(collision.v_before);
  for (const ForcesTrace& stage : collision.stages) sum += bytes_of(stage);
  for (const SolveTrace& solve : substep.solves) sum += bytes_of(solve);
  return sum;
}

}  // namespace

std::size_t StepTrace::bytes() const {
  std::size_t sum = sizeof(StepTrace) + bytes_of(islands);
  for (const IslandTrace& island : islands) {
    sum += bytes_of(island.trees) + bytes_of(island.effort) + bytes_of(island.prescribed) +
           bytes_of(island.substeps);
    for (const SubstepTrace& substep : island.substeps) sum += bytes_of(substep);
  }
  return sum;
}

}  // namespace jade
