#include "jade/gradients/step_gradient.h"

#include "jade/gradients/island_tape.h"

namespace jade {

struct GradientWorkspace::Data {
  explicit Data(const Model& model) : collision(model) {
    trees.reserve(model.trees().size());
    for (std::size_t t = 0; t < model.trees().size(); ++t) trees.emplace_back(model, static_cast<int>(t));
  }
  CollisionModel collision;
  std::vector<GradientTree> trees;
  IslandTape chain{trees, collision};
  LinearTape::Columns columns;
  VecX cotangent;
  Regularity regularity;  ///< of the island at hand
};

GradientWorkspace::GradientWorkspace(const Model& model) : data_(std::make_unique<Data>(model)) {}
GradientWorkspace::~GradientWorkspace() = default;
GradientWorkspace::GradientWorkspace(GradientWorkspace&&) noexcept = default;

void Regularity::merge(const Regularity& other) {
  const bool worse = exists != other.exists ? exists : other.distance < distance;
  if (worse) {
    distance = other.distance;
    why = other.why;
  }
  regular = regular && other.regular;
  exists = exists && other.exists;
}

void Regularity::clear() {
  regular = exists = true;
  distance = std::numeric_limits<double>::infinity();
  why.clear();
}

namespace {

/// Nothing times zero is other than zero, but for what is not finite.
bool is_finite(const MatX& x) { return x.size() == 0 || (0 * x).sum() == 0; }

const char* side_of(RowClass row_class) {
  switch (row_class) {
    case RowClass::clamped:
      return "between touching and leaving, taken as touching";
    case RowClass::separate:
      return "between touching and leaving, taken as leaving";
    case RowClass::stick:
      return "between sticking and slipping, taken as sticking";
    default:
      return "between sticking and slipping, taken as slipping";
  }
}

/// The nearest kink in words, written into the memory at hand.
void describe(const Kink& kink, const Model& model, const CollisionModel& collision, std::string& why) {
  why.clear();
  const auto name = [&](int shape) -> const char* {
    if (shape < 0) return "joint limit";
    const int body = collision.shapes()[static_cast<std::size_t>(shape)].body;
    return model.bodies()[static_cast<std::size_t>(body)].name.c_str();
  };
  const auto write = [&](const char* what, const char* more) {
    for (const char* piece : {what, " \"", name(kink.shape_a), "\"/\"", name(kink.shape_b), "\" ", more})
      why += piece;
  };
  switch (kink.kind) {
    case Kink::Kind::row_class:
      return write("contact", side_of(kink.side));
    case Kink::Kind::row_choice:
      return write("contact", "between being held and being hit or left alone");
    case Kink::Kind::grazing:
      return write("impact", "grazes, or comes together with another");
    case Kink::Kind::event:
      return write("slip of", "ends at once, or cuts the segment");
    case Kink::Kind::together:
      return write("slip of", "ends together with another one, while something turns");
    case Kink::Kind::lowest:
      return write("path of", "bends, and two of its places are the lowest");
    case Kink::Kind::strained:
      return write("contact", "is held by friction at places whose gaps no motion closes without slip");
    case Kink::Kind::none:
      break;
  }
}

void regularity_of(const IslandTape& island, const Model& model, const CollisionModel& collision,
                   Regularity& out) {
  out.clear();
  if (!island.no_derivative.empty()) {
    out.regular = out.exists = false;
    out.distance = 0;
    out.why = island.no_derivative;
    return;
  }
  out.distance = island.nearest.distance;
  out.regular = out.distance > kAtKink;
  describe(island.nearest, model, collision, out.why);
}

/// That of the island on the tape with that of those before it; false: there is no derivative.
bool merge_regularity(const Model& model, GradientWorkspace::Data& data, Regularity& whole) {
  regularity_of(data.chain, model, data.collision, data.regularity);
  whole.merge(data.regularity);
  return whole.exists;
}

void require_parameters(const Model& model, const std::vector<ParameterId>& parameters) {
  for (const ParameterId& id : parameters)
    if (id.kind != ParameterKind::step_size) static_cast<void>(parameter_value(model, id));
}

Regularity overflow() {
  return {.regular = false, .exists = false, .distance = 0, .why = "the derivative overflows"};
}

/// Calls visit(place in the island's numbers, place in the whole, count) for every tree of the island.
template <class Visit>
void for_each_tree(const IslandTrace& island, const std::vector<GradientTree>& trees, Visit&& visit) {
  int first = 0;
  for (const int t : island.trees) {
    const GradientTree& tree = trees[static_cast<std::size_t>(t)];
    visit(first, tree.v, tree.model.nv());
    first += tree.model.nv();
  }
}

void push_forward(const Model& model, const StepTrace& trace, const std::vector<ParameterId>& parameters,
                  const StepTangent& tangent, bool to_one_side, GradientWorkspace& workspace,
                  StepPushforward& out) {
  require_parameters(model, parameters);
  GradientWorkspace::Data& data = workspace.data();
  out.q.setZero(model.nv());
  out.v.setZero(model.nv());
  out.regularity.clear();
  IslandTape& chain = data.chain;
  LinearTape::Columns& x = data.columns;
  for (const IslandTrace& island : trace.islands) {
    chain.build(model, trace, island, parameters, to_one_side);
    if (!merge_regularity(model, data, out.regularity)) break;
    x.begin(chain.tape.rows(), 1);
    const auto set = [&](int row, const auto& numbers) {
      for (int k = 0; k < numbers.size(); ++k) x.set(row + k, 0, numbers[k]);
    };
    for_each_tree(island, data.trees, [&](int row, int from, int rows) {
      set(chain.q_in + row, tangent.q.segment(from, rows));
      set(chain.v_in + row, tangent.v.segment(from, rows));
      set(chain.effort_in + row, tangent.effort.segment(from, rows));
    });
    set(chain.parameters_in, tangent.parameters);
    chain.tape.forward(x);
    for_each_tree(island, data.trees, [&](int row, int to, int rows) {
      x.widen_whole(chain.q_out + row, rows);
      x.widen_whole(chain.v_out + row, rows);
      out.q.segment(to, rows) = x.x.col(0).segment(chain.q_out + row, rows);
      out.v.segment(to, rows) = x.x.col(0).segment(chain.v_out + row, rows);
    });
  }
  if (!out.q.allFinite() || !out.v.allFinite()) out.regularity = overflow();
  if (out.regularity.exists) return;
  out.q.setZero();
  out.v.setZero();
}

}  // namespace

void step_jacobian(const Model& model, const StepTrace& trace, const std::vector<ParameterId>& parameters,
                   GradientWorkspace& workspace, StepJacobian& out) {
  require_parameters(model, parameters);
  GradientWorkspace::Data& data = workspace.data();
  const int nv = model.nv(), count = static_cast<int>(parameters.size());
  out.state.setZero(2 * nv, 2 * nv);
  out.effort.setZero(2 * nv, nv);
  out.parameters.setZero(2 * nv, count);
  out.regularity.clear();
  IslandTape& chain = data.chain;
  LinearTape::Columns& x = data.columns;
  for (const IslandTrace& island : trace.islands) {
    chain.build(model, trace, island, parameters);
    if (!merge_regularity(model, data, out.regularity)) break;
    // Columns tree by tree, q, v and τ of each together: what depends on few trees has few columns.
    const int n = chain.nv;
    x.begin(chain.tape.rows(), 3 * n + count);
    for_each_tree(island, data.trees, [&](int row, int, int rows) {
      x.set_identity(chain.q_in + row, 3 * row, rows);
      x.set_identity(chain.v_in + row, 3 * row + rows, rows);
      x.set_identity(chain.effort_in + row, 3 * row + 2 * rows, rows);
    });
    for (int k = 0; k < count; ++k) x.set(chain.parameters_in + k, 3 * n + k, 1);
    chain.tape.forward(x);
    for_each_tree(island, data.trees, [&](int row, int to_row, int rows) {
      for (const bool velocity : {false, true}) {
        const int first = (velocity ? chain.v_out : chain.q_out) + row;
        x.widen_whole(first, rows);
        const auto from = x.x.middleRows(first, rows);
        const int to = to_row + (velocity ? nv : 0);
        for_each_tree(island, data.trees, [&](int column, int to_column, int columns) {
          out.state.block(to, to_column, rows, columns) = from.middleCols(3 * column, columns);
          out.state.block(to, nv + to_column, rows, columns) = from.middleCols(3 * column + columns, columns);
          out.effort.block(to, to_column, rows, columns) = from.middleCols(3 * column + 2 * columns, columns);
        });
        out.parameters.middleRows(to, rows) = from.middleCols(3 * n, count);
      }
    });
  }
  const bool finite = is_finite(out.state) && is_finite(out.effort) && is_finite(out.parameters);
  if (!finite) out.regularity = overflow();
  if (out.regularity.exists) return;
  out.state.setZero();
  out.effort.setZero();
  out.parameters.setZero();
}

void step_jvp(const Model& model, const StepTrace& trace, const std::vector<ParameterId>& parameters,
              const StepTangent& tangent, GradientWorkspace& workspace, StepPushforward& out) {
  push_forward(model, trace, parameters, tangent, false, workspace, out);
}

void step_along(const Model& model, const StepTrace& trace, const std::vector<ParameterId>& parameters,
                const StepTangent& tangent, GradientWorkspace& workspace, StepPushforward& out) {
  push_forward(model, trace, parameters, tangent, true, workspace, out);
}

void step_vjp(const Model& model, const StepTrace& trace, const std::vector<ParameterId>& parameters,
              const StepCotangent& cotangent, GradientWorkspace& workspace, StepPullback& out) {
  require_parameters(model, parameters);
  GradientWorkspace::Data& data = workspace.data();
  const int nv = model.nv(), count = static_cast<int>(parameters.size());
  out.q.setZero(nv);
  out.v.setZero(nv);
  out.effort.setZero(nv);
  out.parameters.setZero(count);
  out.regularity.clear();
  IslandTape& chain = data.chain;
  VecX& x = data.cotangent;
  for (const IslandTrace& island : trace.islands) {
    chain.build(model, trace, island, parameters);
    if (!merge_regularity(model, data, out.regularity)) break;
    x.setZero(chain.tape.rows());
    for_each_tree(island, data.trees, [&](int row, int from, int rows) {
      x.segment(chain.q_out + row, rows) += cotangent.q.segment(from, rows);
      x.segment(chain.v_out + row, rows) += cotangent.v.segment(from, rows);
    });
    chain.tape.backward(x);
    for_each_tree(island, data.trees, [&](int row, int to, int rows) {
      out.q.segment(to, rows) = x.segment(chain.q_in + row, rows);
      out.v.segment(to, rows) = x.segment(chain.v_in + row, rows);
      out.effort.segment(to, rows) = x.segment(chain.effort_in + row, rows);
    });
    out.parameters += x.segment(chain.parameters_in, count);
  }
  if (!out.q.allFinite() || !out.v.allFinite() || !out.effort.allFinite() || !out.parameters.allFinite())
    out.regularity = overflow();
  if (out.regularity.exists) return;
  for (VecX* part : {&out.q, &out.v, &out.effort, &out.parameters}) part->setZero();
}

}  // namespace jade
