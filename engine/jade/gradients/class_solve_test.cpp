#include "jade/gradients/class_solve.h"

#include <gtest/gtest.h>

namespace jade {
namespace {

SceneDescription cube() {
  SceneDescription scene{.name = "cube"};
  scene.materials = {"stuff"};
  scene.pairs = {{"stuff", "stuff", 0.5, 0}};
  BodyDescription body{.name = "cube"};
  body.shapes = {{.geometry = Box{Vec3::Constant(0.5)}, .material = "stuff", .density = 1}};
  scene.bodies = {body};
  return scene;
}

/// A cube is held at its four corners, of which one pushes aside by `lean`.
bool shares_push_aside(double lean) {
  const Model model = build_model(cube());
  TreeSolver factor(model);
  EXPECT_TRUE(factor.factor_body(1, Mat3::Identity() / 6));
  ClassSolve classes;
  classes.takes_mean = true;
  classes.trees = {{&model, 0, &factor}};
  for (int c = 0; c < 4; ++c) classes.rows.push_back({.row_class = RowClass::clamped});
  classes.choose_free_rows();
  for (int c = 0; c < 4; ++c) {
    const double x = c % 2 == 0 ? -0.5 : 0.5, y = c / 2 == 0 ? -0.5 : 0.5;
    const Vec3 p(x, y, -0.5), n(c == 3 ? lean : 0, 0, 1);
    classes.add_block(c, 1, 0).row(0) << n.transpose(), p.cross(n).transpose();
  }
  EXPECT_TRUE(classes.factor());
  return classes.shares_matter();
}

TEST(ClassSolve, HeedsHowContactsWithoutSlipShareTheirLoadWhereTheirNormalsLean) {
  EXPECT_FALSE(shares_push_aside(0));
  // Faces that lie on each other lean by the rounding of what turned them.
  EXPECT_TRUE(shares_push_aside(3e-8));
  // One that leans by more is no copy of the others, and there is nothing to share.
  EXPECT_FALSE(shares_push_aside(1e-2));
}

/// A cube slides on its four corners along x, but for `angle` to one side or the other.
bool shares_matter(double angle) {
  const Model model = build_model(cube());
  TreeSolver factor(model);
  EXPECT_TRUE(factor.factor_body(1, Mat3::Identity() / 6));
  ClassSolve classes;
  classes.trees = {{&model, 0, &factor}};
  for (int c = 0; c < 4; ++c) {
    classes.rows.push_back({.row_class = RowClass::clamped});
    classes.rows.push_back({.row_class = RowClass::low, .normal = 2 * c, .mu = 0.5});
  }
  classes.choose_free_rows();
  for (int c = 0; c < 4; ++c) {
    const double x = c % 2 == 0 ? -0.5 : 0.5, y = c / 2 == 0 ? -0.5 : 0.5;
    const Vec3 p(x, y, -0.5), slip(1, 4 * x * y * angle, 0);
    auto J = classes.add_block(2 * c, 2, 0);
    J.row(0) << Vec3::UnitZ().transpose(), p.cross(Vec3::UnitZ()).transpose();
    J.row(1) << slip.transpose(), p.cross(slip).transpose();
  }
  EXPECT_TRUE(classes.factor());
  return classes.shares_matter();
}

TEST(ClassSolve, HeedsHowContactsShareTheirLoadUnlessTheySlipInOneDirection) {
  EXPECT_FALSE(shares_matter(0));
  EXPECT_TRUE(shares_matter(1e-3));
  // What a face that lands nearly flush moves from corner to corner is large enough for that.
  EXPECT_TRUE(shares_matter(1e-8));
}

}  // namespace
}  // namespace jade
