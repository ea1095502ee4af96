#include "cli/selection.h"

#include <algorithm>

#include <fmt/format.h>

#include "jade/base/error.h"
#include "jade/base/suggest.h"

namespace jade::cli {
namespace {

/// Throws one error that lists every name which is not among the known ones.
void refuse_unknown(const std::string& kind, const std::vector<std::string>& names,
                    const std::vector<std::string>& known) {
  std::vector<Mistake> mistakes;
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    mistakes.push_back({fmt::format("{} \"{}\"", kind, name), "is unknown", suggest(name, known)});
  }
  if (!mistakes.empty()) throw InvalidInput("arguments", mistakes);
}

}  // namespace

std::vector<cases::Case> select_cases(const std::vector<std::string>& names) {
  if (names.empty()) return cases::all_cases();
  std::vector<std::string> known;
  known.reserve(cases::all_cases().size());
  for (const cases::Case& c : cases::all_cases()) known.push_back(c.name);
  refuse_unknown("case", names, known);
  std::vector<cases::Case> selected;
  for (const cases::Case& c : cases::all_cases()) {
    if (std::find(names.begin(), names.end(), c.name) != names.end()) selected.push_back(c);
  }
  return selected;
}

std::vector<reference::Engine> select_engines(const std::vector<std::string>& names,
                                              const std::vector<std::string>& commands,
                                              double timeout_seconds) {
  std::vector<reference::Engine> engines = reference::known_engines(), own;
  std::vector<std::string> known;
  known.reserve(engines.size());
  for (const reference::Engine& e : engines) known.push_back(e.name);
  std::vector<Mistake> mistakes;
  for (const std::string& text : commands) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      mistakes.push_back({"--engine-command \"" + text + "\"", "is not NAME=COMMAND",
                          "write for example mine=\"./my_engine --quiet\""});
      continue;
    }
    const std::string name = text.substr(0, equals);
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      mistakes.push_back(
          {"--engine-command \"" + text + "\"", "takes a name that is in use", "choose another name"});
      continue;
    }
    known.push_back(name);
    own.push_back(reference::command_engine(name, text.substr(equals + 1), timeout_seconds));
  }
  if (!mistakes.empty()) throw InvalidInput("arguments", mistakes);
  refuse_unknown("engine", names, known);

  std::vector<reference::Engine> selected;
  for (const reference::Engine& e : engines) {
    if (names.empty() || std::find(names.begin(), names.end(), e.name) != names.end()) selected.push_back(e);
  }
  selected.insert(selected.end(), own.begin(), own.end());
  return selected;
}

}  // namespace jade::cli
