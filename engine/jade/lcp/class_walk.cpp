#include "jade/lcp/class_walk.h"

#include "jade/lcp/class_exchanges.h"

namespace jade::lcp {

void ClassWalk::begin(const ContactIsland& island, double epsilon) {
  island_ = &island;
  epsilon_ = epsilon;
  for (auto* vector : {&b_, &g_, &at_}) vector->resize(island.stride);
  if (static_cast<int>(side_.size()) < island.stride) side_.resize(island.stride);
  for (int i = 0; i < island.stride; ++i) side_[i] = 0;
  sticking_.clear();
  taking_part_ = 0;
  z_ = 0;
  last_ = {0, -1, RowClass::clamped};
  last_from_ = RowClass::separate;
}

void ClassWalk::take_part(int row, RowClass c) {
  taking_part_ = row + 1;
  if (row < island_->m) {
    side_[row] = 1;
  } else {
    watch(row, RowClass::separate, c);
  }
}

}  // namespace jade::lcp
