#include "ccd/ccd_methods.h"

#include <fmt/format.h>

#include "jade/base/error.h"
#include "jade/geometry/advancement_ccd.h"
#include "jade/geometry/cubic_ccd.h"
#include "jade/geometry/exact_ccd.h"

namespace jade::reports {
namespace {

constexpr CcdMethod kMethods[] = {
    {.name = "exact",
     .says = "floating-point filter with an exact fallback",
     .promises_no_miss = true,
     .promises_no_false_hit = true,
     .decide = exact_ccd},
    {.name = "cubic", .says = "the paper's coplanarity cubic in plain floating point", .decide = cubic_ccd},
    {.name = "advancement",
     .says = "certified separating directions, one after the other; near misses count as hits",
     .promises_no_miss = true,
     .decide = advancement_ccd},
};

}  // namespace

std::span<const CcdMethod> ccd_methods() { return kMethods; }

const CcdMethod& ccd_method_named(std::string_view name) {
  std::string names;
  for (const CcdMethod& method : kMethods) {
    if (method.name == name) return method;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", method.name);
  }
  throw InvalidInput("method",
                     {{fmt::format("\"{}\"", name), "is unknown", fmt::format("choose one of {}", names)}});
}

}  // namespace jade::reports
