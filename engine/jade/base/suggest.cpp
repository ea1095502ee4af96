#include "jade/base/suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

namespace jade {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t n = b.size() + 1;
  std::vector<int> before_last(n), last(n), row(n);
  for (std::size_t j = 0; j < n; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < n; ++j) {
      const int replaced = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[n - 1];
}

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates) {
  const std::string* nearest = nullptr;
  int least = 0;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(name, candidate);
    // A third of the letters may be wrong; one mistake is forgiven in short names too.
    const int allowed = std::max<int>(1, static_cast<int>(std::max(name.size(), candidate.size())) / 3);
    if (distance <= allowed && (nearest == nullptr || distance < least)) {
      nearest = &candidate;
      least = distance;
    }
  }
  if (nearest == nullptr) return std::nullopt;
  return *nearest;
}

std::string suggest(std::string_view name, std::span<const std::string> candidates) {
  if (const auto near = nearest_name(name, candidates)) return fmt::format("did you mean \"{}\"?", *near);
  if (candidates.empty()) return "nothing is known here";
  // Enough names to find one's way, not a screenful.
  constexpr std::size_t kShown = 12;
  const auto shown = candidates.first(std::min(kShown, candidates.size()));
  const std::size_t rest = candidates.size() - shown.size();
  return fmt::format("known here: {}{}", fmt::join(shown, ", "),
                     rest == 0 ? "" : fmt::format(" and {} more", rest));
}

}  // namespace jade
