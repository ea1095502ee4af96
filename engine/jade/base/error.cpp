#include "jade/base/error.h"

#include <fmt/format.h>

namespace jade {
namespace {

std::string describe(const std::string& subject, const std::vector<Mistake>& mistakes) {
  std::string text =
      fmt::format("{}: {} mistake{}", subject, mistakes.size(), mistakes.size() == 1 ? "" : "s");
  for (const Mistake& m : mistakes) text += fmt::format("\n  {}: {}; {}", m.place, m.problem, m.remedy);
  return text;
}

}  // namespace

InvalidInput::InvalidInput(std::string subject, std::vector<Mistake> mistakes)
    : std::invalid_argument(describe(subject, mistakes)),
      subject_(std::move(subject)),
      mistakes_(std::move(mistakes)) {}

}  // namespace jade
