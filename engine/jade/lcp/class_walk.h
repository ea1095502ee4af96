#pragma once

#include <vector>

#include "jade/lcp/class_tableau.h"
#include "jade/lcp/island_state.h"

namespace jade::lcp {

/// What every method that walks from class to class shares: forces and velocities move linearly until some row
/// reaches the border of its class; that row changes class and the equations follow.
///
/// One number a row is enough, as in the tableau: the force of a free row (its velocity is zero) and the velocity of
/// any other (its force is zero, or tied to its normal).
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
  /// The next row, of that class, takes part from now on; none does at first.
  void take_part(int row, RowClass c);

  /// The first border ahead along `sign` × the tableau's direction, with the paper's step for moving bounds:
  ///   C→N −f/Δf    N→C −v/Δv    H→F, L→F −v/Δv    F→H (μ f_n − f)/(Δf − μ Δf_n)    F→L (μ f_n + f)/(−Δf − μ Δf_n)
  /// Rows that do not take part yet have no border; the one just crossed by the last row to flip lies behind.
  Event next_event(const std::vector<RowClass>& classes, const ClassTableau& tableau, double sign) const;
  void advance(const ClassTableau& tableau, double step);
  /// Moves a row to its next class; returns its speed into that class along the tableau's direction.
  double flip(std::vector<RowClass>& classes, ClassTableau& tableau, const Event& event);

  /// The border that a row has just crossed is none until the next row flips, or until it is forgotten.
  void remember(const Event& event);
  void forget_last();
  /// Keeps `side_` and `sticking_` up to date.
  void watch(int row, RowClass from, RowClass to);

  const ContactIsland* island_ = nullptr;
  double epsilon_ = 0;
  int taking_part_ = 0;     ///< rows [0, taking_part_) do
  std::vector<double> b_;   ///< b as the walk sees it (perturbed): b_ + z_ g_
  std::vector<double> g_;   ///< where b moves to and fro along a path
  double z_ = 0;            ///< how far
  std::vector<double> at_;  ///< force of each free row, velocity of each other
  /// Which side of zero the number of a row has to stay on: ±1, or 0 where zero is no border.
  std::vector<double> side_;
  std::vector<int> sticking_;                ///< tangents that stick, between two borders each
  double side_of_last_ = 0;                  ///< of the latest row to flip, whose side_ is 0 meanwhile
  Event last_{};                             ///< the latest flip
  RowClass last_from_ = RowClass::separate;  ///< and the class the row came from
};

}  // namespace jade::lcp
