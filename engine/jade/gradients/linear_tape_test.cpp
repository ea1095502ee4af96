#include "jade/gradients/linear_tape.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace jade {
namespace {

/// Inputs in rows 0 … 5, a sum of some of them in 6 … 8, and outputs in 9 … 11.
void record(const MatX& first, const MatX& second, LinearTape& tape) {
  tape.clear();
  static_cast<void>(tape.slot(12));
  tape.add(6, 1, first);
  tape.add_scaled(6, 0, 1, 2);
  tape.add(9, 5, second);
  tape.add_diagonal(9, 0, VecX::Constant(3, -1));
}

TEST(LinearTape, ReadsNothingThatARowDoesNotHold) {
  const MatX first = MatX::Random(3, 4), second = MatX::Random(3, 4);
  LinearTape tape;
  record(first, second, tape);
  LinearTape::Columns x;
  for (const double left_behind : {0.0, 1e30}) {
    x.begin(tape.rows(), 14);
    x.x.setConstant(left_behind);
    // Far apart: no two of these rows hold the same columns.
    const int column[] = {0, 5, 13, 2, 8, 11};
    for (int k = 0; k < 6; ++k) x.set(k, column[k], 1);
    tape.forward(x);
    x.widen_whole(6, 6);
    MatX expected = MatX::Zero(6, 16);
    for (int k = 0; k < 4; ++k) expected.block(0, column[1 + k], 3, 1) += first.col(k);
    expected(0, column[0]) += 2;
    expected.block(3, column[5], 3, 1) += second.col(0);
    expected.bottomRows(3) += second.rightCols(3) * expected.topRows(3);
    for (int k = 0; k < 3; ++k) expected(3 + k, column[k]) -= 1;
    EXPECT_TRUE(x.x.middleRows(6, 6).isApprox(expected, 1e-14)) << left_behind;
  }
}

TEST(LinearTape, RunsBackwardAsTheTransposeOfForward) {
  LinearTape tape;
  record(MatX::Random(3, 4), MatX::Random(3, 4), tape);
  LinearTape::Columns x;
  x.begin(tape.rows(), 6);
  for (int k = 0; k < 6; ++k) x.set(k, k, 1);
  tape.forward(x);
  x.widen_whole(9, 3);
  const VecX weights = VecX::Random(3);
  VecX back = VecX::Zero(tape.rows());
  back.tail(3) = weights;
  tape.backward(back);
  EXPECT_TRUE(back.head(6).isApprox(x.x.block(9, 0, 3, 6).transpose() * weights, 1e-14));
}

/// Each column has loads of its own, and none of them is linear.
TEST(LinearTape, FindsTheLoadsOfEachColumn) {
  LinearTape tape;
  static_cast<void>(tape.slot(2));
  tape.add_loads(1, 0, {MatX::Constant(1, 1, 2), VecX::Constant(1, 2)});
  LinearTape::Columns x;
  x.begin(tape.rows(), 3);
  const double opening[] = {-3, 1, 0};
  for (int k = 0; k < 3; ++k) x.set(0, k, opening[k]);
  tape.forward(x);
  x.widen_whole(1, 1);
  EXPECT_NEAR(x.x(1, 0), 1.5, 1e-14);
  EXPECT_EQ(x.x(1, 1), 0);
  EXPECT_EQ(x.x(1, 2), 0);
  VecX back = VecX::Zero(tape.rows());
  EXPECT_THROW(tape.backward(back), std::logic_error);
}

}  // namespace
}  // namespace jade
