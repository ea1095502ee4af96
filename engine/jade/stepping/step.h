#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jade/contact/collision_model.h"
#include "jade/lcp/lcp_solver.h"
#include "jade/stepping/propagate.h"

namespace jade {

struct StepTrace;

/// Lengths: clearance < standoff < the gap at which a contact becomes active, which the step finds for each.
struct StepSettings {
  Integrator integrator = Integrator::midpoint;
  double standoff = 1e-5;  ///< δ [m]: the gap at which bodies rest on each other and at which they meet
  double clearance =
      2e-6;  ///< d_min [m]: where resting contacts are stopped when something pushes them on; pairs that
             ///< are nearer already may lose half of what they have, and never touch
  /// How far from a position limit a coordinate rests and meets it, times max(1, |limit|) [m or rad]. Coordinates are
  /// exact numbers and their paths parabolas, so it need only be well above rounding; it keeps the clearance's share of
  /// that when something pushes it on.
  double limit_standoff = 1e-9;
  int max_substeps =
      128;  ///< of one island; then as many in a hurry; what is left then is lost time, reported
  /// Work that an island may spend on a step, as the sum of rows² over its contact problems. Where that is not enough, as in
  /// a heap that a hundred bodies rain into, the rest of the step is made in a hurry: see Island::hurry. Enough for forty
  /// problems of fifty contacts, so that ten pins, or a few spinning bodies, never hurry; islands of few contacts have ten times
  /// of it, so that a stack that is hit hardly ever does.
  double patience = 1e6;
  /// Contacts of one island above which its step is made by iteration, see Crowd: an exact solution costs their number cubed.
  /// That of 32 boxes on each other. What once was too much work for its patience is iterated with fewer, too.
  int crowd = 128;
  bool continuous = true;  ///< off: motions are not certified. Only to show what continuous detection is for
  bool keep_path = false;  ///< hand out the motion within the step as well, for judges and slow replays
  LcpSettings lcp;
};

/// What one step tells the next: warm starts. An empty one is always allowed; saved and restored together with the
/// state it makes a run go on to the bit.
struct StepMemory {
  struct Contact {
    std::uint64_t key = 0;  ///< shape pair and features
    std::array<RowClass, 3> classes{RowClass::separate, RowClass::separate, RowClass::separate};
    Vec3 force = Vec3::Zero();  ///< on b, world axes, mean of its last segment [N]
    bool iterated = false;      ///< its island was a crowd, or more work than its patience allows
    bool unheeded = false;      ///< no forces opened the gaps of its problem
  };
  struct Pair {
    std::uint64_t key = 0;
    Vec3 direction = Vec3::Zero();  ///< that separated the pair last, from a to b, world axes
  };
  struct Limit {
    std::uint64_t key = 0;  ///< twice the velocity's index, plus 1 for the upper limit
    RowClass row_class = RowClass::separate;
  };
  std::vector<Contact> contacts;  ///< sorted by key
  std::vector<Limit> limits;      ///< sorted by key
  std::vector<Pair> pairs;        ///< sorted by key
};

/// How an impact was resolved; see collide.
enum class ImpactLaw { newton, poisson, inelastic };

struct ImpactReport {
  int shape_a = -1, shape_b = -1;  ///< in the collision model; −1: a coordinate hit its limit
  int velocity = -1;               ///< which coordinate of the model did, −1: two shapes hit
  double time = 0;                 ///< since the start of the step [s]
  double speed = 0;                ///< closing speed before [m/s, or rad/s for an angle]
  ImpactLaw law = ImpactLaw::newton;
};

/// A contact that carried load or could have, as replays and touch sensors want it.
struct ContactReport {
  int shape_a = -1, shape_b = -1;
  Vec3 point = Vec3::Zero();    ///< world
  Vec3 normal = Vec3::Zero();   ///< world, from a to b
  double gap = 0;               ///< at the start of its last segment [m]
  Vec3 impulse = Vec3::Zero();  ///< on b during that segment [N s]
  RowClass normal_class = RowClass::separate;
};

/// A position limit that carried load or could have.
struct LimitReport {
  int joint = -1;       ///< in the model
  int coordinate = -1;  ///< of that joint
  bool upper = false;   ///< which of its two limits
  double gap = 0;       ///< distance from the limit at the start of its last segment [m or rad]
  double impulse = 0;   ///< away from the limit during that segment [N s or N m s]
  RowClass row_class = RowClass::separate;
};

struct StepReport {
  double smallest_clearance = std::numeric_limits<double>::infinity();  ///< of all pairs looked at [m]
  int substeps = 0;                                                     ///< most of any island
  double lost_time = 0;       ///< body-seconds that could not be certified and were not moved
  double worst_residual = 0;  ///< of all LCP certificates
  std::string worst_stage;    ///< which rung gave that answer
  int without_gaps = 0;       ///< LCPs that no forces solve with their gaps, solved for velocities alone
  int unsolved = 0;           ///< LCPs without a valid solution even so, answered for A + εI
  int hurried = 0;  ///< islands that were crowded or ran out of patience: their last landings did not bounce
  int iterations = 0;        ///< of their contact forces, over all contacts: most of any island
  double iterated_to = 0;    ///< worst velocity by which iterated forces miss the laws of contact [m/s]
  double impact_energy = 0;  ///< kinetic energy that impacts added [J]: never more than rounding
  std::vector<ImpactReport> impacts;
  std::vector<ContactReport> contacts;
  std::vector<LimitReport> limits;

  /// As made, with the room of its lists.
  void clear();
};

/// A certified part of the motion of one tree: from `begin` on it is at q ⊕ (σ p1 + ½ σ² p2), 0 ≤ σ ≤ length, with its
/// joints' own integration for ⊕. The parts of a tree follow each other and stand still where time was lost.
struct PathPiece {
  int tree = -1;
  double begin = 0;   ///< since the start of the step [s]
  double length = 0;  ///< [s]
  VecX q, p1, p2;     ///< of the tree alone
};

struct StepResult {
  State next;
  StepMemory memory;
  StepReport report;
  std::vector<PathPiece> path;  ///< with settings.keep_path; by tree, then by time
};

/// What a step needs and one model's steps share: prepared shapes, trees as models of their own, and all memory.
class StepWorkspace {
 public:
  explicit StepWorkspace(const Model& model);
  /// For the mechanism of `other` with other parameters: its prepared shapes are shared, which is most of the work.
  StepWorkspace(const Model& model, const StepWorkspace& other);
  ~StepWorkspace();
  StepWorkspace(StepWorkspace&&) noexcept;

  const CollisionModel& collision() const;

  struct Data;
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// Thrown when a state cannot be stepped from: shapes intersect, a coordinate is beyond its limit, or a number is not
/// finite.
class StepError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Jade's F(·): moves the mechanism by time h through contacts and impacts, and never through another body.
/// Every part of the motion is certified before it is made: no two shapes share a point at any time of it.
/// Islands of bodies that can reach each other are advanced on their own, with sub-steps of their own:
///   repeat  find contacts → collide where they hit → segment of the rest of the step → sweep → move to the first hit
/// Position limits of joints are contacts of a coordinate: the same rows, the same impacts, the same gaps.
/// Throws StepError for a start that intersects, naming the pair, for one beyond a limit by more than the standoff of
/// limits (less is rounding of whoever saved the state, and is pushed back as gently as a low contact), naming the
/// joint, and for numbers that are not finite, naming stage and body. A pure function: the workspace only lends memory,
/// and `trace` (null: none) only records.
[[nodiscard]] StepResult step(const Model& model, const State& state, const StepMemory& memory,
                              const Controls& controls, double h, const StepSettings& settings,
                              StepWorkspace& workspace, StepTrace* trace = nullptr);

/// The same into existing memory: once `result` and `workspace` have seen steps of a scene, those in which nothing new
/// happens allocate nothing. `state` and `memory` may be those of `result`. After a StepError the result is as before.
void step(const Model& model, const State& state, const StepMemory& memory, const Controls& controls,
          double h, const StepSettings& settings, StepWorkspace& workspace, StepResult& result,
          StepTrace* trace = nullptr);

}  // namespace jade
