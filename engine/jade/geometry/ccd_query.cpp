#include "jade/geometry/ccd_query.h"

#include "jade/base/error.h"

namespace jade {

void require_finite(const CcdQuery& query) {
  // 0 · x is 0 for every finite x and NaN for all others.
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += (0.0 * query.start[i] + 0.0 * query.end[i]).sum();
  if (sum == 0) return;
  throw InvalidInput("continuous collision query",
                     {{"coordinates", "are not all finite", "give finite numbers"}});
}

}  // namespace jade
