#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jade/contact/collision_model.h"
#include "jade/gradients/contact_rows.h"
#include "jade/gradients/linear_tape.h"
#include "jade/gradients/link_motion.h"
#include "jade/model/parameter.h"
#include "jade/stepping/closing_rate.h"
#include "jade/stepping/step_trace.h"

namespace jade {

/// The linearisation of an island's way through a step, put on a LinearTape. Made once for a model: memory is kept from one
/// tape to the next.
///
/// A sub-step from (q, v) with `left` of the step to go, everything that was decided held:
///   collide    M (v' − v) = Jᵀ f,  S (J v' + e Jₙ v) = 0                                       collision_tape.cpp
///   segment    R = s [ID(q_m, v̄, α) + E α + D v + K (q_m − rest) − τ] − J_mᵀ f = 0,            segment_tape.cpp
///              S (J_m (v + v⁺) − J v − k) = 0
///              α = (v⁺ − v)/s,  v̄ = v + κ (v⁺ − v),  q_m = q ⊕ ½ s v,  κ = ½;  Euler: κ = 0, q_m = q, E = 0
///   length     s = a part of `left`, the end of a slip s u₀/(u₀ − w), a swept part             island_tape.cpp
///   move       q ⊕ (σ p₁ + ½ σ² p₂),  v + σ/s (v⁺ − v),  left − σ;  σ = s or the time of impact:
///              gap(q ⊕ …) = target ⇒ dσ = (dtarget − J* dq*|σ) / (J* q̇*)
///              then v + … + σ/s (1 − σ/s) z, M̃ z the moments of moved levers                    cut_tape.cpp
/// ID inverse dynamics (rnea), E implicit dampers and springs, S the rows that hold with equality, f = P x.
/// Contacts see the links that they touch: the motions of links stand on the tape between coordinates and rows.
class IslandTape {
 public:
  IslandTape(std::vector<GradientTree>& trees, const CollisionModel& collision);

  /// Puts the whole step on the tape, which is emptied first. With `to_one_side` weak contacts touch or leave as each column has
  /// it, see weak_tape.cpp; such a tape is run forwards only.
  void build(const Model& model, const StepTrace& step, const IslandTrace& island,
             const std::vector<ParameterId>& parameters, bool to_one_side = false);

  LinearTape tape;
  int nv = 0;                             ///< of the island
  int q_in = 0, v_in = 0, effort_in = 0;  ///< rows of the inputs
  int parameters_in = 0;
  int step_size_in = -1;     ///< summed up from the parameters that ask for it; −1: none does
  int q_out = 0, v_out = 0;  ///< and of the outputs
  Kink nearest;
  std::string no_derivative;  ///< why there is none; empty: there is one

 private:
  struct Part {
    GradientTree* tree = nullptr;
    int q = 0, v = 0;  ///< in the island's stacked numbers
  };
  /// A solve of a sub-step on the tape.
  struct Solve {
    bool built = false;
    int s = -1;                ///< row of its length; −1: it does not move, or was not asked for
    int place = -1;            ///< q_m
    int v0 = -1, v_free = -1;  ///< without contact forces the mean and the end velocity, if looked at
    int v_next = -1, forces = -1;
    int sigma = -1;  ///< of its hit
    ClassSolve* classes = nullptr;
  };
  /// Where a parameter acts: on a tree's dynamics, on a material pair, or on gravity.
  struct Use {
    ParameterId id;
    int row = 0;    ///< on the tape
    int part = -1;  ///< of the island; −1: none, or all (gravity)
    int link = -1;
    Transform X_LB;
  };
  /// Where trees are placed: at the start of the sub-step, at the middle of a segment, at the end of a path.
  enum class Place { start, middle, end };
  /// The links of a contact; tree −1: the world.
  struct Links {
    Anchor on[2];
    bool operator==(const Links& o) const;
  };
  /// Rows on the tape of six numbers for each of the two links; −1: none.
  struct LinkRows {
    int row[2] = {-1, -1};
  };

  bool midpoint() const { return step_->integrator == Integrator::midpoint; }
  /// See Horizon::whole: a fixed part of the step.
  double whole() const { return midpoint() ? substep_->span : step_->h; }
  void refuse(const std::string& why) {
    if (no_derivative.empty()) no_derivative = why;
  }
  const Part& part(int index) const { return parts_[static_cast<std::size_t>(index)]; }
  /// The part that a velocity of the island belongs to.
  int part_of_velocity(int velocity) const;

  // island_tape.cpp
  void begin(const Model& model, const std::vector<ParameterId>& parameters);
  void substep(const SubstepTrace& trace);
  /// The row of a solve's length; −1: it does not move.
  int length_of(int solve);
  void move();
  /// What is left of the step is less by a length.
  void pass_time(int length);
  Kink next_hit(const HitTrace& hit, double closing);
  int hit_of(int solve);
  int limit_hit_of(int solve, const HitTrace& hit);
  /// The end of a solve's path after a fixed time σ.
  struct PathEnd {
    int q = -1, displacement = -1;  ///< rows of dq* and of d(σ p₁ + ½ σ² p₂) at fixed σ
    VecX value;                     ///< the displacement
    VecX w, rate;                   ///< by σ: of the displacement, p₁ + σ p₂, and of q*
    VecX by_v, by_next;
  };
  /// Valid until the next one.
  const PathEnd& path_end(int solve, double sigma);
  /// Moves the trees' `end` to the last one.
  void place_end();
  /// x_out += (q ⊕ d)' : Jq x_from + scale Jd x_by of a tree whose Jacobians are at hand.
  void add_displacement(const Part& own, int out, int from, int by, double scale);

  // link_tape.cpp
  PlacedTree& placed(int part, Place at) const;
  Links links_of(int shape_a, int shape_b) const;
  Links links_of(const ContactTrace& contact) const { return links_of(contact.shape_a, contact.shape_b); }
  SidePoses poses(int shape_a, int shape_b, Place at) const;
  const PlacedContact& start_contact(int contact);
  /// A point in the world, where two links are nearest.
  LinkPoint point_between(const Links& links, const Vec3& p, Place at) const;
  /// Rates of both links for rates of the island.
  Sides rates(const Links& links, Place at, const VecX& x);
  /// Rows of the links' displacements for those of the coordinates in row `place`.
  LinkRows displacements(const Links& links, Place at, int place);
  /// Rows of what the links' rates change by, with those of the coordinates in row `in` (−1: held) at x. `use` tells
  /// apart what has the same rows and another x.
  LinkRows rates(const Links& links, Place at, int place, const VecX& x, int in, int use);
  /// x_out += M x_in, for a matrix whose columns are both links' motions.
  template <class Matrix>
  void add_links(int out, const Matrix& M, const LinkRows& in, double scale) {
    for (int side = 0; side < 2; ++side)
      if (in.row[side] >= 0) tape.add(out, in.row[side], M.template middleCols<6>(6 * side), scale);
  }
  /// A sum of forces on links that is added to the equations of motion at `out`.
  void begin_forces(int out, int place, Place at);
  template <class Matrix>
  void add_force(const Links& links, const Matrix& M, int in, double scale) {
    for (int side = 0; side < 2; ++side)
      if (links.on[side].tree >= 0)
        tape.add(force_row(links.on[side]), in, M.template middleRows<6>(6 * side), scale);
  }
  void add_force_by(const Links& links, const ForceDerivative& by, const LinkRows& q, const LinkRows& place,
                    const LinkRows& v0);
  /// The force itself, which moves with the place.
  void note_force(const Links& links, const Sides& force, double scale);
  void end_forces();
  int force_row(const Anchor& on);
  /// out += Jᵀ W in the island's numbers.
  void add_generalised(const Links& links, Place at, const Sides& force, VecX& out);
  /// The rows of the contacts in contacts_ and of limits, with their classes and forces (null: none is nearer to letting go
  /// than another), and what of J acts.
  void add_problem(const std::vector<RowsTrace>& rows, const std::vector<LimitRowTrace>& limits,
                   const std::vector<RowClass>& row_classes, const VecX* f, Place at, ClassSolve& classes);
  /// The rows of a contact along its directions, as blocks of J.
  void add_blocks(const RowsTrace& rows, Place at, const PlacedContact& contact, ClassSolve& classes);
  /// Contacts between the same two links as patches of a problem.
  void add_patches(const std::vector<RowsTrace>& rows, ClassSolve& classes);

  // segment_tape.cpp
  Solve& solve(int index);
  void place_middle(const SolveTrace& solve);
  bool solves_for_change(int part, const SolveTrace& solve) const;
  void add_dynamics(int part, const SolveTrace& solve, const Solve& slots, ClassSolve& classes);
  void add_free_slip(const SolveTrace& solve, Solve& slots);
  void add_free_slip(int part, const SolveTrace& solve, const Solve& slots);

  /// Whether the part's spin is given the moment of FreeRotation.
  bool has_free_rotation(int index) const { return midpoint() && part(index).tree->alone; }

  // free_body_tape.cpp
  /// A body alone, turning about its centre of mass, whose dynamics no parameter is asked of.
  bool is_plain_body(int part) const;
  void add_body_dynamics(int part, const SolveTrace& solve, const Solve& slots, ClassSolve& classes);
  void add_body_free_slip(int part, const SolveTrace& solve, const Solve& slots);

  int effort_row(const Part& part) const { return effort_in + part.v; }
  /// Adds −scale Y dp to x_out: inverse dynamics by every parameter that acts on the tree, springs and dampers included.
  struct At {
    const VecX &v, &a;
    double s = 0;
  };
  void add_parameters(int out, int part, const DynamicsWorkspace& work, const At& at, double scale);
  /// The diagonal E of implicit dampers and springs and its rate of change with s into the tree.
  void implicit_diagonal(GradientTree& tree, double s) const;

  // segment_rows_tape.cpp
  /// The rates whose slip the first tangent of a contact follows, and what they change by.
  Sides slip_rates(const SolveTrace& solve, const RowsTrace& rows, const Links& links);
  LinkRows slip_rows(const SolveTrace& solve, const RowsTrace& rows, const Links& links, const Solve& slots);
  /// Whether the derivative of a solve's forces themselves is asked for, and not only of its velocities.
  bool asks_for_forces(const SolveTrace& solve) const;
  /// Whether a contact has neither a force nor a row that holds: it may as well not be there.
  static bool is_idle(const RowsTrace& rows, const ForcesTrace& forces);
  static bool turns_for_nothing(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                                const ForcesTrace& forces);
  void place_contacts(const SolveTrace& solve);
  int add_contact_rows(int index, const Solve& slots, const std::vector<int>& bends, ClassSolve& classes);
  /// What the rows of the contacts between two links depend on.
  struct PairMotion {
    Links links;
    Sides x, v;                         ///< rates of the rows, and those at the start
    LinkRows start, place, by_x, by_v;  ///< displacements, and what the rates change by
  };
  /// The rows of a solve with rates x (but for the unknown ones), whose right-hand sides begin at row `out` of the tape.
  struct SegmentRows {
    const SolveTrace& trace;
    const Solve& slots;
    const std::vector<int>& bends;
    const VecX& x;
    const ClassSolve& classes;
    int use = 0;  ///< tells x apart from others, see rates
    int out = -1;
    int also = -1;                        ///< a row that is looked at although it does not hold
    std::optional<PairMotion> pair = {};  ///< that was looked at last: contacts of a pair follow each other
  };
  PairMotion pair_motion(const SegmentRows& segment, const Links& links);
  /// The rows of a contact by everything but the unknown rates.
  struct RowMaps : RowDerivative {
    Rows12 w_by_v;
  };
  /// Those of contact number `index` of the solve; rows that nobody looks at are left out.
  void add_segment_rows(SegmentRows& segment, std::size_t index);
  double excess_of(const RowsTrace& rows) const;
  template <class Visit>
  void for_each_other(const SolveTrace& solve, const RowsTrace& rows, Visit&& visit) const;
  /// How fast the contact of some rows may close, see Closing::bias.
  ClosingRate closing_of(const SolveTrace& solve, const RowsTrace& rows) const;
  bool gaps_contradict(const SolveTrace& solve) const;
  bool slips_contradict(const SolveTrace& solve) const;
  bool normals_contradict(const SolveTrace& solve);
  /// Of its first `count` rows.
  void add_bias(const SegmentRows& segment, std::size_t index, int count, RowMaps& maps);

  // weak_tape.cpp
  bool watches(const RowsTrace& rows) const { return to_one_side_ && rows.weak == RowsTrace::Weak::slips; }
  /// How fast weak contacts of a solve open, and the loads that it takes to hold them.
  struct Weak {
    std::vector<std::size_t> rows;  ///< of SolveTrace::rows
    int opening = -1, forces = -1;  ///< rows on the tape, one for each
  };
  Weak begin_weak(const SolveTrace& solve, const Solve& slots);
  void add_weak(const SolveTrace& solve, const Solve& slots, const Weak& weak);

  // event_tape.cpp
  int event_of(int solve);
  void add_event_dynamics(const SolveTrace& solve, const Solve& slots, const VecX& change, int velocity,
                          ClassSolve& classes);
  int bend_of(const BendTrace& bend);

  // cut_tape.cpp
  /// v⁺ + z of a solve that is cut, see Island::find_moments_of_levers: its row, and z.
  struct LeverChange {
    int v = -1;
    VecX value;
  };
  LeverChange lever_change(int solve);
  /// The contacts [first, end) of a solve are those of one pair: how F and c_m − c move.
  struct PairRows {
    std::size_t first = 0, end = 0;
    int force = -1, travel = -1;  ///< rows on the tape
    Vec3 F = Vec3::Zero(), travelled = Vec3::Zero();
  };
  /// See Island::carrier: a part.
  std::optional<int> carrier(const ContactTrace& contact) const;
  PairRows pair_rows(const SolveTrace& solve, std::size_t first) const;
  void add_pair_rows(const SolveTrace& solve, const Solve& slots, PairRows& pair);

  // start_hit_tape.cpp
  void hit_at_start(const CollisionTrace& collision);

  // collision_tape.cpp
  void collide(const CollisionTrace& collision);
  struct Impulse {
    VecX from, to;  ///< velocities before and after
    int v = -1;     ///< row of the velocity before
    ForcesTrace forces;
    bool given = false;     ///< e times the normal forces before, no unknowns
    bool bounces = false;   ///< Newton's law
    bool returned = false;  ///< its forces come back
  };
  /// Rows of the velocity after, and of the forces.
  std::pair<int, int> add_impulse(const CollisionTrace& collision, const Impulse& impulse, int v_before,
                                  int forces_before);
  void add_impulse_rows(const CollisionTrace& collision, std::size_t index, const Impulse& impulse,
                        int v_before, const ClassSolve& classes, int out);
  /// ∂F/∂μ of a contact, with its normal force held.
  static Vec3 force_by_friction(const RowsTrace& rows, const ForcesTrace& forces);
  void add_friction(const RowsTrace& rows, const PlacedContact& contact, const ForcesTrace& forces,
                    double scale);
  /// r₃ of redundant contacts that slip: −(S dJ y₁ + dW x); −1 when their shares have no effect. See ClassInverse.
  struct Shares {
    const std::vector<RowsTrace>& rows;
    const std::vector<LimitRowTrace>& limits;
    const ForcesTrace& forces;
    int place = -1;     ///< row on the tape
    int rows_out = -1;  ///< r₂ on the tape
    /// Of a segment; null: of an impulse, whose mass matrix does not depend on a length.
    const SolveTrace* segment = nullptr;
    const Solve* slots = nullptr;
    /// Of an impulse: the rates whose slip the tangents follow, and their row.
    const VecX* v_before = nullptr;
    int v_before_row = -1;

    Place at() const { return segment != nullptr ? Place::middle : Place::start; }
  };
  /// Of the contacts in contacts_ with the frames in frames_.
  int add_shares(const Shares& shares, ClassSolve& classes);
  /// −x dA_ii of a row with z = M⁻¹ J_iᵀ.
  void add_weight(const Shares& shares, int row, const VecX& z, double x, int out);
  /// A mean of rows that contradict each other by a finite amount moves with their weights W: those of the free rows.
  void add_contradiction(const Shares& shares, const MatX& Z, const VecX& W, const ClassSolve& classes);
  void add_share(const Shares& shares, int row, const VecX& z, double x, int out);
  LinkRows slip_of(const Shares& shares, const RowsTrace& rows, const Links& links);
  /// r₂ of the limits of a solve: they are contacts whose row does not move.
  void add_limit_rows(const SolveTrace& solve, const Solve& slots, int out);
  /// Slip that is too slow to count ends at once: see stop_slip.
  void stop_slip(const SolveTrace& solve);
  bool slips_that_stop(const SolveTrace& solve);
  /// Whether contacts that are stopped, which are asked for no slip and the same closing speed, may contradict each other.
  bool may_contradict(const std::vector<RowsTrace>& rows) const;
  /// ∂(M Δ)/∂q and M into the tree's jacobian; M alone where nothing changes.
  void momentum_derivatives(GradientTree& tree, DynamicsWorkspace& work, const VecX& change);
  /// x_out += M x_in − ∂(M Δ)/∂q x_place − ∂(M Δ)/∂p, with the tree's E added to the diagonal of M.
  void add_momentum(int out, int in, int place, int part, Place at, const VecX& change, ClassSolve& classes);
  /// M⁻¹ Jᵀ f of the contacts in contacts_, with the trees' E added to the diagonal of M.
  VecX velocity_change(const std::vector<RowsTrace>& rows, const std::vector<LimitRowTrace>& limits,
                       const VecX& f, Place at);
  void no_implicit_diagonal();
  /// Of M with the tree's E added to its diagonal.
  const TreeSolver& mass_factor(int part, Place at);

  std::vector<GradientTree>& all_trees_;
  const CollisionModel& collision_;
  const StepTrace* step_ = nullptr;
  const IslandTrace* island_ = nullptr;
  bool to_one_side_ = false;
  std::vector<Part> parts_;
  std::vector<int> part_of_tree_;
  std::vector<Use> uses_;

  // The sub-step at hand.
  const SubstepTrace* substep_ = nullptr;
  int q_ = 0, v_ = 0;
  int left_ = -1;            ///< −1: what is left of the step does not move
  int stopped_length_ = -1;  ///< of the sub-step before, whose slips were stopped
  std::vector<Solve> solves_;
  std::vector<PlacedContact> start_contacts_;
  std::vector<char> placed_;
  struct {
    int shape_a = -1, shape_b = -1;
    SidePoses at;
  } start_poses_;  ///< of the contact that was placed last
  VecX q_m_, sum_, v0_;
  PathEnd end_;
  VecX hit_row_, next_row_;

  // The problem at hand: contacts where its rows are, and how the frames of these turn.
  std::vector<PlacedContact> moved_;
  std::vector<const PlacedContact*> contacts_;  ///< null: it does nothing
  std::vector<FrameDerivative> frames_;
  std::vector<ClassSolve::Functional> functionals_;
  ForceDerivative force_;
  ForcesTrace stopped_;
  std::vector<RowsTrace> stopped_rows_;  ///< of contacts that carry load
  std::vector<char> stopped_once_;       ///< contacts of the sub-step at hand

  /// Rows of links' motions that are on the tape already, for trees of several links.
  struct LinkSlot {
    int part, link, place, in, use, row;
    const double* x;  ///< the rates, if these are the velocities at the start of the sub-step
  };
  std::vector<LinkSlot> link_slots_;
  struct LinkForce {
    Anchor on;
    int row;
    Vec6 total;
  };
  std::vector<LinkForce> link_forces_;
  int forces_out_ = -1, forces_place_ = -1;
  Place forces_at_ = Place::start;
  Mat6X by_position_;
  MatX square_;
};

}  // namespace jade
