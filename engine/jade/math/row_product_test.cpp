#include "jade/math/row_product.h"

#include <gtest/gtest.h>

#include "jade/math/types.h"

namespace jade {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(RowProduct, IsTheMatrixProductAtEveryWidth) {
  for (int width = 0; width <= 70; ++width) {
    Rows M = Rows::Random(3, 5);
    M(1, 2) = 0;
    const Rows in = Rows::Random(5, width + 2), before = Rows::Random(3, width + 3);
    Rows out = before;
    RowProduct product{.M = M.data() + 1,
                       .rows = 3,
                       .columns = 4,
                       .M_stride = 5,
                       .scale = -2,
                       .in = in.data(),
                       .in_stride = width + 2,
                       .out = out.data(),
                       .out_stride = width + 3,
                       .width = width};
    add_row_product(product);
    const Rows expected = before.leftCols(width) - 2 * M.rightCols(4) * in.topRows(4).leftCols(width);
    EXPECT_TRUE(out.leftCols(width).isApprox(expected, 1e-14) || width == 0) << width;
    EXPECT_EQ(out.rightCols(3), before.rightCols(3)) << width;
    product.afresh = true;
    out = before;
    add_row_product(product);
    EXPECT_TRUE(out.leftCols(width).isApprox(expected - before.leftCols(width), 1e-13) || width == 0);
    EXPECT_EQ(out.rightCols(3), before.rightCols(3)) << width;
  }
}

TEST(RowProduct, HasTheSameBitsAtEveryWidth) {
  const Rows M = Rows::Random(1, 6), in = Rows::Random(6, 61);
  Rows all = Rows::Zero(1, 61);
  RowProduct product{
      .M = M.data(), .columns = 6, .in = in.data(), .in_stride = 61, .out = all.data(), .width = 61};
  add_row_product(product);
  for (int column = 0; column < 61; ++column) {
    double one = 0;
    product.in = in.data() + column;
    product.out = &one;
    product.width = 1;
    add_row_product(product);
    EXPECT_EQ(one, all(0, column)) << column;
  }
}

}  // namespace
}  // namespace jade
