#include "jade/stepping/step.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "jade/dynamics/kinematics.h"
#include "jade/geometry/time_of_impact.h"
#include "jade/stepping/island.h"

namespace jade {

struct StepWorkspace::Data {
  explicit Data(const Model& model) : Data(model, CollisionModel(model)) {}
  Data(const Model& model, CollisionModel shapes) : collision(std::move(shapes)), dynamics(model) {
    for (std::size_t t = 0; t < model.trees().size(); ++t) trees.emplace_back(model, static_cast<int>(t));
  }

  CollisionModel collision;
  DynamicsWorkspace dynamics;
  std::vector<MovingTree> trees;
  std::vector<Aabb> boxes;  ///< per shape: where it is expected to be during the step
};

StepWorkspace::StepWorkspace(const Model& model) : data_(std::make_unique<Data>(model)) {}
StepWorkspace::StepWorkspace(const Model& model, const StepWorkspace& other)
    : data_(std::make_unique<Data>(model, CollisionModel(model, other.collision()))) {}
StepWorkspace::~StepWorkspace() = default;
StepWorkspace::StepWorkspace(StepWorkspace&&) noexcept = default;
const CollisionModel& StepWorkspace::collision() const { return data_->collision; }

namespace {

std::string shape_name(const Model& model, const CollisionModel& collision, int index) {
  const CollisionShape& shape = collision.shapes()[index];
  return fmt::format("\"{}\" shape {}", model.bodies()[shape.body].name, shape.index);
}

void require_finite(const Model& model, const State& state, const char* stage) {
  for (const Joint& joint : model.joints())
    if (!state.q.segment(joint.q, joint.nq).allFinite() || !state.v.segment(joint.v, joint.nv).allFinite())
      throw StepError(
          fmt::format("{}: position or velocity of joint \"{}\" is not finite", stage, joint.name));
}

std::uint64_t pair_key(int a, int b) {
  return (static_cast<std::uint64_t>(a) << 32) | static_cast<std::uint32_t>(b);
}

/// What an island leaves behind: its report, and what the next step wants to know.
void collect(const Island& island, StepResult& result) {
  StepReport& report = result.report;
  const StepReport& part = island.report;
  report.smallest_clearance = std::min(report.smallest_clearance, part.smallest_clearance);
  report.substeps = std::max(report.substeps, part.substeps);
  report.lost_time += part.lost_time;
  report.unsolved += part.unsolved;
  if (part.worst_residual > report.worst_residual) {
    report.worst_residual = part.worst_residual;
    report.worst_stage = part.worst_stage;
  }
  report.impacts.insert(report.impacts.end(), part.impacts.begin(), part.impacts.end());
  for (const LiveContact& contact : island.contacts) {
    if (contact.first_row < 0) continue;
    const NearPair& pair = island.pairs[contact.pair];
    report.contacts.push_back({.shape_a = pair.a,
                               .shape_b = pair.b,
                               .point = 0.5 * (contact.now.p_A + contact.now.p_B),
                               .normal = contact.now.normal,
                               .gap = contact.now.gap,
                               .impulse = contact.impulse,
                               .normal_class = contact.classes[0]});
    result.memory.contacts.push_back({contact.key, contact.classes});
  }
  for (const NearPair& pair : island.pairs)
    result.memory.pairs.push_back({pair_key(pair.a, pair.b), pair.direction});
}

/// The groups of trees that are advanced together.
class Islands {
 public:
  Islands(const Model& model, StepWorkspace::Data& data, const StepSettings& settings, double h)
      : model_(model), data_(data), settings_(settings), h_(h), group_(data.trees.size()) {
    std::iota(group_.begin(), group_.end(), 0);
  }

  /// Expected whereabouts of every shape: where it is now, grown by what its velocity and one step of acceleration can
  /// do. Only a guess of who meets whom; what is missed is found from the paths that were really taken.
  void guess(const State& state) {
    update_positions(model_, state.q, data_.dynamics);
    update_velocities(model_, state.v, data_.dynamics);
    const auto& shapes = data_.collision.shapes();
    data_.boxes.resize(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const CollisionShape& shape = shapes[i];
      if (shape.geometry.is_half_space()) {
        data_.boxes[i] = Aabb::everything();
        continue;
      }
      const int link = model_.bodies()[shape.body].link;
      Transform X_WL;
      Vec3 travel = Vec3::Zero();
      double margin = settings_.standoff;
      if (link >= 0) {
        const int tree = model_.links()[link].tree;
        const Vec6& V = data_.dynamics.V[link];
        X_WL = {data_.dynamics.R[link], data_.dynamics.origin[tree] + data_.dynamics.r[link]};
        const Vec3 arm = X_WL * shape.centre_L - data_.dynamics.origin[tree];
        travel = h_ * (V.tail<3>() + cross3(V.head<3>(), arm));
        margin += 2 * h_ * h_ * model_.gravity().norm();
      }
      const Vec3 centre = X_WL * shape.centre_L;
      Aabb box;
      box.include(centre);
      box.include(centre + travel);
      data_.boxes[i] = box.grown(shape.reach + margin);
    }
    connect(data_.boxes);
  }

  /// Joins groups whose shapes' boxes overlap; true when something was joined that was apart, or a shape of the world
  /// came into reach.
  bool connect(const std::vector<Aabb>& boxes) {
    bool changed = false;
    const auto& shapes = data_.collision.shapes();
    for (std::size_t i = 0; i < shapes.size(); ++i)
      for (std::size_t j = i + 1; j < shapes.size(); ++j) {
        if (!boxes[i].overlaps(boxes[j]) ||
            !data_.collision.can_meet(static_cast<int>(i), static_cast<int>(j)))
          continue;
        changed |= near_.insert({static_cast<int>(i), static_cast<int>(j)}).second;
        const int a = shapes[i].anchor.tree, b = shapes[j].anchor.tree;
        if (a >= 0 && b >= 0) group_[root(a)] = root(b);
      }
    return changed;
  }

  /// Advances every island whose members or neighbours changed since it was advanced last.
  void advance(const State& state, const Controls& controls, const StepMemory& memory, StepTrace* trace);

  std::vector<std::unique_ptr<Island>> islands;

 private:
  int root(int tree) const {
    while (group_[tree] != tree) tree = group_[tree];
    return tree;
  }
  std::unique_ptr<Island> make_island(const std::vector<int>& members, const StepMemory& memory) const;
  IslandTrace& begin_trace(const std::vector<int>& members, StepTrace& trace) const;

  const Model& model_;
  StepWorkspace::Data& data_;
  const StepSettings& settings_;
  double h_;
  std::vector<int> group_;
  std::set<std::pair<int, int>> near_;
};

std::unique_ptr<Island> Islands::make_island(const std::vector<int>& members,
                                             const StepMemory& memory) const {
  auto island = std::make_unique<Island>(data_.collision, settings_, h_);
  island->slot_of_tree.assign(data_.trees.size(), -1);
  for (const int tree : members) {
    island->slot_of_tree[tree] = static_cast<int>(island->trees.size());
    island->trees.push_back(&data_.trees[tree]);
  }
  const auto& shapes = data_.collision.shapes();
  const auto here = [&](int shape) {
    const int tree = shapes[shape].anchor.tree;
    return tree < 0 || island->slot_of_tree[tree] >= 0;
  };
  std::vector<int> slot(shapes.size(), -1);
  const auto slot_of = [&](int shape) {
    if (slot[shape] < 0) {
      slot[shape] = static_cast<int>(island->shapes.size());
      island->shapes.push_back(shape);
    }
    return slot[shape];
  };
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (shapes[i].anchor.tree >= 0 && here(static_cast<int>(i))) slot_of(static_cast<int>(i));
  for (const auto& [a, b] : near_) {
    if (!here(a) || !here(b)) continue;
    const MaterialPair& material = model_.scene().pairs[data_.collision.material_pair(a, b)];
    NearPair pair{.a = a, .b = b, .slot_a = slot_of(a), .slot_b = slot_of(b)};
    pair.material = data_.collision.material_pair(a, b);
    pair.friction = material.friction;
    pair.restitution = material.restitution;
    const std::uint64_t key = pair_key(a, b);
    const auto kept = std::lower_bound(memory.pairs.begin(), memory.pairs.end(), key,
                                       [](const StepMemory::Pair& p, std::uint64_t k) { return p.key < k; });
    if (kept != memory.pairs.end() && kept->key == key) pair.direction = kept->direction;
    island->pairs.push_back(pair);
  }
  island->swept.resize(island->shapes.size());
  return island;
}

/// The tape of the island of these trees.
IslandTrace& Islands::begin_trace(const std::vector<int>& members, StepTrace& trace) const {
  IslandTrace& island = trace.islands.emplace_back();
  island.trees = members;
  int nv = 0;
  for (const int t : members) nv += data_.trees[t].model.nv();
  island.effort.resize(nv);
  island.prescribed.resize(nv);
  int first = 0;
  for (const int t : members) {
    const MovingTree& tree = data_.trees[t];
    island.effort.segment(first, tree.model.nv()) = tree.effort;
    island.prescribed.segment(first, tree.model.nv()) = tree.prescribed;
    first += tree.model.nv();
  }
  return island;
}

void Islands::advance(const State& state, const Controls& controls, const StepMemory& memory,
                      StepTrace* trace) {
  islands.clear();
  if (trace) trace->islands.clear();
  std::vector<std::vector<int>> members(data_.trees.size());
  for (std::size_t t = 0; t < data_.trees.size(); ++t)
    members[root(static_cast<int>(t))].push_back(static_cast<int>(t));
  for (const std::vector<int>& group : members) {
    if (group.empty()) continue;
    for (const int t : group) {
      MovingTree& tree = data_.trees[t];
      tree.now = {state.q.segment(tree.q0, tree.model.nq()), state.v.segment(tree.v0, tree.model.nv())};
      tree.effort = controls.effort.segment(tree.v0, tree.model.nv());
      tree.prescribed = controls.acceleration.segment(tree.v0, tree.model.nv());
    }
    islands.push_back(make_island(group, memory));
    if (trace) islands.back()->trace = &begin_trace(group, *trace);
    islands.back()->advance(memory);
  }
}

}  // namespace

StepResult step(const Model& model, const State& state, const StepMemory& memory, const Controls& controls,
                double h, const StepSettings& settings, StepWorkspace& workspace, StepTrace* trace) {
  StepWorkspace::Data& data = workspace.data();
  require_finite(model, state, "start of the step");
  if (trace) {
    trace->h = h;
    trace->integrator = settings.integrator;
    trace->standoff = settings.standoff;
    trace->clearance = settings.clearance;
  }
  Islands islands(model, data, settings, h);
  islands.guess(state);
  try {
    for (bool again = true; again;) {
      islands.advance(state, controls, memory, trace);
      std::vector<Aabb> swept = data.boxes;
      for (const auto& island : islands.islands)
        for (std::size_t i = 0; i < island->shapes.size(); ++i)
          if (data.collision.shapes()[island->shapes[i]].anchor.tree >= 0)
            swept[island->shapes[i]] = island->swept[i];
      again = settings.continuous && islands.connect(swept);
    }
  } catch (const Intersection& found) {
    throw StepError(fmt::format("{} and {} intersect, by about {:.3g} m; move them apart before stepping",
                                shape_name(model, data.collision, found.shape_a),
                                shape_name(model, data.collision, found.shape_b), found.depth));
  }

  StepResult result;
  result.next = state;
  for (const MovingTree& tree : data.trees) {
    result.next.q.segment(tree.q0, tree.model.nq()) = tree.now.q;
    result.next.v.segment(tree.v0, tree.model.nv()) = tree.now.v;
  }
  require_finite(model, result.next, "end of the step");
  for (const auto& island : islands.islands) collect(*island, result);
  const auto by_key = [](const auto& a, const auto& b) { return a.key < b.key; };
  std::sort(result.memory.contacts.begin(), result.memory.contacts.end(), by_key);
  std::sort(result.memory.pairs.begin(), result.memory.pairs.end(), by_key);
  return result;
}

}  // namespace jade
