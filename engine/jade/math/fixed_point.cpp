#include "jade/math/fixed_point.h"

#include <algorithm>

namespace jade {
namespace {

// A column of which less than this is left beside the newer ones says nothing of its own: its share would be rounding.
constexpr double kDependent = 1e-7;

}  // namespace

void FixedPoint::advance(VecX& x, const VecX& g) {
  if (looks_ > 0) {
    Look& newest = looks_back_[static_cast<std::size_t>((looks_ - 1) % kDepth)];
    newest.residual = (g - x) - residual_;
    newest.image = g - image_;
  }
  residual_ = g - x;
  image_ = g;
  const int count = std::min({looks_, kDepth, static_cast<int>(x.size())});
  ++looks_;
  x = g;

  // Least squares by Gram and Schmidt, newest first; upper[i][j] are the shares of column j along basis i.
  std::array<std::array<double, kDepth>, kDepth> upper{};
  std::array<double, kDepth> along{};
  std::array<const Look*, kDepth> used{};
  int rank = 0;
  for (int age = 0; age < count; ++age) {
    const auto k = static_cast<std::size_t>(rank);
    const Look& look = looks_back_[static_cast<std::size_t>((looks_ - 2 - age) % kDepth)];
    VecX& left = basis_[k];
    left = look.residual;
    const double size = left.norm();
    for (std::size_t i = 0; i < k; ++i) {
      upper[i][k] = basis_[i].dot(left);
      left -= upper[i][k] * basis_[i];
    }
    upper[k][k] = left.norm();
    if (!(upper[k][k] > kDependent * size)) continue;
    left /= upper[k][k];
    along[k] = left.dot(residual_);
    used[k] = &look;
    ++rank;
  }
  for (int k = rank - 1; k >= 0; --k) {
    const auto i = static_cast<std::size_t>(k);
    double share = along[i];
    for (std::size_t j = i + 1; j < static_cast<std::size_t>(rank); ++j) share -= upper[i][j] * along[j];
    along[i] = share / upper[i][i];
    x -= along[i] * used[i]->image;
  }
}

}  // namespace jade
