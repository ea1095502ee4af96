#include "gradient_trial/explanation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "gradient_trial/two_steps.h"
#include "jade/base/error.h"
#include "jade/dynamics/manifold.h"
#include "jade/stepping/moving_tree.h"

namespace jade::gradient_trial {
namespace {

// Nudges, from large to small: two a decade.
constexpr double kLargest = 1e-3, kSmallest = 1e-9;
// Decisions are compared at a nudge that is large beside rounding and small beside most that matters.
constexpr double kLook = 1e-7;
// A stage at which the nearest central difference is farther than this from the tape is where they part: rounding of a nudge
// that is well chosen leaves 1e-9.
constexpr double kParts = 2e-7;

std::vector<double> nudges() {
  std::vector<double> all;
  for (double s = kLargest; s > 0.9 * kSmallest; s /= std::sqrt(10.0)) all.push_back(s);
  return all;
}

/// A place on the way: after some sub-steps of an island, after the impulses of one, or at the end of one of its solves.
struct Stage {
  std::size_t step = 0, island = 0, substep = 0;
  enum class Kind { start, impulses, solve } kind = Kind::start;
  std::size_t solve = 0;
};

std::vector<Stage> stages_of(const Flow::Traces& traces) {
  std::vector<Stage> all;
  for (std::size_t i = 0; i < kSteps; ++i)
    for (std::size_t k = 0; k < traces[i].islands.size(); ++k) {
      const auto& substeps = traces[i].islands[k].substeps;
      for (std::size_t j = 0; j < substeps.size(); ++j) {
        all.push_back({i, k, j, Stage::Kind::start});
        if (substeps[j].solves.empty()) continue;
        if (substeps[j].collides) all.push_back({i, k, j, Stage::Kind::impulses});
        for (std::size_t m = 0; m < substeps[j].solves.size(); ++m)
          all.push_back({i, k, j, Stage::Kind::solve, m});
      }
    }
  return all;
}

/// The trace up to a stage, of its island alone: the end of such a step is that stage.
StepTrace cut_off(const StepTrace& whole, const Stage& stage) {
  StepTrace trace = whole;
  trace.islands = {whole.islands[stage.island]};
  auto& substeps = trace.islands[0].substeps;
  substeps.resize(stage.substep + (stage.kind == Stage::Kind::start ? 0 : 1));
  if (stage.kind == Stage::Kind::impulses) substeps.back().sigma = 0;
  if (stage.kind == Stage::Kind::solve) {
    substeps.back().solves.resize(stage.solve + 1);
    substeps.back().sigma = substeps.back().solves.back().s;
  }
  return trace;
}

/// The same stage in the trace of a nudged step, if it has one. What is nudged may be stopped first, in a sub-step that does not
/// move, or take more looks at an end: sub-steps that move are counted, and of their solves the last one is always there.
std::optional<Stage> counterpart(const StepTrace& trace, const StepTrace& base, const Stage& stage) {
  if (trace.islands.size() != base.islands.size()) return std::nullopt;
  const IslandTrace &a = base.islands[stage.island], &b = trace.islands[stage.island];
  if (a.trees != b.trees) return std::nullopt;
  const SubstepTrace& wanted = a.substeps[stage.substep];
  const auto moves = [](const SubstepTrace& substep) { return substep.sigma > 0; };
  const auto count =
      std::count_if(a.substeps.begin(), a.substeps.begin() + static_cast<long>(stage.substep), moves);
  Stage found = stage;
  long moved = 0;
  for (found.substep = 0; found.substep < b.substeps.size(); ++found.substep) {
    const SubstepTrace& substep = b.substeps[found.substep];
    if (moved == count && moves(substep) == moves(wanted) && substep.collides == wanted.collides) break;
    if (moved == count && moves(substep) && stage.kind == Stage::Kind::solve) break;  // stopped or not
    if (moves(substep)) ++moved;
    if (moved > count) return std::nullopt;
  }
  if (found.substep == b.substeps.size()) return std::nullopt;
  if (stage.kind != Stage::Kind::solve) return found;
  const std::size_t all = wanted.solves.size(), others = b.substeps[found.substep].solves.size();
  if (stage.solve + 1 == all)
    found.solve = others - 1;
  else if (all != others)
    return std::nullopt;
  return found;
}

/// The trees of a model, each with its place in the whole.
std::vector<MovingTree> trees_of(const Model& model) {
  std::vector<MovingTree> trees;
  trees.reserve(model.trees().size());
  for (std::size_t t = 0; t < model.trees().size(); ++t) trees.emplace_back(model, static_cast<int>(t));
  return trees;
}

/// (q, v) of the island's trees at a stage.
std::pair<VecX, VecX> state_at(const StepTrace& trace, const Stage& stage,
                               const std::vector<MovingTree>& trees) {
  const IslandTrace& island = trace.islands[stage.island];
  const SubstepTrace& substep = island.substeps[stage.substep];
  VecX q = substep.q, v = substep.v;
  if (stage.kind == Stage::Kind::start && substep.collides) v = substep.collision.v_before;
  if (stage.kind != Stage::Kind::solve) return {q, v};
  const SolveTrace& solve = substep.solves[stage.solve];
  const VecX path = (0.5 * solve.s) * (substep.v + solve.v_next);
  long at_q = 0, at_v = 0;
  for (const int t : island.trees) {
    const Model& model = trees[static_cast<std::size_t>(t)].model;
    const VecX from = q.segment(at_q, model.nq()), by = path.segment(at_v, model.nv());
    q.segment(at_q, model.nq()) = integrate(model, from, by);
    at_q += model.nq();
    at_v += model.nv();
  }
  return {q, solve.v_next};
}

/// (q ⊖ base, v) there.
VecX moved_at(const StepTrace& trace, const Stage& stage, const std::vector<MovingTree>& trees,
              const VecX& q_base) {
  const auto [q, v] = state_at(trace, stage, trees);
  VecX x(2 * v.size());
  x.tail(v.size()) = v;
  long at_q = 0, at_v = 0;
  for (const int t : trace.islands[stage.island].trees) {
    const Model& model = trees[static_cast<std::size_t>(t)].model;
    const VecX from = q_base.segment(at_q, model.nq()), to = q.segment(at_q, model.nq());
    x.segment(at_v, model.nv()) = difference(model, from, to);
    at_q += model.nq();
    at_v += model.nv();
  }
  return x;
}

/// One letter a row.
std::string letters(const std::vector<RowClass>& classes, const std::vector<RowsTrace>& rows) {
  constexpr char letter[] = "CNFHLlu";
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (next < rows.size() && static_cast<std::size_t>(rows[next].first) == i) {
      if (!out.empty()) out += ' ';
      out += std::to_string(rows[next++].contact);
    }
    out += letter[static_cast<std::size_t>(classes[i])];
  }
  return out;
}

/// What was decided at a stage: for people, and the same text for the same decisions.
std::string decisions_at(const StepTrace& trace, const Stage& stage) {
  const SubstepTrace& substep = trace.islands[stage.island].substeps[stage.substep];
  if (stage.kind == Stage::Kind::start) return fmt::format("{} contacts", substep.contacts.size());
  if (stage.kind == Stage::Kind::impulses) {
    std::string out = substep.collision.stops ? "stops" : substep.collision.poisson ? "Poisson" : "hits";
    for (const ForcesTrace& stage_of : substep.collision.stages)
      out += " [" + letters(stage_of.classes, substep.collision.rows) + "]";
    return out;
  }
  const SolveTrace& solve = substep.solves[stage.solve];
  constexpr const char* rules[] = {"rest", "same", "event", "swept", "stopped"};
  std::string out =
      fmt::format("{} [{}]", rules[static_cast<int>(solve.rule)], letters(solve.forces.classes, solve.rows));
  if (!solve.with_gaps) out += " without gaps";
  for (const BendTrace& bend : solve.bends)
    out += fmt::format(" bend of {}{}", bend.contact, bend.capped ? " capped" : "");
  const bool last = stage.solve + 1 == substep.solves.size();
  if (last && substep.sigma != solve.s)
    out += substep.sigma == 0 ? " stopped"
                              : fmt::format(" until {}/{}{}", solve.hit.shape_a, solve.hit.shape_b,
                                            solve.hit.target_by_gap != 0 ? " at part of its gap" : "");
  return out;
}

std::string name_of(const Stage& stage, const Model& model, const StepTrace& trace) {
  std::string bodies;
  for (const int t : trace.islands[stage.island].trees) {
    if (!bodies.empty()) bodies += ", ";
    const auto& of = model.bodies();
    const auto body = std::find_if(of.begin(), of.end(), [&](const Body& b) {
      return b.link >= 0 && model.links()[static_cast<std::size_t>(b.link)].tree == t;
    });
    bodies += body == of.end() ? std::to_string(t) : body->name;
  }
  const std::string what = stage.kind == Stage::Kind::start      ? "start"
                           : stage.kind == Stage::Kind::impulses ? "impulses"
                                                                 : fmt::format("solve {}", stage.solve);
  return fmt::format("step {}, {}, sub-step {}, {}", stage.step, bodies, stage.substep, what);
}

double size_of(const VecX& x) { return x.size() == 0 ? 0 : x.lpNorm<Eigen::Infinity>(); }

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// The two steps nudged to one side.
struct Nudged {
  bool exists = false;
  VecX end;
  Flow::Traces traces;
  Model model;
};

/// Gradients along the direction, whole and cut off.
class Tape {
 public:
  Tape(const Model& model, const Flow::Traces& traces, const std::vector<ParameterId>& ids,
       const Direction& d)
      : model_(model), traces_(traces), ids_(ids), d_(d), workspace_(model) {
    tangents_[0] = {d.q, d.v};
    for (std::size_t i = 0; i < kSteps; ++i) {
      const StepPushforward end = push(i, traces[i]);
      tangents_[i + 1] = {end.q, end.v};
    }
  }

  VecX end() const { return joined(tangents_[kSteps].first, tangents_[kSteps].second); }

  VecX at(const Stage& stage, const std::vector<MovingTree>& trees) {
    const StepTrace trace = cut_off(traces_[stage.step], stage);
    const StepPushforward out = push(stage.step, trace);
    VecX q, v;
    for (const int t : trace.islands[0].trees) {
      const MovingTree& tree = trees[static_cast<std::size_t>(t)];
      q = joined(q, out.q.segment(tree.v0, tree.model.nv()));
      v = joined(v, out.v.segment(tree.v0, tree.model.nv()));
    }
    return joined(q, v);
  }

 private:
  static VecX joined(const VecX& a, const VecX& b) {
    VecX x(a.size() + b.size());
    x << a, b;
    return x;
  }
  StepPushforward push(std::size_t i, const StepTrace& trace) {
    StepPushforward out;
    step_jvp(model_, trace, ids_, {tangents_[i].first, tangents_[i].second, d_.effort[i], d_.parameters},
             workspace_, out);
    return out;
  }

  const Model& model_;
  const Flow::Traces& traces_;
  const std::vector<ParameterId>& ids_;
  const Direction& d_;
  GradientWorkspace workspace_;
  std::array<std::pair<VecX, VecX>, kSteps + 1> tangents_;
};

bool same_decisions(const Flow::Traces& a, const Flow::Traces& b) {
  const std::vector<Stage> stages = stages_of(a);
  if (stages.size() != stages_of(b).size()) return false;
  return std::all_of(stages.begin(), stages.end(), [&](const Stage& stage) {
    const std::optional<Stage> other = counterpart(b[stage.step], a[stage.step], stage);
    return other && decisions_at(a[stage.step], stage) == decisions_at(b[stage.step], *other);
  });
}

}  // namespace

bool StageTrial::parts() const { return std::isfinite(central) && central > kParts; }

int Explanation::first() const {
  const auto at =
      std::find_if(stages.begin(), stages.end(), [](const StageTrial& stage) { return stage.parts(); });
  return at == stages.end() ? -1 : static_cast<int>(at - stages.begin());
}

Explanation explain(const generators::World& world, std::uint64_t numbers, std::size_t k,
                    const TrialSettings& settings) {
  Explanation result;
  result.trial = try_gradient(world, numbers, settings).directions[k];
  generators::RandomStream random(numbers);
  const Start start = warmed_up(world, random.integer(0, settings.warm_up));
  Direction d;
  for (std::size_t i = 0; i <= k; ++i) d = draw_probe(start, i, random).direction;

  Flow flow(start);
  Flow::Traces base;
  const VecX end = flow(d, 0, &base);
  Tape tape(start.model, base, start.ids, d);
  const VecX gradient = tape.end();
  const double scale = std::max(size_of(gradient), std::numeric_limits<double>::min());
  const std::vector<MovingTree> trees = trees_of(start.model);

  const std::vector<Stage> stages = stages_of(base);
  std::vector<VecX> said, q_base, at_base;
  for (const Stage& stage : stages) {
    said.push_back(tape.at(stage, trees));
    q_base.push_back(state_at(base[stage.step], stage, trees).first);
    at_base.push_back(moved_at(base[stage.step], stage, trees, q_base.back()));
    result.stages.push_back({.name = name_of(stage, start.model, base[stage.step]),
                             .size = size_of(said.back()),
                             .central = kUnknown,
                             .right = kUnknown,
                             .left = kUnknown,
                             .scatter = kUnknown,
                             .decisions = decisions_at(base[stage.step], stage)});
  }

  const auto nudged = [&](double s) {
    Nudged out{.model = flow.moved_model(d, s)};
    try {
      out.end = flow(d, s, &out.traces);
      out.exists = true;
    } catch (const StepError&) {
    } catch (const InvalidInput&) {
    }
    return out;
  };
  bool looked = false;
  const double nearest = nudges().back();
  for (const double s : nudges()) {
    const Nudged above = nudged(s), below = nudged(-s);
    if (!above.exists || !below.exists) continue;
    const auto off = [&](const VecX& slope) { return size_of(slope - gradient) / scale; };
    Tape tape_above(above.model, above.traces, start.ids, d),
        tape_below(below.model, below.traces, start.ids, d);
    result.nudges.push_back({.s = s,
                             .central = off((above.end - below.end) / (2 * s)),
                             .right = off((above.end - end) / s),
                             .left = off((end - below.end) / s),
                             .gradient_above = off(tape_above.end()),
                             .gradient_below = off(tape_below.end()),
                             .same_above = same_decisions(base, above.traces),
                             .same_below = same_decisions(base, below.traces)});
    const bool look = !looked && s <= kLook;
    looked = looked || look;
    const std::vector<MovingTree> trees_above = trees_of(above.model), trees_below = trees_of(below.model);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const Stage& stage = stages[i];
      StageTrial& trial = result.stages[i];
      const double size = std::max(trial.size, 1e-3);
      std::optional<VecX> right, left;
      const auto note = [&](const Nudged& side, const std::vector<MovingTree>& of, std::optional<VecX>& x,
                            std::string& decisions) {
        const StepTrace& trace = side.traces[stage.step];
        const std::optional<Stage> there = counterpart(trace, base[stage.step], stage);
        if (!there) {
          if (look) decisions = "not there";
          return there;
        }
        x = moved_at(trace, *there, of, q_base[i]);
        const std::string others = decisions_at(trace, *there);
        if (look && others != trial.decisions) decisions = others;
        return there;
      };
      const std::optional<Stage> there_above = note(above, trees_above, right, trial.above),
                                 there_below = note(below, trees_below, left, trial.below);
      if (s == nearest && there_above && there_below)
        trial.scatter = size_of(0.5 * (tape_above.at(*there_above, trees_above) +
                                       tape_below.at(*there_below, trees_below)) -
                                said[i]) /
                        size;
      const auto nearer = [&](double& distance, const VecX& slope) {
        distance = std::min(distance, size_of(slope - said[i]) / size);
      };
      if (right) nearer(trial.right, (*right - at_base[i]) / s);
      if (left) nearer(trial.left, (at_base[i] - *left) / s);
      if (right && left) nearer(trial.central, (*right - *left) / (2 * s));
    }
  }
  return result;
}

}  // namespace jade::gradient_trial
