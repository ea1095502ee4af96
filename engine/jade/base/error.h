#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace jade {

/// One thing wrong with what a caller gave us: where it is, what is wrong, what would mend it.
struct Mistake {
  std::string place;    ///< e.g. `bodies[2] "lid" / joint / axis`
  std::string problem;  ///< e.g. `has length 0`
  std::string remedy;   ///< e.g. `give a direction such as [0, 0, 1]`

  bool operator==(const Mistake&) const = default;
};

/// Thrown before any damage when an input cannot be used. It lists every mistake found, not only the first,
/// so that a description is mended in one round.
class InvalidInput : public std::invalid_argument {
 public:
  /// `subject` names what was refused, e.g. `scene "tower.json"`. `mistakes` must not be empty.
  InvalidInput(std::string subject, std::vector<Mistake> mistakes);

  const std::string& subject() const { return subject_; }
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::string subject_;
  std::vector<Mistake> mistakes_;
};

}  // namespace jade
