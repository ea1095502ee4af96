#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "jade/geometry/feature.h"
#include "jade/lcp/lcp_solver.h"
#include "jade/stepping/propagate.h"

namespace jade {

/// The tape of one step: what was decided (which contacts were rows, of which class, where a segment ended and why) and
/// the numbers at which the step is differentiated. Nothing of it is read by the step itself: results are the same to
/// the bit with and without it. Vectors of coordinates are stacked tree after tree in the order of IslandTrace::trees.

/// Slip slower than this is rounding of velocities of ordinary size where several places must agree: it counts as none, and has
/// no direction. Where it sticks it is stopped at the start of the segment, by the step as by the tape: to both it ends at
/// once [m/s].
inline constexpr double kNoSlip = 1e-9;

/// Distances from a kink below this are rounding of the quantities that decide: it is at the kink.
inline constexpr double kAtKink = 1e-10;

/// Gaps are rounded to this, of the distance of their places from the origin.
inline constexpr double kGapRounding = 1e-15;

/// The mean velocities of a segment, at which forces act, are iterated until they are off by no more than this of the largest one.
/// How they come to less than that need not follow a nudge: Anderson's mixing is exact in values before it is in slopes.
inline constexpr double kSettledMean = 1e-14;

/// Something at which a step changes its mind, and how far it was from that: 0 is at it. Free of units, measured in the
/// size of the quantities that decide.
struct Kink {
  enum class Kind : unsigned char {
    none,
    row_class,   ///< a row of a problem between two classes (touching and leaving, sticking and slipping)
    row_choice,  ///< a contact between being held by the segment, being hit and being left alone
    grazing,     ///< a hit at no speed, or two hits at one time
    event,       ///< a slip between being stopped at once and ending a segment
    together,  ///< slips that end at one time while something turns: the first of them cuts the segment of all
    lowest,    ///< two places of a pair whose path bends: it is measured at the lower one
    strained,  ///< places that friction holds, whose gaps no motion closes without slip
  };
  Kind kind = Kind::none;
  double distance = std::numeric_limits<double>::infinity();
  int shape_a = -1, shape_b = -1;     ///< in the collision model
  RowClass side = RowClass::clamped;  ///< row_class: the class that was taken

  void nearer(const Kink& other) {
    if (other.distance < distance) *this = other;
  }
};

/// How far two numbers are from being equal, as a share of their size.
inline double apart(double x, double y) {
  const double size = std::abs(x) + std::abs(y);
  return size > 0 ? std::abs(x - y) / size : 0;
}

/// A contact at the start of a sub-step.
struct ContactTrace {
  int shape_a = -1, shape_b = -1;  ///< in the collision model
  int material = -1;               ///< index into scene().pairs
  double friction = 0, restitution = 0;
  double standoff = 0;   ///< the gap that they rest at
  Feature a, b;          ///< in the frames of the two shapes
  FeatureContact now;    ///< at the start of the sub-step
  double approach = 0;   ///< Jₙ v before the segment [m/s]
  bool carried = false;  ///< load before: it is not met, but pressed on
};

/// A limit of a coordinate at the start of a sub-step: a contact of that coordinate alone.
struct LimitTrace {
  int velocity = -1;  ///< in the island's stacked numbers
  double sign = 1;    ///< gap = sign (q − limit)
  double gap = 0, approach = 0, standoff = 0, clearance = 0, restitution = 0;
  bool carried = false;  ///< see ContactTrace
};

/// The row of a limit in a problem.
struct LimitRowTrace {
  int limit = -1;  ///< in SubstepTrace::limits
  int row = 0;
  bool bounces = false;  ///< in an impact: whether restitution acts on it
};

/// Which axis of a body with axes R gives the tangents to a normal n that are fixed in it: the first that is nearly as far
/// from n as any. Nearly, because of two that are exactly as far rounding would choose, each time another.
inline int tangent_axis(const Mat3& R, const Vec3& n) {
  constexpr double kAsFar = 1e-3;
  const Vec3 along = (R.transpose() * n).cwiseAbs();
  int axis = 0;
  while (along[axis] > along.minCoeff() + kAsFar) ++axis;
  return axis;
}

/// The rows of a contact in a problem: its normal, and two tangents; one while it slides, none without friction.
struct RowsTrace {
  int contact = -1;  ///< in SubstepTrace::contacts
  int first = 0, count = 0;
  std::array<Vec3, 3> directions;
  /// The first tangent follows the slip that would be without friction, otherwise it is fixed in shape b: the mean slip of
  /// the segment with one tangent, that of its end with two.
  bool along_slip = false;
  bool from_start = false;  ///< it follows the slip at the start of the segment instead
  bool rests = false;    ///< it has no slip at the start that counts, and was not stopped by impulses there
  bool stopped = false;  ///< it was
  bool slides = false;   ///< its slip at the start is motion, and not that of features which turn
  bool smooth = false;   ///< in an impact: the normal is that of the surface which a mesh stands for
  /// In a segment: its normal neither carries nor opens, so that it is between touching and leaving. What slips, or has no
  /// friction, is known to both sides: see step_along. What rests feels friction in a direction that the nudge gives it, and
  /// until that slip ends.
  enum class Weak : unsigned char { no, slips, rests };
  Weak weak = Weak::no;
};

/// A solved problem: classes and forces, per row.
struct ForcesTrace {
  std::vector<RowClass> classes;
  VecX f;
  /// What rows that hold are left with, A f + b, where they contradict each other and a mean of them is met; empty: nothing.
  VecX missed = {};
};

/// Impulses at one instant: v ← v + M⁻¹ Jᵀ f. Newton and inelastic: one stage with  J v⁺ + e Jₙ v = 0  on clamped rows.
/// Poisson: compression (e = 0), then e times its normal impulses, then again e = 0 from there.
/// Slips that end at once are stopped with e = −1: normal velocities stay as they are, see Island::stop.
struct CollisionTrace {
  std::vector<RowsTrace> rows;
  std::vector<char> bounces;  ///< per entry of rows: whether restitution acts on it
  std::vector<LimitRowTrace> limits;
  bool poisson = false;
  bool stops = false;  ///< slips; classes of normals are held, whatever the sign of their impulse
  std::vector<ForcesTrace> stages;  ///< one, or two for Poisson
  bool solved = true;               ///< false: the forces are those of a compliant problem
  VecX v_before;
  Kink nearest;
};

/// How much lower than its rows forecast a pair ends: see Island::forecast_bends.
struct BendTrace {
  int shape_a = -1, shape_b = -1;
  int from = -1;        ///< the solve at whose end it was measured
  double span = 0;      ///< length of that solve [s]
  int contact = -1;     ///< whose forecast was the lowest
  double value = 0;     ///< bend [m]
  bool capped = false;  ///< at its largest value: it does not move
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero(), normal = Vec3::Zero();  ///< nearest points at that end, world
  bool along_contact = false;  ///< they overlap there: the normal is that of the contact, and turns with it
  double apart = std::numeric_limits<double>::infinity();  ///< see Island::record_bend
};

/// Where the certified path of a solve ends.
struct HitTrace {
  bool hit = false;  ///< otherwise it is free until its end
  double time = 0;
  int shape_a = -1, shape_b = -1;
  int limit = -1;            ///< a coordinate meets its limit instead of two shapes each other
  double target_by_gap = 0;  ///< how the target moves with the gap at the start of the segment
  int gap_of =
      -1;  ///< of two shapes, then: their nearest contact; −1: they are nearest at these places of the start
  Vec3 from_A = Vec3::Zero(), from_B = Vec3::Zero(), from_normal = Vec3::Zero();
  Vec3 p_A = Vec3::Zero(), p_B = Vec3::Zero(), normal = Vec3::Zero();  ///< nearest points then, world
  double gap_error = 0;    ///< gap − target: what the time of impact was not polished to [m]
  bool unsettled = false;  ///< the sweep gave up before it found a hit
};

/// A slip that was forecast to end within the solve's segment: s* = s u₀ / (u₀ − w).
struct EventTrace {
  ForcesTrace forced;  ///< as if every slip that ends went on
  int row = -1;        ///< the one that ends first
  double u0 = 0, w = 0;
};

/// One solution for the velocities at the end of a segment. A sub-step tries several lengths; only what its last one
/// depends on is differentiated.
struct SolveTrace {
  /// s = factor × what `rule` says of the solve `from`.
  enum class Length : unsigned char {
    rest,     ///< what is left of the step
    same,     ///< its length
    event,    ///< where a slip ends in it
    swept,    ///< how much of it was certified
    stopped,  ///< its length in the sub-step before, which ended where it began by stopping slips
  };
  Length rule = Length::rest;
  int from = -1;
  double factor = 1;
  double s = 0;

  std::vector<RowsTrace> rows;
  std::vector<LimitRowTrace> limits;
  ForcesTrace forces;
  bool solved = true;
  bool with_gaps = true;  ///< false: no forces open the gaps, the rows are J_m v⁺ alone
  bool settled = true;    ///< forces are at the mean of the velocities that they lead to
  bool judged = false;    ///< what rests in it and creeps is stopped: in others it only goes on
  VecX u_first;           ///< velocity without contact forces, from forces at v: the tangents follow its slip
  VecX v_next;
  std::vector<BendTrace> bends;
  EventTrace event;  ///< when a later solve ends where a slip of this one does
  HitTrace hit;
  Kink nearest;  ///< but for those of `weak`
  Kink weak;     ///< of contacts that touch without a load: RowsTrace::Weak::slips
};

/// Collide, segment, move. Where slips are stopped at once a sub-step is two of these: one that does not move (σ = 0), and
/// one that starts with the impulses that stop them.
struct SubstepTrace {
  VecX q, v;        ///< at its start; v after the impulses
  double left = 0;  ///< of the step [s]
  double span = 0;  ///< the longest segment that the spin of the bodies allows, a whole part of the step [s]
  std::vector<ContactTrace> contacts;
  std::vector<LimitTrace> limits;
  bool collides = false;
  CollisionTrace collision;
  std::vector<SolveTrace> solves;
  double sigma = 0;  ///< how far it went along the path of the last solve [s]
  Kink nearest;      ///< of the choice of its rows
};

/// Bodies that were advanced together.
struct IslandTrace {
  std::vector<int> trees;  ///< of the model
  VecX effort, prescribed;
  std::vector<SubstepTrace> substeps;
  double lost_time = 0;
  bool hurried = false;  ///< a part of it was made with another integrator
};

struct StepTrace {
  double h = 0;
  Integrator integrator = Integrator::midpoint;
  double standoff = 0, clearance = 0;
  std::vector<IslandTrace> islands;

  void clear() { islands.clear(); }
  /// Memory in use.
  std::size_t bytes() const;
};

}  // namespace jade
