#include "jade/stepping/separate.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "jade/contact/constraint_rows.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/geometry/contact_points.h"
#include "jade/geometry/time_of_impact.h"
#include "jade/stepping/island.h"

namespace jade {
namespace {

/// Motion of a link about the tree's origin, from rates of the coordinates.
Vec6 motion_of_link(const Model& model, const DynamicsWorkspace& work, int link, const VecX& rates) {
  Vec6 motion = Vec6::Zero();
  for (int i = link; i >= 0; i = model.links()[i].parent)
    for (int k = model.links()[i].v; k < model.links()[i].v + model.links()[i].nv; ++k)
      motion += work.S[k] * rates[k];
  return motion;
}

// Up to this depth shapes count as touching: where contacts are still found [m].
constexpr double kTouching = 1e-9;
// What is aimed at above the standoff and what is accepted below it, as a share of it: rounding of positions of some metres.
constexpr double kAbove = 1e-6;
// Pairs within so many standoffs are kept from coming together; a pass moves nothing by more than a part of that.
constexpr double kReach = 16;
constexpr double kLargestMove = 0.4;
// Stacks move by a standoff more with each body: a hundred passes lift six hundred of them.
constexpr int kMostPasses = 100;

class Separator {
 public:
  Separator(const Model& model, const State& state, const StepSettings& settings)
      : model_(model), settings_(settings), collision_(model), reach_(kReach * settings.standoff) {
    for (std::size_t t = 0; t < model.trees().size(); ++t) {
      trees_.emplace_back(model, static_cast<int>(t));
      MovingTree& tree = trees_.back();
      tree.now = {state.q.segment(tree.q0, tree.model.nq()), state.v.segment(tree.v0, tree.model.nv())};
    }
    for (MovingTree& tree : trees_) row_trees_.push_back({&tree.model, &tree.start});
    result_.state = state;
  }

  Separation run() {
    for (;; ++result_.passes) {
      look();
      if (nearest_ >= (1 - kAbove) * settings_.standoff) break;
      if (result_.passes == kMostPasses || !move()) {
        result_.reached = false;
        break;
      }
    }
    if (result_.passes > 0)
      for (const MovingTree& tree : trees_) result_.state.q.segment(tree.q0, tree.model.nq()) = tree.now.q;
    return std::move(result_);
  }

 private:
  Transform pose(const CollisionShape& shape) const {
    if (shape.anchor.tree < 0) return shape.X_LS;
    const DynamicsWorkspace& work = trees_[shape.anchor.tree].start;
    return Transform{work.R[shape.anchor.link], work.origin[0] + work.r[shape.anchor.link]} * shape.X_LS;
  }

  /// Rows of all contacts within reach, and their excess over what is aimed at.
  void look() {
    for (MovingTree& tree : trees_) update_positions(tree.model, tree.now.q, tree.start);
    rows_.clear();
    excess_.clear();
    nearest_ = std::numeric_limits<double>::infinity();
    const auto& shapes = collision_.shapes();
    std::vector<Aabb> boxes(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const FixedPose fixed(pose(shapes[i]));
      boxes[i] = swept_bounds({shapes[i].geometry, fixed}, 0).grown(0.5 * reach_);
    }
    for (int a = 0; a < static_cast<int>(shapes.size()); ++a)
      for (int b = a + 1; b < static_cast<int>(shapes.size()); ++b)
        if (boxes[a].overlaps(boxes[b]) && collision_.can_meet(a, b)) look_at(a, b);
  }

  void look_at(int a, int b) {
    const CollisionShape &A = collision_.shapes()[a], &B = collision_.shapes()[b];
    const Transform X_WA = pose(A), X_WB = pose(B);
    std::vector<ContactPoint> points;
    finder_.find({A.geometry, X_WA}, {B.geometry, X_WB}, reach_, points);
    const DistanceResult& distance = finder_.distance();
    const double gap = distance.separated ? distance.lower_bound : distance.distance;
    if (gap < -kTouching || (gap <= 0 && points.empty()))
      throw StepError(fmt::format("{} and {} overlap by about {:.3g} m; only what touches can be separated",
                                  name(a), name(b), -gap));
    nearest_ = std::min(nearest_, gap);
    note(a, b, gap);
    for (const ContactPoint& point : points) {
      const Vec3 p = 0.5 * (point.at.p_A + point.at.p_B);
      rows_.add_contact(row_trees_, A.anchor, B.anchor, p, &point.at.normal, 1);
      excess_.push_back(point.at.gap - (1 + kAbove) * settings_.standoff);
    }
  }

  void note(int a, int b, double gap) {
    const auto known =
        std::find_if(result_.pairs.begin(), result_.pairs.end(),
                     [&](const Separation::Pair& pair) { return pair.shape_a == a && pair.shape_b == b; });
    if (known != result_.pairs.end()) {
      known->after = gap;
    } else if (gap < (1 - kAbove) * settings_.standoff) {
      result_.pairs.push_back({a, b, gap, gap});
    }
  }

  /// One pass; false when nothing can be done.
  bool move() {
    for (MovingTree& tree : trees_) {
      factor_articulated(tree.model, tree.model.armature(), tree.start);
      tree.displacement.setZero();
    }
    rows_.solve_columns(row_trees_);
    LcpProblem problem;
    problem.form = LcpForm::contact;
    problem.rows.assign(excess_.size(), {RowKind::normal, -1, 0});
    rows_.form_A(problem.A);
    problem.b = Eigen::Map<const VecX>(excess_.data(), static_cast<long>(excess_.size()));
    const LcpSolution solution = solve(problem, {.to_the_end = false});
    if (solution.status != LcpStatus::solved) return false;
    rows_.add_impulses(solution.f, [&](int tree) -> VecX& { return trees_[tree].displacement; });

    const double far = farthest_move();
    if (!(far > 0)) return false;
    const double share = std::min(1.0, kLargestMove * reach_ / far);
    result_.farthest += share * far;
    for (MovingTree& tree : trees_)
      integrate(tree.model, VecX(tree.now.q), VecX(share * tree.displacement), tree.now.q);
    return true;
  }

  double farthest_move() const {
    double far = 0;
    for (const CollisionShape& shape : collision_.shapes()) {
      if (shape.anchor.tree < 0) continue;
      const MovingTree& tree = trees_[shape.anchor.tree];
      const int link = shape.anchor.link;
      const Vec6 d = motion_of_link(tree.model, tree.start, link, tree.displacement);
      const Vec3 arm = tree.start.r[link] + tree.start.R[link] * shape.centre_L, turn = d.head<3>();
      far = std::max(far, (d.tail<3>() + cross3(turn, arm)).norm() + turn.norm() * shape.reach);
    }
    return far;
  }

  std::string name(int shape) const {
    const CollisionShape& s = collision_.shapes()[shape];
    return fmt::format("\"{}\" shape {}", model_.bodies()[s.body].name, s.index);
  }

  const Model& model_;
  const StepSettings& settings_;
  CollisionModel collision_;
  double reach_;
  std::vector<MovingTree> trees_;
  std::vector<RowTree> row_trees_;
  ConstraintRows rows_;
  std::vector<double> excess_;
  double nearest_ = 0;
  ContactFinder finder_;
  Separation result_;
};

}  // namespace

Separation separate(const Model& model, const State& state, const StepSettings& settings) {
  return Separator(model, state, settings).run();
}

}  // namespace jade
