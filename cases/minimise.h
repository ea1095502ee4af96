#pragma once

#include <string>
#include <vector>

#include "jade/gradients/experiment.h"

namespace jade::cases {

/// What an optimiser is asked: move the variables, each in its unit, until the outcome is least.
struct Search {
  Experiment experiment;
  Outcome outcome;
  std::vector<Variable> variables;
  VecX units;  ///< empty: ones
  int most_iterations = 100;
};

/// Where it ended.
struct Minimum {
  VecX displacement;  ///< of the variables from the experiment's own values
  VecX outcome;       ///< there
  int evaluations = 0;
  std::string ending;  ///< as the optimiser puts it
};

/// The sum of squares of the outcome, by Levenberg and Marquardt's method (Ceres).
Minimum least_squares(const Search& search);

/// The first number of the outcome itself, by the limited-memory BFGS method (Ceres).
Minimum least_loss(const Search& search);

/// The first number of the outcome by plain steps x ← x − rate ∂L/∂x, as often as the most iterations say.
Minimum descend(const Search& search, double rate);

}  // namespace jade::cases
