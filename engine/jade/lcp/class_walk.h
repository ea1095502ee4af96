#pragma once

#include <vector>

#include "jade/lcp/active_inverse.h"
#include "jade/lcp/island_state.h"

namespace jade::lcp {

/// What every method that walks from class to class shares: forces and velocities move linearly until some row
/// reaches the border of its class; that row changes class and the equations follow.
class ClassWalk {
 public:
  /// A row that reaches the border of its class after `step`, and the class beyond.
  struct Event {
    double step;
    int row;
    RowClass to;
  };

 protected:
  void begin(const ContactIsland& island, double epsilon);

  /// Velocities that go with the forces df_: dv = (A + ε W) df, on the rows whose velocity can end a step.
  void velocities_of_motion(const IslandState& state, const ActiveInverse& inverse);
  /// The first border ahead, with the paper's step for moving bounds:
  ///   C→N −f/Δf    N→C −v/Δv    H→F, L→F −v/Δv    F→H (μ f_n − f)/(Δf − μ Δf_n)    F→L (μ f_n + f)/(−Δf − μ Δf_n)
  /// Rows not handled yet have no border; the one just crossed by the last row to flip lies behind.
  Event next_event(const IslandState& state) const;
  void advance(IslandState& state, double step);
  /// Moves a row to its next class; returns its speed into that class along `inverse.direction()`.
  double flip(IslandState& state, ActiveInverse& inverse, const Event& event, double rhs);

  const ContactIsland* island_ = nullptr;
  double epsilon_ = 0;
  std::vector<double> b_;                    ///< b as the walk sees it (perturbed): b_ + z_ g_
  std::vector<double> g_;                    ///< where b moves to and fro along a path
  double z_ = 0;                             ///< how far
  std::vector<double> df_, dv_;              ///< the current motion
  std::vector<char> handled_;                ///< rows that take part
  Event last_{};                             ///< the latest flip
  RowClass last_from_ = RowClass::separate;  ///< and the class the row came from
};

}  // namespace jade::lcp
