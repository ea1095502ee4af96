#pragma once

#include <string>
#include <vector>

#include "jade/contact/collision_model.h"
#include "jade/dynamics/dynamics_derivatives.h"
#include "jade/gradients/contact_rows.h"
#include "jade/gradients/linear_tape.h"
#include "jade/model/parameter.h"
#include "jade/stepping/step_trace.h"

namespace jade {

/// A tree with the memory that its derivatives need.
struct GradientTree {
  GradientTree(const Model& whole, int tree);
  Model model;       ///< the tree alone
  int q = 0, v = 0;  ///< where its numbers stand in the whole state
  int first_link = 0;
  DynamicsWorkspace start, middle, end;
  DerivativeWorkspace derivative;
  DynamicsDerivatives jacobian;
};

/// The linearisation of an island's way through a step, put on a LinearTape.
///
/// A sub-step from (q, v) with `left` of the step to go, everything that was decided held:
///   collide    M (v' − v) = Jᵀ f,  S (J v' + e Jₙ v) = 0                                       collision_tape.cpp
///   segment    R = s [ID(q_m, v̄, α) + E α + D v + K (q_m − rest) − τ] − J_mᵀ f = 0,            segment_tape.cpp
///              S (J_m (v + v⁺) − J v − k) = 0
///              α = (v⁺ − v)/s,  v̄ = v + κ (v⁺ − v),  q_m = q ⊕ ½ s v,  κ = ½;  Euler: κ = 0, q_m = q, E = 0
///   length     s = a part of `left`, the end of a slip s u₀/(u₀ − w), a swept part             island_tape.cpp
///   move       q ⊕ (σ p₁ + ½ σ² p₂),  v + σ/s (v⁺ − v),  left − σ;  σ = s or the time of impact:
///              gap(q ⊕ …) = target ⇒ dσ = (dtarget − J* dq*|σ) / (J* q̇*)
/// ID inverse dynamics (rnea), E implicit dampers and springs, S the rows that hold with equality, f = P x.
class IslandTape {
 public:
  IslandTape(std::vector<GradientTree>& trees, const CollisionModel& collision, const StepTrace& step,
             const IslandTrace& island, const Model& model, const std::vector<ParameterId>& parameters);

  /// Puts the whole step on the tape.
  void build();

  LinearTape tape;
  int nv = 0;                             ///< of the island
  int q_in = 0, v_in = 0, effort_in = 0;  ///< rows of the inputs
  int parameters_in = 0,
      step_size_in = 0;      ///< the step size is summed up from the parameters that ask for it
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
    int s = -1;                            ///< row of its length
    int place = -1, v0 = -1, v_free = -1;  ///< q_m, and without contact forces the mean and the end velocity
    int v_next = -1, forces = -1;
    int sigma = -1;  ///< of its hit
  };
  /// Where a parameter acts: on a tree's dynamics, on a material pair, or on gravity.
  struct Use {
    ParameterId id;
    int row = 0;    ///< on the tape
    int part = -1;  ///< of the island; −1: none, or all (gravity)
    int link = -1;
    Transform X_LB;
  };

  bool midpoint() const { return step_.integrator == Integrator::midpoint; }
  void refuse(const std::string& why) {
    if (no_derivative.empty()) no_derivative = why;
  }

  // island_tape.cpp
  void substep(const SubstepTrace& trace);
  int length_of(int solve);
  void move();
  int event_of(int solve);
  int bend_of(const BendTrace& bend);
  int hit_of(int solve);
  /// The end of a solve's path after a fixed time σ; leaves the trees' `end` there.
  struct PathEnd {
    int q = -1, displacement = -1;  ///< rows of dq* and of d(σ p₁ + ½ σ² p₂) at fixed σ
    VecX value;                     ///< the displacement
    VecX w, rate;                   ///< by σ: of the displacement, p₁ + σ p₂, and of q*
  };
  PathEnd path_end(int solve, double sigma);
  void add_displacement(int out, int from, int by, double scale, const VecX& displacement);
  Anchor anchor(int shape) const;
  ShapePoses poses(int shape_a, int shape_b, const std::vector<RowTree>& trees) const;
  const PlacedContact& start_contact(int contact);
  Eigen::RowVectorXd gap_row(const ContactMotion& motion, const Vec3& n) const;
  /// x_out += M x_in for a matrix whose columns (rows) are a contact's local coordinates.
  void add_columns(int out, int in, const ContactMotion& motion, const MatX& M, double scale);
  void add_rows(int out, const ContactMotion& motion, const VecX& column, int in, double scale);
  void add_both(int out, int in, const ContactMotion& motion, const MatX& M, double scale);
  VecX local(const ContactMotion& motion, const VecX& stacked) const;
  void clear_prescribed(const ContactMotion& motion, MatX& M) const;

  // segment_tape.cpp
  Solve& solve(int index);
  void place_middle(const SolveTrace& solve);
  void add_dynamics(const SolveTrace& solve, const Solve& slots, ClassSolve& classes);
  void add_free_slip(const SolveTrace& solve, Solve& slots);
  /// Row and values of the rates whose slip the first tangent follows.
  int slip_slot(const RowsTrace& rows, int v0, int v_free) const {
    return rows.from_start ? v_ : rows.count == 2 ? v0 : v_free;
  }
  VecX slip_rates(const SolveTrace& solve, const RowsTrace& rows) const;
  int add_contact_rows(const SolveTrace& solve, const Solve& slots, const std::vector<int>& bends,
                       ClassSolve& classes);
  void add_bias(const SolveTrace& solve, const RowsTrace& rows, const Solve& slots,
                const std::vector<int>& bends, const FrameDerivative& frame, int out);
  int effort_row(const Part& part) const { return effort_in + part.v; }
  /// Adds −scale Y dp to x_out: inverse dynamics by every parameter that acts on the tree, springs and dampers included.
  struct At {
    VecX v, a;
    double s = 0;
  };
  void add_parameters(int out, int part, const DynamicsWorkspace& work, const At& at, double scale);
  /// The diagonal E of implicit dampers and springs and its rate of change with s.
  void implicit_diagonal(const Model& model, double s, VecX& E, VecX& by_s) const;

  // start_hit_tape.cpp
  void hit_at_start(const CollisionTrace& collision);

  // collision_tape.cpp
  void collide(const CollisionTrace& collision);
  struct Impulse {
    VecX from, to;  ///< velocities before and after
    int v = -1;     ///< row of the velocity before
    ForcesTrace forces;
    bool given = false;    ///< e times the normal forces before, no unknowns
    bool bounces = false;  ///< Newton's law
  };
  /// Rows of the velocity after, and of the forces.
  std::pair<int, int> add_impulse(const CollisionTrace& collision, const Impulse& impulse, int v_before,
                                  int forces_before);
  void add_friction(const RowsTrace& rows, const ContactMotion& motion, const ForcesTrace& forces, int out,
                    double scale);
  /// r₃ of redundant contacts that slip: −(S dJ y₁ + dW x); −1 when their shares have no effect. See ProximalInverse.
  struct Shares {
    const std::vector<RowsTrace>& rows;
    const std::vector<const PlacedContact*>& contacts;
    const std::vector<FrameDerivative>& frames;
    const std::vector<LimitRowTrace>& limits;
    const VecX& f;
    bool middle = false;
    int place = -1, v0 = -1, v_free = -1,
        s = -1;  ///< rows on the tape; s < 0: the mass matrix does not depend on it
    double length = 0;
  };
  int add_shares(const Shares& shares, ClassSolve& classes);
  /// The row of a limit, ± v of a coordinate, as a block of J.
  void add_limit_block(const LimitRowTrace& row, RowClass row_class, ClassSolve& classes) const;
  /// r₂ of the limits of a solve: they are contacts whose row does not move.
  void add_limit_rows(const SolveTrace& solve, const Solve& slots, const ForcesTrace& forces, int out,
                      ClassSolve& classes);
  /// Slip that is too slow to count ends at once: see stop_slip.
  void stop_slip(const SolveTrace& solve);
  /// ∂(M Δ)/∂q and M into the tree's jacobian, at the start or at the middle.
  void momentum_derivatives(GradientTree& tree, DynamicsWorkspace& work, const VecX& change);
  /// x_out += M x_in − ∂(M Δ)/∂q x_place − ∂(M Δ)/∂p, with what is added to the diagonal of M.
  void add_momentum(int out, int in, int place, std::size_t part, DynamicsWorkspace& work, const VecX& change,
                    const VecX& diagonal, ClassSolve& classes);
  /// M⁻¹ Jᵀ f at the start or at the middle.
  VecX velocity_change(const std::vector<RowsTrace>& rows, const std::vector<LimitRowTrace>& limits,
                       const VecX& f, const std::vector<const ContactMotion*>& motions,
                       const std::vector<VecX>& diagonals, bool middle);

  std::vector<GradientTree>& all_trees_;
  const CollisionModel& collision_;
  const StepTrace& step_;
  const IslandTrace& island_;
  std::vector<Part> parts_;
  std::vector<int> part_of_tree_;
  std::vector<Use> uses_;
  std::vector<RowTree> row_trees_start_, row_trees_middle_, row_trees_end_;

  // The sub-step at hand.
  const SubstepTrace* substep_ = nullptr;
  int q_ = 0, v_ = 0, left_ = 0;
  std::vector<Solve> solves_;
  std::vector<PlacedContact> start_contacts_;
  std::vector<char> placed_;
  VecX q_m_;
  std::vector<PlacedContact> moved_;  ///< per rows of a solve
};

}  // namespace jade
