#include "cli/numbers.h"

#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/core.h>

namespace jade::cli {
namespace {

CLI::Validator finite_number(const char* wanted, bool (*accepts)(double)) {
  return {[=](std::string& text) -> std::string {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool whole = end != text.c_str() && *end == '\0';
            if (whole && std::isfinite(value) && accepts(value)) return {};
            return fmt::format("is \"{}\"; give {}", text, wanted);
          },
          ""};
}

}  // namespace

CLI::Validator positive() {
  return finite_number("a finite number above 0", [](double value) { return value > 0; });
}

CLI::Validator zero_or_more() {
  return finite_number("a finite number, 0 or more", [](double value) { return value >= 0; });
}

CLI::Validator waiting_seconds() {
  return finite_number("seconds from 0.001 to 86400",
                       [](double value) { return value >= 1e-3 && value <= 86400; });
}

}  // namespace jade::cli
