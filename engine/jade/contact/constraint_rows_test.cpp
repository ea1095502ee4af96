#include "jade/contact/constraint_rows.h"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/mass_matrix.h"
#include "jade/dynamics/test_trees.h"

namespace jade {
namespace {

/// A forest as one model and tree by tree, with rows between random points of it added to both: to ConstraintRows tree by
/// tree, and to a dense J over all velocities, from point Jacobians of the whole.
struct Rows {
  explicit Rows(unsigned seed) : random(seed) {
    SceneDescription scene = random.forest(10);
    // Two bodies alone in the air, one of them with its centre of mass as its reference.
    for (const bool centred : {true, false}) {
      BodyDescription body{.name = centred ? "centred" : "not centred"};
      body.joint.kind = JointKind::free;
      body.inertia = random.inertia();
      if (centred) body.inertia->com.setZero();
      scene.bodies.push_back(body);
    }
    model = std::make_unique<Model>(build_model(scene));
    state = random.state(*model);
    whole = std::make_unique<DynamicsWorkspace>(*model);
    update_positions(*model, state.q, *whole);
    for (std::size_t t = 0; t < model->trees().size(); ++t)
      tree_models.push_back(model->tree_alone(static_cast<int>(t)));
    for (std::size_t t = 0; t < tree_models.size(); ++t) {
      const Model& tree = tree_models[t];
      const Link& first = model->links()[model->trees()[t].first];
      v0.push_back(first.v);
      work.push_back(std::make_unique<DynamicsWorkspace>(tree));
      update_positions(tree, state.q.segment(first.q, tree.nq()), *work.back());
      factor_articulated(tree, tree.armature(), *work.back());
      trees.push_back({&tree, work.back().get()});
    }
    dense.resize(0, model->nv());
  }

  Anchor anchor(int body) const {
    const int link = model->bodies()[body].link;
    if (link < 0) return {};
    const int tree = model->links()[link].tree;
    return {tree, link - model->trees()[tree].first};
  }

  void add_contact(int a, int b, int count) {
    const Vec3 p = random.vector(1.0);
    const Vec3 directions[3] = {random.vector(1.0), random.vector(1.0), random.vector(1.0)};
    rows.add_contact(trees, anchor(a), anchor(b), p, directions, count);
    Mat3X on_a(3, model->nv()), on_b(3, model->nv());
    point_jacobian(*model, *whole, a, p, on_a);
    point_jacobian(*model, *whole, b, p, on_b);
    for (int r = 0; r < count; ++r) append(directions[r].transpose() * (on_b - on_a));
  }

  void append(const Eigen::RowVectorXd& row) {
    dense.conservativeResize(dense.rows() + 1, Eigen::NoChange);
    dense.bottomRows<1>() = row;
  }

  /// Sizes of the terms of J v, from the dense rows.
  VecX sizes_of_terms(const VecX& v) const {
    VecX sizes = VecX::Zero(dense.rows());
    for (std::size_t t = 0; t < tree_models.size(); ++t) {
      const int first = v0[t], nv = tree_models[t].nv();
      const bool single =
          tree_models[t].links().size() == 1 && tree_models[t].links()[0].motion == LinkMotion::free;
      for (int k = first; !single && k < first + nv; ++k) sizes += dense.col(k).cwiseAbs() * std::abs(v[k]);
      for (int k = first; single && k < first + nv; k += 3)
        sizes += dense.middleCols<3>(k).rowwise().norm() * v.segment<3>(k).norm();
    }
    return sizes;
  }

  VecX of_tree(const VecX& v, int tree) const { return v.segment(v0[tree], tree_models[tree].nv()); }

  test::RandomTrees random;
  std::unique_ptr<Model> model;
  State state;
  std::unique_ptr<DynamicsWorkspace> whole;
  std::vector<Model> tree_models;
  std::vector<std::unique_ptr<DynamicsWorkspace>> work;
  std::vector<RowTree> trees;
  std::vector<int> v0;
  ConstraintRows rows;
  MatX dense;
};

// Products of a few dozen terms of ordinary size, and an inverse of a mass matrix of condition 1e4 at most.
constexpr double kRounding = 1e-11;

enum class Where { a_whole_forest, one_body_alone, one_link_of_a_tree, one_link_and_a_coordinate };

/// The last body of the tree with the most velocities.
int far_out(const Rows& rows) {
  int found = 0, most = 0;
  for (int i = 0; i < static_cast<int>(rows.model->bodies().size()); ++i) {
    const int tree = rows.anchor(i).tree;
    if (tree < 0 || rows.tree_models[tree].nv() < most) continue;
    most = rows.tree_models[tree].nv();
    found = i;
  }
  return found;
}

/// `contacts` of one to three rows, over all bodies or over one, and a coordinate unless the link is to be alone.
Rows some_rows(unsigned seed, int contacts, Where where) {
  Rows rows(seed);
  const bool one_body = where != Where::a_whole_forest;
  const int bodies = static_cast<int>(rows.model->bodies().size()),
            last = where == Where::a_whole_forest || where == Where::one_body_alone
                       ? bodies - 1 - static_cast<int>(seed % 2)
                       : far_out(rows);
  for (int i = 0; i < contacts; ++i) {
    const int a = one_body ? last : rows.random.integer(bodies), b = rows.random.integer(bodies);
    // The world is whatever sits on no link.
    if (one_body) {
      const Vec3 p = rows.random.vector(1.0),
                 directions[3] = {rows.random.vector(1.0), rows.random.vector(1.0), rows.random.vector(1.0)};
      rows.rows.add_contact(rows.trees, {}, rows.anchor(last), p, directions, 3);
      Mat3X on_b(3, rows.model->nv());
      point_jacobian(*rows.model, *rows.whole, last, p, on_b);
      for (const Vec3& d : directions) rows.append(d.transpose() * on_b);
    } else if (a != b) {
      rows.add_contact(a, b, 1 + rows.random.integer(3));
    }
  }
  if (where == Where::one_link_of_a_tree) return rows;
  const int tree = rows.anchor(last).tree;
  rows.rows.add_coordinate(rows.trees, tree, 2, -1);
  rows.append(-Eigen::RowVectorXd::Unit(rows.model->nv(), rows.v0[tree] + 2));
  return rows;
}

class ConstraintRowsOf : public testing::TestWithParam<Where> {};

TEST_P(ConstraintRowsOf, AgreeWithTheDenseMatrices) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Rows rows = some_rows(seed, 9, GetParam());
    const int n = rows.rows.size();
    ASSERT_EQ(n, rows.dense.rows());
    rows.rows.solve_columns(rows.trees);
    MatX A;
    rows.rows.form_A(A);
    const MatX M = crba(*rows.model, rows.state.q);
    const MatX MJ = M.llt().solve(rows.dense.transpose());
    const MatX expected = rows.dense * MJ;
    EXPECT_LE((A - expected).cwiseAbs().maxCoeff(), kRounding * expected.cwiseAbs().maxCoeff()) << seed;
    EXPECT_EQ(A, A.transpose()) << seed;

    VecX product = VecX::Zero(n), size = VecX::Zero(n);
    std::vector<VecX> velocities;
    for (std::size_t t = 0; t < rows.trees.size(); ++t)
      velocities.push_back(rows.of_tree(rows.state.v, static_cast<int>(t)));
    rows.rows.add_product([&](int tree) -> const VecX& { return velocities[tree]; }, product, size);
    const VecX sizes = rows.sizes_of_terms(rows.state.v);
    EXPECT_LE((product - rows.dense * rows.state.v).cwiseAbs().maxCoeff(), kRounding * sizes.maxCoeff())
        << seed;
    // Where two links of a tree cancel, the dense row has done so before. Through a link the terms are those of its motion,
    // which may cancel too.
    if (GetParam() == Where::one_link_of_a_tree)
      EXPECT_GE((size - sizes).minCoeff(), -kRounding * sizes.maxCoeff()) << seed;
    else
      EXPECT_LE((size - sizes).cwiseAbs().maxCoeff(), kRounding * sizes.maxCoeff()) << seed;

    // Two velocities at once.
    VecX both = VecX::Zero(n), both_sizes = VecX::Zero(n);
    const VecX other = rows.random.vector(rows.model->nv(), 1.0);
    std::vector<VecX> others;
    for (std::size_t t = 0; t < rows.trees.size(); ++t)
      others.push_back(rows.of_tree(other, static_cast<int>(t)));
    rows.rows.add_product_of_sum([&](int tree) -> const VecX& { return velocities[tree]; },
                                 [&](int tree) -> const VecX& { return others[tree]; }, both, both_sizes);
    const VecX sum_sizes = sizes + rows.sizes_of_terms(other);
    EXPECT_LE((both - rows.dense * (rows.state.v + other)).cwiseAbs().maxCoeff(),
              kRounding * sum_sizes.maxCoeff())
        << seed;
    EXPECT_GE((both_sizes - sum_sizes).minCoeff(), -kRounding * sum_sizes.maxCoeff()) << seed;

    const VecX f = rows.random.vector(n, 1.0), change = MJ * f;
    for (VecX& v : velocities) v.setZero();
    rows.rows.add_impulses(f, [&](int tree) -> VecX& { return velocities[tree]; });
    for (std::size_t t = 0; t < rows.trees.size(); ++t)
      EXPECT_LE((velocities[t] - rows.of_tree(change, static_cast<int>(t))).cwiseAbs().maxCoeff(),
                kRounding * change.cwiseAbs().maxCoeff())
          << seed;
  }
}

std::string name_of(const testing::TestParamInfo<Where>& test) {
  switch (test.param) {
    case Where::a_whole_forest:
      return "AWholeForest";
    case Where::one_body_alone:
      return "OneBodyAlone";
    case Where::one_link_of_a_tree:
      return "OneLinkOfATree";
    case Where::one_link_and_a_coordinate:
      return "OneLinkAndACoordinate";
  }
  return "";
}

/// What a solution is accepted by must be the same for a body in a turned world, or rounding decides differently there.
TEST(ConstraintRows, MeasureTheTermsOfABodyAlikeInATurnedWorld) {
  SceneDescription scene;
  scene.bodies = {{.name = "body"}};
  scene.bodies[0].inertia = InertiaDescription{.mass = 1, .inertia = Vec3(1, 2, 2.5).asDiagonal()};
  const Model model = build_model(scene);
  const Vec3 p(0.3, -0.2, 0.5), d = Vec3(1, 2, -3).normalized(), v(4, -1, 0.5), w(0.1, 7, -2);
  const auto size_when = [&](const Mat3& R) {
    DynamicsWorkspace work(model);
    update_positions(model, initial_state(model).q, work);
    const std::vector<RowTree> trees{{&model, &work}};
    ConstraintRows rows;
    const Vec3 direction = R * d;
    rows.add_contact(trees, {}, {0, 0}, R * p, &direction, 1);
    VecX velocity(6), product = VecX::Zero(1), size = VecX::Zero(1);
    velocity << R * v, R * w;
    rows.add_product([&](int) -> const VecX& { return velocity; }, product, size);
    return size[0];
  };
  const double here = size_when(Mat3::Identity());
  EXPECT_GE(here, std::abs(d.dot(v)) + std::abs(p.cross(d).dot(w)));
  for (const Quat& turn : {Quat(1, 1, 1, 1), Quat(3, -1, 2, 0.5), Quat(0, 1, 4, -2)})
    EXPECT_NEAR(size_when(turn.normalized().toRotationMatrix()), here, 1e-14 * here);  // rounding of the turn
}

INSTANTIATE_TEST_SUITE_P(, ConstraintRowsOf,
                         testing::Values(Where::a_whole_forest, Where::one_body_alone,
                                         Where::one_link_of_a_tree, Where::one_link_and_a_coordinate),
                         name_of);

}  // namespace
}  // namespace jade
