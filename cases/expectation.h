#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cases/quantity.h"
#include "cases/verdict.h"
#include "reference/recording.h"

namespace jade::cases {

/// What an expectation is held against: recordings of one engine, the first at the case's time step h, then at
/// h/2 and h/4 when something asks for convergence. Frames of all of them are at the same times.
struct Evidence {
  const Mechanism& mechanism;
  const std::vector<reference::Recording>& levels;
};

/// Something a case claims, measurable on any engine. Its tolerance is that of the second-order default unless
/// another is given for the scheme with which an engine advances.
class Expectation {
 public:
  /// Writes error and series into the measurement and returns the scale that relative tolerances refer to.
  using Measure = std::function<double(const Evidence&, reference::Scheme, Measurement&)>;

  Expectation(std::string kind, Quantity quantity, Tolerance tolerance, Measure measure);

  /// A tolerance of its own for engines that advance by this scheme.
  Expectation on(reference::Scheme scheme, Tolerance tolerance) &&;
  /// The same for both first-order schemes: explicit and semi-implicit Euler.
  Expectation at_first_order(Tolerance tolerance) &&;
  /// Not asked of this scheme, and why.
  Expectation not_for(reference::Scheme scheme, std::string reason) &&;
  /// Whether h/2 and h/4 are needed.
  Expectation refined() &&;

  bool needs_refinement() const { return refined_; }
  const std::string& kind() const { return kind_; }
  const Quantity& quantity() const { return quantity_; }
  const Tolerance& tolerance(reference::Scheme scheme) const;
  /// Empty: it is asked.
  std::string reason_not_for(reference::Scheme scheme) const;

  /// Never throws for what an engine recorded.
  Measurement hold_against(const Evidence& evidence, double tolerance_scale) const;

 private:
  std::string kind_;
  Quantity quantity_;
  Tolerance tolerance_;
  Measure measure_;
  std::map<reference::Scheme, Tolerance> for_scheme_;
  std::map<reference::Scheme, std::string> not_for_;
  bool refined_ = false;
};

/// A closed form: what a quantity is at time t. A number, or a vector of them.
struct ClosedForm {
  ClosedForm(double constant) : at([=](double) { return VecX::Constant(1, constant); }) {}  // NOLINT
  template <std::invocable<double> Function>
  ClosedForm(Function f) : at([f = std::move(f)](double t) { return as_vector(f(t)); }) {}  // NOLINT
  std::function<VecX(double)> at;

 private:
  static VecX as_vector(double x) { return VecX::Constant(1, x); }
  static VecX as_vector(const Vec3& x) { return x; }
};

/// The quantity equals the closed form at every frame. Scale: the closed form's largest size.
Expectation equals(const Quantity& quantity, const ClosedForm& exact, Tolerance tolerance);

/// The same at the last frame alone. Scale: the size of what is expected there.
Expectation ends_at(const Quantity& quantity, const ClosedForm& exact, Tolerance tolerance);

/// The quantity keeps its initial value. Scale: `scale`, or the size of the initial value when 0 is given.
/// Energies need a scale of their own: their zero is a convention.
Expectation conserves(const Quantity& quantity, Tolerance tolerance, double scale = 0);

/// The quantity never rises above the lowest value it has had. Scale: size of the initial value.
Expectation never_increases(const Quantity& quantity, Tolerance tolerance);

/// The quantity stays above the bound. Scale: size of the bound.
Expectation stays_above(const Quantity& quantity, double bound, Tolerance tolerance);

/// No two shapes overlap in any frame, as the independent judge sees it. A peer's error is its depth of penetration.
Expectation never_intersects();

/// Mean time between upward crossings of zero equals the period. The crossings are found by cubic interpolation
/// of four frames, whose own error is of fourth order in the time between frames. Scale: the period.
Expectation period_equals(const Quantity& quantity, double period, Tolerance tolerance);

/// Error against the closed form (largest over the run) shrinks with the order of the engine's scheme (first for
/// both Euler schemes, second otherwise), seen between h/2 and h/4: the order itself is measured, and may exceed
/// the expected one but not fall short of it by more than the tolerance. Below `floor` errors are rounding and
/// no order can be seen: that passes.
struct Convergence {
  double floor = 0;
};
Expectation converges_at_order_of_scheme(const Quantity& quantity, const ClosedForm& exact,
                                         Tolerance tolerance, Convergence convergence);
/// The same for a quantity that should keep its initial value.
Expectation drift_converges_at_order_of_scheme(const Quantity& quantity, Tolerance tolerance,
                                               Convergence convergence);

int order_of(reference::Scheme scheme);

}  // namespace jade::cases
