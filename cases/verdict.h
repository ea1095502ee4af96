#pragma once

#include <string>
#include <vector>

namespace jade::cases {

/// What a tolerance covers. Three different things are never mixed in one number; rounding is the fourth, where
/// nothing else is left.
enum class Covers {
  discretisation,  ///< order of the scheme in the time step
  solver,          ///< residual of an iterative or inexact solver
  model_limit,     ///< the engine solves a different problem: a friction pyramid is not a cone
  rounding,        ///< the scheme is exact here
};
const char* name_of(Covers covers);

/// How far a measurement may be from the truth: absolute + relative × scale, where the scale is the size of what
/// is measured (given by each kind of expectation).
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  Covers covers = Covers::discretisation;
  std::string why;
};

enum class Verdict {
  pass,
  fail,            ///< a peer's is a finding, ours is a failure
  not_applicable,  ///< with reason
  engine_error,    ///< with reason
};
const char* name_of(Verdict verdict);

/// The worst of several: engine_error, then fail, then pass; not_applicable only when nothing else is there.
Verdict worst(const std::vector<Verdict>& verdicts);

/// One expectation held against one engine's recording.
struct Measurement {
  std::string expectation;  ///< `equals`, `conserves`, …
  std::string quantity;
  std::string unit;
  Verdict verdict = Verdict::not_applicable;
  std::string reason;    ///< of not_applicable and engine_error
  double error = 0;      ///< largest over the recording, in the unit of the quantity
  double tolerance = 0;  ///< the same unit, after the tolerance scale
  double margin =
      0;  ///< error / tolerance: below 1 passes; infinite when the tolerance is 0 and the error not
  double digits = 0;               ///< accurate digits: −log10(error / scale), between 0 and 17
  double at = 0;                   ///< time of the largest error
  double value = 0, expected = 0;  ///< there; norms for vectors
  Covers covers = Covers::discretisation;
  std::string why;

  /// For plots: what was measured, what it should be, and their distance.
  struct Series {
    std::vector<double> time, value, expected, error;
  } series;
};

/// Accurate digits of a result, as in comparisons with certified values: −log10 of the relative error.
double accurate_digits(double error, double scale);

/// Fills in tolerance, margin, digits and verdict from the error. `tolerance_scale` widens or narrows every
/// tolerance; 0 fails everything, so that every residual is shown.
void judge(Measurement& measurement, const Tolerance& tolerance, double scale, double tolerance_scale);

}  // namespace jade::cases
