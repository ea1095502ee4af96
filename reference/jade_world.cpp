#include "reference/jade_world.h"

#include <cmath>

#include <fmt/format.h>

#include "jade/base/version.h"
#include "jade/stepping/propagate.h"
#include "reference/scene_kinematics.h"

namespace jade::reference {
namespace {

struct Variant {
  const char* engine;
  Integrator integrator;
  Scheme scheme;
};

constexpr Variant kVariants[] = {
    {"jade", Integrator::midpoint, Scheme::midpoint},
    {"jade:semi_implicit_euler", Integrator::semi_implicit_euler, Scheme::semi_implicit_euler},
    {"jade:explicit_euler", Integrator::explicit_euler, Scheme::explicit_euler},
};

const Variant& variant_named(const std::string& engine) {
  for (const Variant& variant : kVariants) {
    if (engine == variant.engine) return variant;
  }
  throw NotApplicable("there is no engine " + engine);
}

/// Smooth motion only: a scene in which something could touch is refused, not run without contact.
void refuse_what_is_not_there(const SceneDescription& scene) {
  int with_shapes = 0;
  for (const BodyDescription& body : scene.bodies) {
    with_shapes += body.shapes.empty() ? 0 : 1;
    for (const std::vector<double>* limits : {&body.joint.lower, &body.joint.upper}) {
      for (const double limit : *limits) {
        if (std::isfinite(limit)) throw NotApplicable("joint limits are not enforced yet: " + body.name);
      }
    }
  }
  if (with_shapes > 1)
    throw NotApplicable("contact is not implemented yet, and shapes of this scene can meet");
}

class JadeWorld : public World {
 public:
  explicit JadeWorld(const RunRequest& request)
      : variant_(variant_named(request.engine)),
        model_(build_model(request.scene)),
        masses_(body_masses(request.scene)),
        work_(model_),
        state_(initial_state(model_)),
        next_(state_),
        h_(request.time_step) {
    for (const auto& [name, value] : request.settings) throw NotApplicable("unknown setting " + name);
    refuse_what_is_not_there(request.scene);
  }

  EngineInfo info() const override {
    return {variant_.engine,
            version(),
            variant_.scheme,
            {{"integrator", std::string(name_of(variant_.integrator))}}};
  }

  void step() override {
    const double t = steps_ * h_;
    const PropagateReport report =
        propagate(model_, state_, controls_at(model_, t, h_), h_, variant_.integrator, work_, next_);
    std::swap(state_, next_);
    ++steps_;
    if (!report.converged) throw std::runtime_error(fmt::format("step {} did not converge", steps_));
    if (!state_.q.allFinite() || !state_.v.allFinite()) {
      throw std::runtime_error(fmt::format("the state is not finite after step {}", steps_));
    }
  }

  Frame frame() const override {
    Frame frame;
    for (const Joint& joint : model_.joints()) {
      const auto q = state_.q.segment(joint.q, joint.nq);
      const auto v = state_.v.segment(joint.v, joint.nv);
      frame.joints.push_back({{q.begin(), q.end()}, {v.begin(), v.end()}});
    }
    frame.bodies = body_states(model_.scene(), masses_, frame.joints);
    return frame;
  }

 private:
  const Variant& variant_;
  Model model_;
  std::vector<BodyMass> masses_;
  PropagateWorkspace work_;
  State state_, next_;
  double h_;
  long steps_ = 0;
};

}  // namespace

std::unique_ptr<World> make_jade_world(const RunRequest& request) {
  return std::make_unique<JadeWorld>(request);
}

}  // namespace jade::reference
