#include "reference/jade_world.h"

#include <fmt/format.h>

#include "jade/base/version.h"
#include "jade/stepping/propagate.h"
#include "jade/stepping/step.h"
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

const Variant* find_variant(const std::string& engine) {
  for (const Variant& variant : kVariants) {
    if (engine == variant.engine) return &variant;
  }
  return nullptr;
}

const Variant& variant_named(const std::string& engine) {
  if (const Variant* variant = find_variant(engine)) return *variant;
  throw NotApplicable("there is no engine " + engine);
}

bool any_has_limits(const Model& model) {
  return model.lower().array().isFinite().any() || model.upper().array().isFinite().any();
}

bool any_can_meet(const CollisionModel& collision) {
  const int n = static_cast<int>(collision.shapes().size());
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      if (collision.can_meet(a, b)) return true;
    }
  }
  return false;
}

/// Scenes in which nothing can touch and no joint has limits are moved by `propagate` alone, all others by `step`.
class JadeWorld : public World {
 public:
  explicit JadeWorld(const RunRequest& request)
      : variant_(variant_named(request.engine)),
        settings_{.integrator = variant_.integrator},
        model_(build_model(request.scene)),
        masses_(body_masses(request.scene)),
        smooth_(model_),
        contact_(model_),
        state_(initial_state(model_)),
        next_(state_),
        h_(request.time_step),
        can_touch_(any_can_meet(contact_.collision()) || any_has_limits(model_)) {
    for (const auto& [name, value] : request.settings) throw NotApplicable("unknown setting " + name);
  }

  EngineInfo info() const override {
    EngineInfo info{variant_.engine,
                    version(),
                    variant_.scheme,
                    {{"integrator", std::string(name_of(variant_.integrator))}}};
    if (can_touch_) {
      info.settings.emplace_back("standoff", fmt::format("{} m", settings_.standoff));
      info.settings.emplace_back("clearance", fmt::format("{} m", settings_.clearance));
    }
    return info;
  }

  void step() override {
    const Controls controls = controls_at(model_, static_cast<double>(steps_) * h_, h_);
    if (can_touch_) {
      StepResult result = jade::step(model_, state_, memory_, controls, h_, settings_, contact_);
      state_ = std::move(result.next);
      memory_ = std::move(result.memory);
      lost_time_ += result.report.lost_time;
    } else {
      const PropagateReport report =
          propagate(model_, state_, controls, h_, variant_.integrator, smooth_, next_);
      std::swap(state_, next_);
      if (!report.converged) throw std::runtime_error(fmt::format("step {} did not converge", steps_ + 1));
    }
    ++steps_;
    if (!state_.q.allFinite() || !state_.v.allFinite()) {
      throw std::runtime_error(fmt::format("the state is not finite after step {}", steps_));
    }
  }

  double lost_time() const override { return lost_time_; }

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
  StepSettings settings_;
  Model model_;
  std::vector<BodyMass> masses_;
  PropagateWorkspace smooth_;
  StepWorkspace contact_;
  StepMemory memory_;
  State state_, next_;
  double h_;
  bool can_touch_;
  long steps_ = 0;
  double lost_time_ = 0;
};

}  // namespace

std::optional<Integrator> integrator_of(const std::string& engine) {
  const Variant* variant = find_variant(engine);
  return variant ? std::optional(variant->integrator) : std::nullopt;
}

std::unique_ptr<World> make_jade_world(const RunRequest& request) {
  return std::make_unique<JadeWorld>(request);
}

}  // namespace jade::reference
