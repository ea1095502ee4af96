#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "jade/base/error.h"
#include "jade/base/suggest.h"

namespace jade::cli {

/// Those of `all` that are named, in their order; all when none is named. Throws InvalidInput with a suggestion for every
/// name that is unknown. `kind`: what they are called in the error.
template <class Named>
std::vector<Named> select_named(const std::vector<Named>& all, const std::vector<std::string>& names,
                                const std::string& kind) {
  if (names.empty()) return all;
  std::vector<std::string> known;
  known.reserve(all.size());
  for (const Named& one : all) known.push_back(one.name);
  std::vector<Mistake> mistakes;
  for (const std::string& name : names)
    if (std::ranges::count(known, name) == 0)
      mistakes.push_back({fmt::format("{} \"{}\"", kind, name), "is unknown", suggest(name, known)});
  if (!mistakes.empty()) throw InvalidInput("arguments", mistakes);
  std::vector<Named> chosen;
  for (const Named& one : all)
    if (std::ranges::count(names, one.name) > 0) chosen.push_back(one);
  return chosen;
}

}  // namespace jade::cli
