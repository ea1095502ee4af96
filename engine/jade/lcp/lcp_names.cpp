#include <array>
#include <utility>

#include "jade/lcp/lcp_solver.h"

namespace jade {
namespace {

constexpr std::array<std::pair<LcpMethod, std::string_view>, 5> kMethods{{{LcpMethod::jade, "jade"},
                                                                          {LcpMethod::dantzig, "dantzig"},
                                                                          {LcpMethod::ergodic, "ergodic"},
                                                                          {LcpMethod::lemke, "lemke"},
                                                                          {LcpMethod::pgs, "pgs"}}};

}  // namespace

std::string_view name_of(LcpMethod method) {
  for (const auto& [value, name] : kMethods) {
    if (value == method) return name;
  }
  return "unknown";
}

std::optional<LcpMethod> lcp_method_named(std::string_view name) {
  for (const auto& [value, known] : kMethods) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::string_view name_of(LcpStatus status) {
  switch (status) {
    case LcpStatus::solved:
      return "solved";
    case LcpStatus::no_solution_found:
      return "no_solution_found";
    case LcpStatus::infeasible:
      return "infeasible";
    case LcpStatus::ray:
      return "ray";
  }
  return "unknown";
}

std::string_view name_of(LcpSelection selection) {
  switch (selection) {
    case LcpSelection::none:
      return "none";
    case LcpSelection::least_impulse:
      return "least_impulse";
    case LcpSelection::warm_classes:
      return "warm_classes";
    case LcpSelection::vertex:
      return "vertex";
    case LcpSelection::iterate:
      return "iterate";
  }
  return "unknown";
}

}  // namespace jade
