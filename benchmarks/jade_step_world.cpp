#include "jade_step_world.h"

#include "reference/scene_kinematics.h"

namespace jade::benchmarks {

reference::Frame JadeStepWorld::frame() const {
  reference::Frame frame;
  const State& state = result_.next;
  for (const Joint& joint : model_.joints()) {
    const auto q = state.q.segment(joint.q, joint.nq);
    const auto v = state.v.segment(joint.v, joint.nv);
    frame.joints.push_back({{q.begin(), q.end()}, {v.begin(), v.end()}});
  }
  frame.bodies = reference::body_states(model_.scene(), reference::body_masses(model_.scene()), frame.joints);
  steps_ = substeps_ = 0;
  return frame;
}

}  // namespace jade::benchmarks
