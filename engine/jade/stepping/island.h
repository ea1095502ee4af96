#pragma once

#include <optional>
#include <span>

#include "jade/contact/constraint_rows.h"
#include "jade/geometry/aabb.h"
#include "jade/geometry/contact_points.h"
#include "jade/geometry/feature.h"
#include "jade/geometry/time_of_impact.h"
#include "jade/math/fixed_point.h"
#include "jade/stepping/closing.h"
#include "jade/stepping/crowd.h"
#include "jade/stepping/link_path.h"
#include "jade/stepping/moving_tree.h"
#include "jade/stepping/step.h"
#include "jade/stepping/step_trace.h"

namespace jade {

/// Two shapes that may come close to each other during this step.
struct NearPair {
  int a = -1, b = -1;            ///< shapes of the collision model, a < b
  int slot_a = -1, slot_b = -1;  ///< the same in Island::shapes
  int material = -1;             ///< index into scene().pairs
  Anchor on_a, on_b;             ///< what they sit on, of Island::trees
  double friction = 0, restitution = 0;
  Vec3 direction = Vec3::Zero();  ///< that separated them last
  double separation = 0;          ///< certified lower bound at the start of the segment
  Vec3 normal = Vec3::Zero();  ///< along which it is one for the whole shapes; zero: along none that is known
  bool has_rows = false;
  double bend = 0;  ///< how much lower the pair ends than its rows forecast, ≤ 0: see forecast_bends [m]
};

/// Thrown where a motion cannot start: two shapes share points.
struct Intersection {
  int shape_a = -1, shape_b = -1;
  double depth = 0;  ///< an estimate [m]
};

/// Thrown where a motion cannot start: a coordinate is beyond its limit.
struct BeyondLimit {
  CoordinateLimit limit;
  double position = 0;
};

/// A limit during one segment.
struct LiveLimit {
  int tree = -1;  ///< in Island::trees
  CoordinateLimit limit;
  Closing closing;
  bool was_row = false;  ///< of the segment before
  bool carried = false;  ///< load in the segment before, or at the end of the step before
  int row = -1;          ///< −1: no row of the problem at hand
  /// The first guess of a solve, as of a new contact.
  RowClass row_class = RowClass::clamped;
  double impulse = 0;
};

/// A contact during one segment.
struct LiveContact {
  LiveContact(int in_pair, std::uint64_t named, const ContactPoint& found)
      : pair(in_pair), key(named), a(found.a), b(found.b), passing(found.passing), now(found.at) {}

  int pair;  ///< in Island::pairs
  std::uint64_t key;
  Feature a, b;  ///< in the frames of the two shapes
  bool passing;  ///< see ContactPoint: it may be hit, but is no row of a segment
  FeatureContact now, middle;
  Vec3 velocity = Vec3::Zero();  ///< of b against a at the start of the segment, world axes [m/s]
  double approach = 0;           ///< Jₙ v: negative when closing [m/s]
  double free_pull = 0;          ///< Jₙ a of the rest of the step without contact forces [m/s²]
  /// J v along the tangents 1 and 2 at the start of the segment, set with the rows: see Island::slip_at_start [m/s]
  std::array<double, 2> start_slip{};
  bool was_row =
      false;  ///< of the segment before: it belongs to an impact even when a little above the standoff
  bool carried = false;   ///< load in the segment before, or at the end of the step before
  int first_row = -1;     ///< −1: no row of the problem at hand
  int rows = 0;           ///< 3; 2 while it slides, normal and slip; 1 without friction or load
  bool unloaded = false;  ///< of a pair that carried nothing and is expected not to: see find_unloaded
  bool slides = false;    ///< its slip at the start counts: see find_slides
  bool stopped = false;   ///< by impulses at the start of this sub-step: what they left of its slip is none
  bool rests = false;     ///< it has none at the start
  bool slow = false;      ///< it slides, but friction could stop or turn it within the segment
  Vec3 carried_on =
      Vec3::Zero();         ///< velocity of b against a at the middle, from the rates of the start [m/s]
  bool slip_ends = false;   ///< within this segment: then it is held across its slip as well
  bool from_start = false;  ///< the first tangent is along the slip of the segment's start
  std::array<Vec3, 3> directions{Vec3::Zero(), Vec3::Zero(),
                                 Vec3::Zero()};  ///< of its rows: normal and two tangents, world axes
  bool along_slip = false;  ///< the first tangent follows the slip; otherwise it is fixed in b
  bool smooth = false;      ///< directions[0] is not the facets' normal but the smooth one
  double hand = 1;          ///< directions[2] = ± directions[0] × directions[1]
  /// The first guess of a solve. A new contact is taken to stick: where several solutions are valid, as between the
  /// corners of a face that is held from both sides, the one that does not slip is preferred.
  std::array<RowClass, 3> classes{RowClass::clamped, RowClass::stick, RowClass::stick};
  Vec3 impulse = Vec3::Zero();
  Vec3 force = Vec3::Zero();  ///< impulse over the length of its segment, or of the step before [N]
  bool unheeded = false;      ///< see StepMemory
  bool lands =
      false;  ///< found in the way of a path of this sub-step: a row of a crowd whatever it looks like now
  double bend = 0;  ///< how much lower than its row forecasts its gap ends in a crowd, ≤ 0 [m]
};

/// Poses of all shapes of a model; those fixed to the world never change.
struct ShapePoses {
  explicit ShapePoses(const CollisionModel& collision);
  std::vector<Transform> start, middle;  ///< of the segment at hand
};

/// Names a contact, the same in every step: the pair and the two features.
inline std::uint64_t contact_key(const NearPair& pair, int feature_a, int feature_b) {
  return (static_cast<std::uint64_t>(pair.a) << 48) ^ (static_cast<std::uint64_t>(pair.b) << 32) ^
         (static_cast<std::uint64_t>(feature_a) << 16) ^ static_cast<std::uint64_t>(feature_b);
}

/// What all islands of a step share.
struct IslandFrame {
  const StepSettings& settings;
  double h = 0;
  const int* slot_of_tree = nullptr;  ///< model tree → index into `trees` of the island that holds it
  ShapePoses& poses;
  /// Per shape of the model: where its velocity at the start of the step takes it, turned in any way, and further by `fall`
  /// and the standoff on every side.
  const std::vector<Aabb>& expected;
  double fall = 0;
};

/// Bodies that can reach each other during a step, advanced together and alone.
class Island {
 public:
  explicit Island(const CollisionModel& collision);

  /// Empties it for a step of length h; its memory stays.
  void begin(const IslandFrame& frame);

  std::vector<MovingTree*> trees;
  std::vector<int> shapes;            ///< of these trees and of the world, ascending
  std::vector<NearPair> pairs;        ///< shapes that can meet, sorted by (a, b)
  std::vector<LiveContact> contacts;  ///< sorted by key
  std::vector<LiveLimit> limits;      ///< of all trees, sorted by key
  std::vector<Aabb> swept;            ///< per entry of `shapes`: where it has been in this step
  StepReport report;
  IslandTrace* trace = nullptr;  ///< where the tape goes, if anywhere
  std::vector<PathPiece> path;   ///< when settings ask for it, by time

  /// Makes `limits` of those of the trees.
  void recall_limits(const StepMemory& memory);
  /// Takes the island through the whole step.
  void advance(const StepMemory& memory);
  /// Whether an exact solution was, or would have been, too much work: the next step had better iterate at once.
  bool is_hard() const { return (hurries_ && !is_calm()) || is_tired(); }

 private:
  // island.cpp
  void update_start();
  void find_contacts(const StepMemory& memory);
  void add_contacts(int pair);
  void recall_classes(const StepMemory& memory);
  void keep_path(double time, double sigma);
  void move(double sigma, double s);
  void place(bool middle);
  const Transform& placed(int shape, bool middle) const {
    return (middle ? poses_->middle : poses_->start)[shape];
  }
  PlacedShape placed_at_start(int shape) const {
    return {collision_.shapes()[shape].geometry, poses_->start[shape]};
  }
  Anchor anchor(int shape) const {
    const Anchor& at = collision_.shapes()[shape].anchor;
    return at.tree < 0 ? at : Anchor{slot_of_tree_[at.tree], at.link};
  }
  /// Velocity of a world point of what an anchor holds on to.
  Vec3 velocity_at(const Anchor& on, const Vec3& p, bool middle) const {
    if (on.tree < 0) return Vec3::Zero();
    const DynamicsWorkspace& work = middle ? trees[on.tree]->middle : trees[on.tree]->start;
    const Vec6& V = work.V[on.link];
    return V.tail<3>() + cross3(V.head<3>(), Vec3(p - work.origin[0]));
  }
  Vec3 acting_point(const LiveContact& contact, const FeatureContact& at) const {
    return jade::acting_point(at, plane_side(contact.a, contact.b), settings_.standoff);
  }
  Vec3 relative_velocity(const LiveContact& contact, bool middle) const {
    const Vec3 p = acting_point(contact, middle ? contact.middle : contact.now);
    const NearPair& pair = pairs[contact.pair];
    return velocity_at(pair.on_b, p, middle) - velocity_at(pair.on_a, p, middle);
  }
  double longest_part(double left) const;
  bool turns(double s) const;
  bool drifts(double s);
  struct Certified {
    double s = 0, sigma = 0;  ///< length of the segment, and how much of it is free
  };
  Certified certified_segment();
  /// With no more contacts than this, some boxes on each other, an exact solution is worth ten times the patience.
  static constexpr int kFewContacts = 32;
  /// A few contacts whose forces are found in so many iterations have come to rest, and are solved exactly again.
  static constexpr int kCalmIterations = 100;
  bool is_calm() const {
    return static_cast<int>(contacts.size()) <= kFewContacts && report.iterations <= kCalmIterations;
  }
  bool is_tired() const {
    return work_ > (static_cast<int>(contacts.size()) <= kFewContacts ? 10 : 1) * settings_.patience;
  }
  void hurry();
  double reach_of(const NearPair& pair) const;

  // cut.cpp
  template <class Sum, class Visit, class Use>
  void for_each_pair_with_rows(Visit&& visit, Use&& use) const;
  std::optional<int> carrier(const LiveContact& contact) const;
  bool find_lever_changes(double sigma, double s);
  void find_moments_of_levers(double part, double s);
  void find_couples(double scale);
  void add_lever_changes();

  // crowd_segment.cpp
  bool was_crowded(const StepMemory& memory) const;
  bool is_crowded(const StepMemory& memory);
  void measure_speeds();
  Certified certified_crowd();
  void keep_spin(MovingTree& tree, double s) const;
  void use_mean_velocity(MovingTree& tree, double s);
  /// What the iteration is asked for: velocities at the end of a segment, those after an impact, or a displacement.
  enum class CrowdTask { segment, landing, lift };
  void solve_crowd(double s);
  void find_crowd_velocities(CrowdTask task, double s, double tolerance);
  void add_crowd_rows(CrowdTask task, double s);
  void land_all(double s);
  void lift();
  void finish_crowd(double s);
  bool heed_blocks(double s);
  bool add_landings(NearPair& pair, const TimeOfImpactResult& toi, double s);
  bool bend_rows(int pair, double s);

  // collide.cpp
  bool collide(double time);
  void find_felt(const Horizon& now);
  void set_impact_directions(LiveContact& contact, double fastest);
  void guess_hits(const Horizon& now);
  Closing closing(const LiveContact& contact) const {
    return {contact.now.gap,    contact.approach,    contact.free_pull,
            settings_.standoff, settings_.clearance, contact.carried ? carried_speed_ : 0};
  }
  Horizon horizon(double s) const { return {s, span_, left_, h_, settings_.integrator}; }
  ImpactLaw find_impulses(const VecX& w, VecX& f);
  bool try_impulses(const VecX& w, const VecX& k, VecX& f);
  double energy_change(const VecX& f, const VecX& w) const;

  // segment.cpp
  void forecast_free_motion();
  void update_contact_speeds();
  Vec3 centre(int shape, const Vec3& otherwise) const;
  /// The first tangent is along the slip if that is faster than `least`.
  void set_directions(LiveContact& contact, const FeatureContact& at, const Vec3& slip_velocity,
                      double least);
  void add_rows(bool middle);
  double segment(double s, SolveTrace::Length rule);
  bool solve_segment(double s);
  bool find_end_velocities(double s);
  void choose_rows(double s);
  void find_unloaded();
  bool stays_unloaded() const;
  bool is_normal_alone(const LiveContact& contact) const { return without_load_ && contact.unloaded; }
  void keep_all_rows(double s);
  void exchange_rows();
  void prepare_middle(double s);
  FeatureContact at_middle(const LiveContact& contact) const;
  void free_motion(MovingTree& tree, double s);
  void set_bias(double s);
  double gap_rounding(double s) const;
  void set_paths(double s);
  void finish_segment(double s);

  // mean_velocity.cpp
  bool settle(std::span<MovingTree* const> moving, double s);
  bool knows_of_velocities(std::span<MovingTree* const> moving, double s) const;
  void begin_mean_velocity(std::span<MovingTree* const> moving);
  bool update_free_motion(std::span<MovingTree* const> moving, double s);

  // bend.cpp
  DistanceResult nearest_at_end(const NearPair& pair, const LiveContact& contact) const;
  template <class Choose>
  int ending_at(const Vec3& p_B, Choose&& is_one) const;
  bool forecast_bends(double s);
  double bend_rate(const NearPair& pair, double s) const;
  bool works_too_much();

  // forces.cpp
  bool solve_rows(bool to_the_end, const std::vector<RowClass>& guess = {});
  bool rests_on_fewer() const;
  bool keep_classes();
  void note_residual();
  bool rests_with_gaps_unheeded() const;
  void set_b(bool with_gaps);
  bool find_forces(bool with_gaps, double s);
  bool forces_run_away(double s) const;

  // joint_limit.cpp
  void find_limits();
  void update_limit_speeds();
  void choose_limit_rows(double s);
  void add_limit_rows();
  void finish_limits();
  double until_limit(double s);

  // slip_event.cpp
  double slip_at_start(const LiveContact& contact, int tangent) const;
  bool touches_at_few_places(std::size_t row_contact) const;
  bool sticks(const LiveContact& contact) const;
  void find_slides();
  bool slip_goes_on(const LiveContact& contact) const;
  bool find_slow_slides();
  bool stop_slips(double s);
  void stop(const std::vector<char>& at_once, const Kink& nearest);
  /// Had every slip of the segment gone on as it began.
  struct SlipForecast {
    ForcesTrace forced;
    VecX w;                                    ///< velocities of the rows at its end
    std::vector<std::pair<int, double>> ends;  ///< contacts whose slip ends within the segment, and when
  };
  SlipForecast forecast_slips(double s, int ended) const;
  bool stop_ended(const SlipForecast& forecast, double s, bool any);
  bool cut_where_slip_ends(double& s);

  // sweep.cpp
  double sweep(double s);
  void begin_sweep(double s);
  const Aabb& swept_box(int slot, double s);
  /// A gap, and how it moves with that at the start of the segment.
  struct Target {
    double gap = 0, by_separation = 0;
  };
  Target target(const NearPair& pair) const;

  // recording.cpp: all of these do nothing without a trace
  void record_start();
  void record_collision(ImpactLaw law);
  void record_stop(const std::vector<RowClass>& classes, const VecX& f, const Kink& nearest);
  void record_solve(double s, SolveTrace::Length rule);
  void hold_back_ended(ForcesTrace& forces) const;
  void record_event(int contact, const SlipForecast& forecast);
  void record_ends_together(int ended, const SlipForecast& forecast, double whole, double next);
  void record_bend(const NearPair& pair, double bend, DistanceResult end, int contact, double apart);
  void record_start_of_gap(const NearPair& pair, HitTrace& hit) const;
  void record_hit(const NearPair& pair, const TimeOfImpactResult& toi, const Target& goal);
  void record_move(double sigma);
  void record_limit_hit(std::size_t limit, double time, double target_by_gap);
  std::vector<LimitRowTrace> limit_rows_trace() const;
  std::vector<RowsTrace> rows_trace() const;
  void take_all_rows();

  // kinks.cpp: of what is recorded
  Kink nearest_class(const std::vector<RowsTrace>& rows, int ended, double rounding) const;
  void mark_weak(SolveTrace& solve) const;
  Kink nearest_choice(double s) const;
  bool is_flat_forest(const std::vector<RowClass>& classes) const;
  Kink nearest_strain(const std::vector<RowClass>& classes) const;
  Kink nearest_flush() const;

  const CollisionModel& collision_;
  StepSettings settings_;
  double h_ = 0;
  const int* slot_of_tree_ = nullptr;
  ShapePoses* poses_ = nullptr;
  const std::vector<Aabb>* expected_ = nullptr;
  double fall_ = 0;
  bool as_expected_ = false;  ///< the island is still where the step began, with the velocities of then
  double carried_speed_ = 0;  ///< Closing::carried of contacts that carried load
  double work_ = 0;           ///< spent on the step so far, see StepSettings::patience
  long looks_ = 0;            ///< of the step's sweeps so far
  bool hurries_ = false;      ///< the rest of the step is made in a hurry
  double turning_ = 0;        ///< of the link that turns fastest at the start of the segment [rad/s]
  double span_ = 0;           ///< the longest segment that the spin of the bodies allows now [s]
  double left_ = 0;           ///< of the step [s]
  double pulled_ = 0;         ///< what accelerations do to the gap of any pair in a segment, at most [m]
  double prepared_for_ = 0;   ///< length of the segment whose middle and free motion are at hand; 0: none [s]
  double bend_span_ = 0;      ///< length of the segment for which bends were forecast [s]
  int slip_events_ = 0;       ///< that ended a segment of this step
  bool slips_end_ =
      false;  ///< some slip ends in this segment: friction of all that slide follows the start's slip
  bool settled_ = true;  ///< the mean velocity of the last solve
  bool halved_ = false;  ///< the last segment was made shorter so that its mean velocity settles
  bool row_blocked_ =
      false;  ///< the last sweep ended at a pair that the segment's rows should have held apart

  std::vector<RowTree> row_trees_;
  ConstraintRows rows_;
  std::vector<int> row_contacts_;  ///< contacts that are rows now
  std::vector<int> row_limits_;    ///< limits that are rows now
  LcpProblem problem_;
  LcpSolution solution_;
  LcpWorkspace lcp_;
  std::vector<RowClass> warm_;
  std::vector<RowClass> hits_;  ///< of an impact's rows, if nothing but what hits takes part
  std::vector<char> felt_;      ///< per tree: whether an impact reaches it
  bool without_load_ = false;   ///< contacts that carried nothing are rows by their normals alone
  /// All rows of the segment at hand while those that are solved for are fewer, for the tape.
  struct {
    ConstraintRows rows;
    LcpProblem problem;
    VecX bias;
    std::vector<std::pair<int, int>> contact_rows;  ///< per entry of row_contacts_: first row and count
    std::vector<int> limit_rows;                    ///< per entry of row_limits_
  } all_;
  VecX k_, bias_, scale_;
  VecX mean_,
      mean_image_;  ///< of trees that settle together: the mean velocity that forces are at, and the one that they lead to
  FixedPoint mean_search_;
  std::vector<double> turning_rates_;      ///< per pair: see find_slow_slides
  std::vector<ShapePath> paths_;           ///< per entry of `shapes`
  std::vector<MotionSample> path_starts_;  ///< per entry of `shapes`: its path at time 0
  std::vector<Aabb> boxes_;                ///< per entry of `shapes`
  std::vector<char> has_box_;              ///< per entry of `shapes`: in `boxes_`, of the sweep at hand
  /// How the middle of a shape moves at the start, and how much faster any point of it may be [m/s].
  struct ShapeSpeed {
    Vec3 velocity = Vec3::Zero();
    double turning = 0;
  };
  std::vector<ShapeSpeed> speeds_;  ///< per entry of `shapes`, in a crowd
  struct Block {
    int pair = -1;
    TimeOfImpactResult at;
  };
  std::vector<Block> blocked_;  ///< pairs that the last sweep did not find free to the end
  Crowd crowd_;
  std::vector<LiveContact> before_;  ///< contacts of the segment before
  std::vector<std::pair<std::uint64_t, int>> order_;
  ContactFinder finder_;
  std::vector<ContactPoint> points_;
  bool with_gaps_ = true;         ///< whether the last solve heeded the gaps
  std::vector<BendTrace> bends_;  ///< of the next solve, for the tape
};

}  // namespace jade
