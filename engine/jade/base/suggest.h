#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace jade {

/// Fewest single-character insertions, deletions, replacements and swaps of neighbours that turn one word into
/// the other (no character is touched twice), upper and lower case being the same.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that a mistyped name most likely meant: the one at the smallest edit distance, the first of
/// equals, and none when even that one shares less than about two thirds of its letters.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);

/// A remedy to print behind an unknown name: `did you mean "axis"?`, or the list of what is known when nothing
/// is near.
std::string suggest(std::string_view name, std::span<const std::string> candidates);

}  // namespace jade
