#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "jade/model/parameter.h"
#include "jade/stepping/step.h"
#include "jade/stepping/step_trace.h"

namespace jade {

/// Whether a derivative is two-sided, and how far the nearest kink is.
struct Regularity {
  bool regular =
      true;  ///< false: one-sided (at a kink as far as rounding can tell), or there is no derivative
  bool exists = true;  ///< false: `why` says why; all numbers are zero then, never NaN
  /// Of the nearest class change, grazing hit or switch of an event, in the size of what decides it (0: at it).
  double distance = std::numeric_limits<double>::infinity();
  std::string
      why;  ///< the nearest kink and the side that was taken, for people; or why there is no derivative

  /// Of two things that are done one after the other.
  void merge(const Regularity& other);
  /// As nothing had been done, in the old memory.
  void clear();
};

/// (dq⁺; dv⁺) = state (dq; dv) + effort dτ + parameters dp, in tangent coordinates.
struct StepJacobian {
  MatX state;       ///< 2 nv × 2 nv
  MatX effort;      ///< 2 nv × nv
  MatX parameters;  ///< 2 nv × P, in the order asked for
  Regularity regularity;
};

/// A direction in what a step starts from, in tangent coordinates.
struct StepTangent {
  VecX q, v, effort, parameters;
};

/// How the end of a step moves along it.
struct StepPushforward {
  VecX q, v;
  Regularity regularity;
};

/// How a loss changes with the end of a step.
struct StepCotangent {
  VecX q, v;  ///< nv each: ∂L/∂q⁺ in tangent coordinates at q⁺, ∂L/∂v⁺
};

/// How it changes with what the step started from.
struct StepPullback {
  VecX q, v, effort, parameters;
  Regularity regularity;
};

/// Memory of the gradients of one model's steps: trees, shapes and matrices.
class GradientWorkspace {
 public:
  explicit GradientWorkspace(const Model& model);
  ~GradientWorkspace();
  GradientWorkspace(GradientWorkspace&&) noexcept;

  struct Data;
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// The exact derivative of `step` as it was taken: everything that was decided is held (which contacts are rows, their
/// classes, how often a segment was cut), everything that moves continuously is differentiated.
///   sub-step    impulses → segment (implicit, with its rows) → time of impact or end of slip → what is left of the step
/// Each of them is an implicit equation whose linearisation is solved once for all columns; see island_tape.h.
/// `trace` comes from a step of the same model. Throws InvalidInput for a parameter that the model does not have.
void step_jacobian(const Model& model, const StepTrace& trace, const std::vector<ParameterId>& parameters,
                   GradientWorkspace& workspace, StepJacobian& out);

/// The product with one direction: the same tape for a single column, no Jacobian is formed.
void step_jvp(const Model& model, const StepTrace& trace, const std::vector<ParameterId>& parameters,
              const StepTangent& tangent, GradientWorkspace& workspace, StepPushforward& out);

/// The derivative to the side that a direction points to. Where contacts touch without a load several smooth pieces meet, of
/// which the Jacobian is one, that on which all of them leave; no linear map is right on every piece, but along a direction there
/// is a derivative all the same: each of them touches or leaves as the direction has it. It is positively homogeneous and not
/// linear: that of −d is not the negative of that of d. Steps are chained as with any other derivative.
/// Its regularity is that of what else is at a kink; so are contacts that rest with friction, and do not slip. There, and away
/// from all kinks, it is the product with the Jacobian.
void step_along(const Model& model, const StepTrace& trace, const std::vector<ParameterId>& parameters,
                const StepTangent& tangent, GradientWorkspace& workspace, StepPushforward& out);

/// The transposed product: the same equations solved transposed, backwards through the step; no Jacobian is formed.
void step_vjp(const Model& model, const StepTrace& trace, const std::vector<ParameterId>& parameters,
              const StepCotangent& cotangent, GradientWorkspace& workspace, StepPullback& out);

}  // namespace jade
