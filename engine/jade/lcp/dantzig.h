#pragma once

#include "jade/lcp/class_walk.h"

namespace jade::lcp {

/// Dantzig's method with friction (Cottle and Dantzig 1968; Baraff 1994) as the paper corrects it: rows are added one
/// after the other, the force of the new row is driven until its (f, v) is valid while all earlier rows stay valid,
/// and the bounds of friction move with the normal forces, both in the equations and in the step length:
///   s = (μ f_n − f) / (Δf − μ Δf_n)
/// All normals are added before any tangent. Nothing guarantees an end: driving one force may loop.
class Dantzig : private ClassWalk {
 public:
  /// False when a loop was detected (or a pivot vanished); `state` then holds the classes reached.
  bool run(const ContactIsland& island, IslandState& state, ClassTableau& tableau, int& pivots);

 private:
  bool drive(int row, IslandState& state, ClassTableau& tableau, int& pivots);
  bool settle(int row, RowClass c, IslandState& state, ClassTableau& tableau);

  double driven_ = 0;  ///< force of the row that is driven
  int pivots_left_ = 0;
};

}  // namespace jade::lcp
