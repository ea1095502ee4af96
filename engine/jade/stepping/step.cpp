#include "jade/stepping/step.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "jade/dynamics/kinematics.h"
#include "jade/geometry/broad_phase.h"
#include "jade/stepping/island.h"

namespace jade {

struct StepWorkspace::Data {
  explicit Data(const Model& model) : Data(model, CollisionModel(model)) {}
  Data(const Model& model, CollisionModel shapes) : collision(std::move(shapes)), poses(collision) {
    for (std::size_t t = 0; t < model.trees().size(); ++t) {
      trees.emplace_back(model, static_cast<int>(t));
      islands.push_back(std::make_unique<Island>(collision));
    }
    group.resize(trees.size());
    island_of_tree.resize(trees.size());
    slot_of_tree.resize(trees.size());
    boxes.resize(collision.shapes().size());
    slot_of_shape.resize(collision.shapes().size());
  }

  CollisionModel collision;
  std::vector<MovingTree> trees;
  ShapePoses poses;
  std::vector<Aabb> boxes,
      swept;  ///< per shape: where it is expected to be during the step, where it has been

  BroadPhase broad_phase;
  std::vector<std::pair<int, int>> near, joined;  ///< pairs of shapes that may meet in this step, ascending
  std::vector<int> group;                         ///< per tree: the next tree on the way to its group's root
  std::vector<int> island_of_tree, slot_of_tree;  ///< which island holds it, and where
  std::vector<int> slot_of_shape;                 ///< within the island at hand
  std::vector<std::unique_ptr<Island>> islands;  ///< one a tree, of which the first `island_count` are in use
  int island_count = 0;
};

StepWorkspace::StepWorkspace(const Model& model) : data_(std::make_unique<Data>(model)) {}
StepWorkspace::StepWorkspace(const Model& model, const StepWorkspace& other)
    : data_(std::make_unique<Data>(model, CollisionModel(model, other.collision()))) {}
StepWorkspace::~StepWorkspace() = default;
StepWorkspace::StepWorkspace(StepWorkspace&&) noexcept = default;
const CollisionModel& StepWorkspace::collision() const { return data_->collision; }

void StepReport::clear() {
  smallest_clearance = std::numeric_limits<double>::infinity();
  substeps = without_gaps = unsolved = hurried = iterations = 0;
  lost_time = worst_residual = iterated_to = impact_energy = 0;
  worst_stage.clear();
  impacts.clear();
  contacts.clear();
  limits.clear();
}

namespace {

std::string shape_name(const Model& model, const CollisionModel& collision, int index) {
  const CollisionShape& shape = collision.shapes()[index];
  return fmt::format("\"{}\" shape {}", model.bodies()[shape.body].name, shape.index);
}

/// What is wrong with two shapes that share points, and the remedy: what overlaps by no more than rounding only touches.
std::string in_words(double depth) {
  constexpr double rounding = 1e-9;
  if (depth < rounding) return "touch; separate them (jade/stepping/separate.h) before stepping";
  return fmt::format("intersect, by about {:.3g} m; move them apart before stepping", depth);
}

void require_finite(const Model& model, const State& state, const char* stage) {
  if (state.q.allFinite() && state.v.allFinite()) return;
  for (const Joint& joint : model.joints())
    if (!state.q.segment(joint.q, joint.nq).allFinite() || !state.v.segment(joint.v, joint.nv).allFinite())
      throw StepError(
          fmt::format("{}: position or velocity of joint \"{}\" is not finite", stage, joint.name));
}

/// The state of the whole model from those of its trees.
void gather(const std::vector<MovingTree>& trees, const Model& model, State& state) {
  state.q.resize(model.nq());
  state.v.resize(model.nv());
  for (const MovingTree& tree : trees) {
    state.q.segment(tree.q0, tree.model.nq()) = tree.now.q;
    state.v.segment(tree.v0, tree.model.nv()) = tree.now.v;
  }
}

std::uint64_t pair_key(int a, int b) {
  return (static_cast<std::uint64_t>(a) << 32) | static_cast<std::uint32_t>(b);
}

/// Empties report and memory but keeps their lists' room.
void clear(StepResult& result) {
  result.report.clear();
  result.memory.contacts.clear();
  result.memory.limits.clear();
  result.memory.pairs.clear();
  result.path.clear();
}

/// What an island leaves behind: its report, and what the next step wants to know.
void collect(const Island& island, StepResult& result) {
  StepReport& report = result.report;
  const StepReport& part = island.report;
  report.smallest_clearance = std::min(report.smallest_clearance, part.smallest_clearance);
  report.substeps = std::max(report.substeps, part.substeps);
  report.lost_time += part.lost_time;
  report.without_gaps += part.without_gaps;
  report.unsolved += part.unsolved;
  report.hurried += part.hurried;
  report.iterations = std::max(report.iterations, part.iterations);
  report.iterated_to = std::max(report.iterated_to, part.iterated_to);
  report.impact_energy += part.impact_energy;
  if (part.worst_residual > report.worst_residual) {
    report.worst_residual = part.worst_residual;
    report.worst_stage = part.worst_stage;
  }
  report.impacts.insert(report.impacts.end(), part.impacts.begin(), part.impacts.end());
  const bool hard = island.is_hard();
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
    result.memory.contacts.push_back({contact.key, contact.classes, contact.force, hard, contact.unheeded});
  }
  for (const LiveLimit& limit : island.limits) {
    if (limit.row < 0) continue;
    report.limits.push_back({.joint = limit.limit.joint,
                             .coordinate = limit.limit.coordinate,
                             .upper = limit.limit.upper,
                             .gap = limit.closing.gap,
                             .impulse = limit.impulse,
                             .row_class = limit.row_class});
    result.memory.limits.push_back({limit.limit.key, limit.row_class});
  }
  result.path.insert(result.path.end(), island.path.begin(), island.path.end());
  for (const NearPair& pair : island.pairs)
    result.memory.pairs.push_back({pair_key(pair.a, pair.b), pair.direction});
}

/// The groups of trees that are advanced together.
class Islands {
 public:
  Islands(const Model& model, StepWorkspace::Data& data, const StepSettings& settings, double h)
      : model_(model), data_(data), settings_(settings), h_(h), fall_(2 * h * h * model.gravity().norm()) {
    std::iota(data_.group.begin(), data_.group.end(), 0);
    data_.near.clear();
  }

  /// Expected whereabouts of every shape: where it is now, grown by what its velocity and one step of acceleration can
  /// do. Only a guess of who meets whom; what is missed is found from the paths that were really taken.
  void guess();

  /// Puts all trees to the start of the step.
  void load(const State& state, const Controls& controls);

  /// Joins groups whose shapes' boxes overlap; true when something was joined that was apart, or a shape of the world
  /// came into reach.
  bool connect(const std::vector<Aabb>& boxes);

  /// Advances every island, all from the start of the step.
  void advance(const StepMemory& memory, StepTrace* trace);

  /// Joins what has met on the paths that were taken and was not expected to; false when there is nothing.
  bool connect_swept();

 private:
  int root(int tree) const {
    while (data_.group[tree] != tree) tree = data_.group[tree];
    return tree;
  }
  Island& island_of(int shape_a, int shape_b) const;
  void make_islands();
  void add_pairs(const StepMemory& memory);
  void number_world_shapes(Island& island);
  IslandTrace& begin_trace(const Island& island, StepTrace& trace) const;

  const Model& model_;
  StepWorkspace::Data& data_;
  const StepSettings& settings_;
  double h_;
  double fall_;  ///< what one step of acceleration is expected to do to any point at most [m]
};

void Islands::load(const State& state, const Controls& controls) {
  for (MovingTree& tree : data_.trees) {
    tree.now.q = state.q.segment(tree.q0, tree.model.nq());
    tree.now.v = state.v.segment(tree.v0, tree.model.nv());
    tree.effort = controls.effort.segment(tree.v0, tree.model.nv());
    tree.prescribed = controls.acceleration.segment(tree.v0, tree.model.nv());
    update_poses(tree.model, tree.now.q, tree.start);
    update_velocities(tree.model, tree.now.v, tree.start);
    tree.start_is_now = true;
  }
  const auto& shapes = data_.collision.shapes();
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (const int tree = shapes[i].anchor.tree; tree >= 0)
      data_.poses.start[i] = MovingTree::placed(shapes[i], data_.trees[tree].start);
}

void Islands::guess() {
  const auto& shapes = data_.collision.shapes();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const CollisionShape& shape = shapes[i];
    Aabb& box = data_.boxes[i];
    if (shape.anchor.tree < 0) {
      box = bounds_of({shape.geometry, shape.X_LS}, settings_.standoff);
      continue;
    }
    const DynamicsWorkspace& work = data_.trees[shape.anchor.tree].start;
    const int link = shape.anchor.link;
    const Transform& X_WS = data_.poses.start[i];
    const Vec3 spin = work.V[link].head<3>(), arm = X_WS.p - work.origin[0];
    const Vec3 travel = h_ * (work.V[link].tail<3>() + cross3(spin, arm));
    const double turning = h_ * spin.norm() * shape.geometry.core().extent;
    box = bounds_of({shape.geometry, X_WS}, settings_.standoff + turning + fall_);
    box.low += travel.cwiseMin(0);
    box.high += travel.cwiseMax(0);
  }
  connect(data_.boxes);
}

bool Islands::connect(const std::vector<Aabb>& boxes) {
  const auto& shapes = data_.collision.shapes();
  data_.joined.clear();
  for (const auto& [a, b] : data_.broad_phase.overlaps(boxes)) {
    if ((!data_.near.empty() && std::binary_search(data_.near.begin(), data_.near.end(), std::pair(a, b))) ||
        !data_.collision.can_meet(a, b))
      continue;
    data_.joined.push_back({a, b});
    const int s = shapes[a].anchor.tree, t = shapes[b].anchor.tree;
    if (s >= 0 && t >= 0) data_.group[root(s)] = root(t);
  }
  const auto middle = static_cast<std::ptrdiff_t>(data_.near.size());
  data_.near.insert(data_.near.end(), data_.joined.begin(), data_.joined.end());
  if (middle > 0) std::sort(data_.near.begin(), data_.near.end());
  return !data_.joined.empty();
}

Island& Islands::island_of(int shape_a, int shape_b) const {
  const auto& shapes = data_.collision.shapes();
  const int tree =
      shapes[shape_a].anchor.tree >= 0 ? shapes[shape_a].anchor.tree : shapes[shape_b].anchor.tree;
  return *data_.islands[data_.island_of_tree[tree]];
}

/// One island for each group, in the order of their first trees, with its trees and their shapes.
void Islands::make_islands() {
  data_.island_count = 0;
  std::fill(data_.island_of_tree.begin(), data_.island_of_tree.end(), -1);
  for (std::size_t t = 0; t < data_.trees.size(); ++t) {
    int& number = data_.island_of_tree[root(static_cast<int>(t))];
    if (number < 0) {
      number = data_.island_count++;
      data_.islands[number]->begin({.settings = settings_,
                                    .h = h_,
                                    .slot_of_tree = data_.slot_of_tree.data(),
                                    .poses = data_.poses,
                                    .expected = data_.boxes,
                                    .fall = fall_});
    }
    Island& island = *data_.islands[number];
    data_.island_of_tree[t] = number;
    data_.slot_of_tree[t] = static_cast<int>(island.trees.size());
    island.trees.push_back(&data_.trees[t]);
  }
  const auto& shapes = data_.collision.shapes();
  std::fill(data_.slot_of_shape.begin(), data_.slot_of_shape.end(), -1);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].anchor.tree < 0) continue;
    Island& island = *data_.islands[data_.island_of_tree[shapes[i].anchor.tree]];
    data_.slot_of_shape[i] = static_cast<int>(island.shapes.size());
    island.shapes.push_back(static_cast<int>(i));
  }
}

void Islands::add_pairs(const StepMemory& memory) {
  auto kept = memory.pairs.begin();
  for (const auto& [a, b] : data_.near) {
    NearPair& pair = island_of(a, b).pairs.emplace_back();
    pair.a = a;
    pair.b = b;
    pair.material = data_.collision.material_pair(a, b);
    const MaterialPair& material = model_.scene().pairs[pair.material];
    pair.friction = material.friction;
    pair.restitution = material.restitution;
    const std::uint64_t key = pair_key(a, b);
    // The one after the last that was found is the next as a rule.
    if (kept != memory.pairs.end() && kept->key < key) ++kept;
    if (kept != memory.pairs.end() && kept->key < key)
      kept = std::lower_bound(kept, memory.pairs.end(), key,
                              [](const StepMemory::Pair& p, std::uint64_t k) { return p.key < k; });
    if (kept != memory.pairs.end() && kept->key == key) pair.direction = kept->direction;
  }
}

/// Shapes of the world get a slot in every island that may meet them.
void Islands::number_world_shapes(Island& island) {
  const auto& shapes = data_.collision.shapes();
  const auto slot_of = [&](int shape) {
    int& slot = data_.slot_of_shape[shape];
    if (slot < 0) {
      slot = static_cast<int>(island.shapes.size());
      island.shapes.push_back(shape);
    }
    return slot;
  };
  for (NearPair& pair : island.pairs) {
    pair.slot_a = slot_of(pair.a);
    pair.slot_b = slot_of(pair.b);
  }
  for (const int shape : island.shapes)
    if (shapes[shape].anchor.tree < 0) data_.slot_of_shape[shape] = -1;
  island.swept.resize(island.shapes.size());
}

/// The tape of an island.
IslandTrace& Islands::begin_trace(const Island& island, StepTrace& trace) const {
  IslandTrace& tape = trace.islands.emplace_back();
  int nv = 0;
  for (const MovingTree* tree : island.trees) {
    tape.trees.push_back(static_cast<int>(tree - data_.trees.data()));
    nv += tree->model.nv();
  }
  tape.effort.resize(nv);
  tape.prescribed.resize(nv);
  int first = 0;
  for (const MovingTree* tree : island.trees) {
    tape.effort.segment(first, tree->model.nv()) = tree->effort;
    tape.prescribed.segment(first, tree->model.nv()) = tree->prescribed;
    first += tree->model.nv();
  }
  return tape;
}

void Islands::advance(const StepMemory& memory, StepTrace* trace) {
  if (trace) trace->islands.clear();
  make_islands();
  add_pairs(memory);
  for (int k = 0; k < data_.island_count; ++k) {
    Island& island = *data_.islands[k];
    number_world_shapes(island);
    island.recall_limits(memory);
    island.trace = trace ? &begin_trace(island, *trace) : nullptr;
    island.advance(memory);
  }
}

bool Islands::connect_swept() {
  const auto for_each_swept = [&](auto&& visit) {
    for (int k = 0; k < data_.island_count; ++k) {
      const Island& island = *data_.islands[k];
      for (std::size_t i = 0; i < island.shapes.size(); ++i)
        if (data_.collision.shapes()[island.shapes[i]].anchor.tree >= 0)
          visit(island.shapes[i], island.swept[i]);
    }
  };
  // Who stayed where he was expected has met nobody else.
  bool left = false;
  for_each_swept([&](int shape, const Aabb& box) { left |= !data_.boxes[shape].holds(box); });
  if (!left) return false;
  data_.swept = data_.boxes;
  for_each_swept([&](int shape, const Aabb& box) { data_.swept[shape] = box; });
  return connect(data_.swept);
}

}  // namespace

void step(const Model& model, const State& state, const StepMemory& memory, const Controls& controls,
          double h, const StepSettings& settings, StepWorkspace& workspace, StepResult& result,
          StepTrace* trace) {
  StepWorkspace::Data& data = workspace.data();
  require_finite(model, state, "start of the step");
  if (trace) {
    trace->h = h;
    trace->integrator = settings.integrator;
    trace->standoff = settings.standoff;
    trace->clearance = settings.clearance;
  }
  Islands islands(model, data, settings, h);
  islands.load(state, controls);
  islands.guess();
  try {
    islands.advance(memory, trace);
    while (settings.continuous && islands.connect_swept()) {
      islands.load(state, controls);
      islands.advance(memory, trace);
    }
  } catch (const Intersection& found) {
    throw StepError(fmt::format("{} and {} {}", shape_name(model, data.collision, found.shape_a),
                                shape_name(model, data.collision, found.shape_b), in_words(found.depth)));
  } catch (const BeyondLimit& found) {
    const auto& [limit, position] = found;
    throw StepError(
        fmt::format("coordinate {} of joint \"{}\" is at {}, {} its limit {}; move it into its range "
                    "before stepping",
                    limit.coordinate, model.joints()[limit.joint].name, position,
                    limit.upper ? "above" : "below", limit.value));
  }

  for (const MovingTree& tree : data.trees)
    if (!tree.now.q.allFinite() || !tree.now.v.allFinite()) {
      State end;
      gather(data.trees, model, end);
      require_finite(model, end, "end of the step");
    }

  // From here on `state` and `memory` are not read any more: they may be those of the result.
  gather(data.trees, model, result.next);
  clear(result);
  std::size_t contacts = 0;
  for (int k = 0; k < data.island_count; ++k) contacts += data.islands[k]->contacts.size();
  result.report.contacts.reserve(contacts);
  result.memory.contacts.reserve(contacts);
  result.memory.pairs.reserve(data.near.size());
  for (int k = 0; k < data.island_count; ++k) collect(*data.islands[k], result);
  // Each island's are sorted, and often there is one.
  const auto by_key = [](const auto& a, const auto& b) { return a.key < b.key; };
  const auto sort = [&](auto& list) {
    if (!std::is_sorted(list.begin(), list.end(), by_key)) std::sort(list.begin(), list.end(), by_key);
  };
  sort(result.memory.contacts);
  sort(result.memory.limits);
  sort(result.memory.pairs);
  std::stable_sort(result.path.begin(), result.path.end(),
                   [](const PathPiece& a, const PathPiece& b) { return a.tree < b.tree; });
}

StepResult step(const Model& model, const State& state, const StepMemory& memory, const Controls& controls,
                double h, const StepSettings& settings, StepWorkspace& workspace, StepTrace* trace) {
  StepResult result;
  step(model, state, memory, controls, h, settings, workspace, result, trace);
  return result;
}

}  // namespace jade
