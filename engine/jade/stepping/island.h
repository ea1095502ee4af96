#pragma once

#include "jade/contact/constraint_rows.h"
#include "jade/geometry/aabb.h"
#include "jade/geometry/contact_points.h"
#include "jade/geometry/feature.h"
#include "jade/geometry/time_of_impact.h"
#include "jade/stepping/step.h"
#include "jade/stepping/step_trace.h"

namespace jade {

/// Contacts up to this multiple of the standoff are at it: the sweep finds them there to its own tolerance.
constexpr double kAtStandoff = 1.001;

/// A tree of links on its way through a step.
struct MovingTree {
  MovingTree(const Model& whole, int tree);

  Model model;                      ///< the tree alone
  int q0 = 0, v0 = 0;               ///< where its numbers stand in the whole state
  DynamicsWorkspace start, middle;  ///< kinematics at the start and at the middle of the segment
  State now;                        ///< at the start of the segment
  VecX effort, prescribed;          ///< of the step

  // One segment of length s: the path q ⊕ (σ p1 + ½ σ² p2), the velocity v + σ/s (v⁺ − v).
  VecX q_m, u, u_first, v_next, p1, p2;
  VecX tau, diagonal, a, v_bar, displacement;
};

/// Two shapes that may come close to each other during this step.
struct NearPair {
  int a = -1, b = -1;            ///< shapes of the collision model, a < b
  int slot_a = -1, slot_b = -1;  ///< the same in Island::shapes
  int material = -1;             ///< index into scene().pairs
  double friction = 0, restitution = 0;
  Vec3 direction = Vec3::Zero();  ///< that separated them last
  double separation = 0;          ///< certified lower bound at the start of the segment
  bool has_rows = false;
  double bend = 0;  ///< how much lower the pair ends than its rows forecast, ≤ 0: see forecast_bends [m]
};

/// Velocity (or acceleration) of a link about the tree's origin, from those of the coordinates.
Vec6 motion_of_link(const Model& model, const DynamicsWorkspace& work, int link, const VecX& rates);

/// Thrown where a motion cannot start: two shapes share points.
struct Intersection {
  int shape_a = -1, shape_b = -1;
  double depth = 0;  ///< an estimate [m]
};

/// A contact during one segment.
struct LiveContact {
  int pair = -1;  ///< in Island::pairs
  Feature a, b;   ///< in the frames of the two shapes
  FeatureContact now, middle;
  std::uint64_t key = 0;
  double approach = 0;   ///< Jₙ v: negative when closing [m/s]
  double free_pull = 0;  ///< Jₙ a of the motion without contact forces [m/s²]
  bool was_row =
      false;  ///< of the segment before: it belongs to an impact even when a little above the standoff
  int first_row = -1;  ///< −1: no row of the problem at hand
  int rows = 0;        ///< 3, or 1 without friction
  std::array<Vec3, 3> directions{Vec3::Zero(), Vec3::Zero(),
                                 Vec3::Zero()};  ///< of its rows: normal and two tangents, world axes
  bool along_slip = false;  ///< the first tangent follows the slip; otherwise it is fixed in b
  /// The first guess of a solve. A new contact is taken to stick: where several solutions are valid, as between the
  /// corners of a face that is held from both sides, the one that does not slip is preferred.
  std::array<RowClass, 3> classes{RowClass::clamped, RowClass::stick, RowClass::stick};
  Vec3 impulse = Vec3::Zero();
};

/// Bodies that can reach each other during a step, advanced together and alone.
class Island {
 public:
  Island(const CollisionModel& collision, const StepSettings& settings, double h);

  std::vector<MovingTree*> trees;
  std::vector<int> slot_of_tree;      ///< model tree → index into `trees`, −1 when it is not here
  std::vector<int> shapes;            ///< of these trees and of the world, ascending
  std::vector<NearPair> pairs;        ///< shapes that can meet, sorted by (a, b)
  std::vector<LiveContact> contacts;  ///< sorted by key
  std::vector<Aabb> swept;            ///< per entry of `shapes`: where it has been in this step
  StepReport report;
  IslandTrace* trace = nullptr;  ///< where the tape goes, if anywhere

  /// Takes the island through the whole step.
  void advance(const StepMemory& memory);

 private:
  // island.cpp
  void update_start();
  void find_contacts(const StepMemory& memory);
  void recall_classes(const std::vector<LiveContact>& before, const StepMemory& memory);
  void move(double sigma, double s);
  Transform pose(int shape, bool middle) const;
  Anchor anchor(int shape) const;
  Vec3 relative_velocity(const LiveContact& contact, bool middle) const;
  double longest_part(double left) const;
  struct Certified {
    double s = 0, sigma = 0;  ///< length of the segment, and how much of it is free
  };
  Certified certified_segment();

  // collide.cpp
  bool collide(double time);
  bool hits(const LiveContact& contact) const;
  ImpactLaw find_impulses(const VecX& w, VecX& f);
  bool try_impulses(const VecX& w, const VecX& k, VecX& f);
  double energy_change(const VecX& f, const VecX& w) const;

  // segment.cpp
  void free_acceleration();
  void update_contact_speeds();
  bool is_impact(const LiveContact& contact) const;
  void set_directions(LiveContact& contact, const FeatureContact& at, const Vec3& slip_velocity);
  void add_rows(bool middle);
  bool solve_rows();
  double segment(double s, SolveTrace::Length rule);
  bool solve_segment(double s);
  void choose_rows(double s);
  void prepare_middle(double s);
  FeatureContact at_middle(const LiveContact& contact) const;
  void free_motion(MovingTree& tree, double s);
  void set_bias(double s);
  bool forecast_bends(double s);
  double bend_rate(const NearPair& pair, double s) const;
  bool works_too_much() const;
  double slip_at_start(const LiveContact& contact, int tangent) const;
  void finish_segment(double s);

  // slip_event.cpp
  double until_slip_ends(double s);

  // sweep.cpp
  double sweep(double s);
  double target(const NearPair& pair) const;

  // recording.cpp: all of these do nothing without a trace
  void record_start();
  void record_collision(ImpactLaw law);
  void record_solve(double s, SolveTrace::Length rule);
  void record_bend(const NearPair& pair, double bend, const DistanceResult& end, int contact);
  void record_hit(const NearPair& pair, const TimeOfImpactResult& toi, double goal);
  void record_move(double sigma);
  std::vector<RowsTrace> rows_trace() const;
  Kink nearest_class() const;
  Kink nearest_choice(double s) const;

  const CollisionModel& collision_;
  const StepSettings& settings_;
  double h_;
  double span_ = 0;       ///< the longest segment that the spin of the bodies allows now [s]
  double left_ = 0;       ///< of the step [s]
  double bend_span_ = 0;  ///< length of the segment for which bends were forecast [s]
  int slip_events_ = 0;   ///< that ended a segment of this step
  bool halved_ = false;   ///< the last segment was made shorter so that its mean velocity settles
  bool row_blocked_ =
      false;  ///< the last sweep ended at a pair that the segment's rows should have held apart

  std::vector<RowTree> row_trees_;
  ConstraintRows rows_;
  std::vector<int> row_contacts_;  ///< contacts that are rows now
  LcpProblem problem_;
  LcpSolution solution_;
  LcpWorkspace lcp_;
  std::vector<RowClass> warm_;
  VecX k_, bias_, scale_;
  std::vector<Aabb> boxes_;  ///< per entry of `shapes`
  ContactFinder finder_;
  std::vector<ContactPoint> points_;
  std::vector<BendTrace> bends_;  ///< of the next solve, for the tape
};

}  // namespace jade
