#include "cases/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jade::cases {

const char* name_of(Covers covers) {
  switch (covers) {
    case Covers::discretisation:
      return "discretisation";
    case Covers::solver:
      return "solver";
    case Covers::model_limit:
      return "model limit";
    case Covers::rounding:
      break;
  }
  return "rounding";
}

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::not_applicable:
      return "not_applicable";
    case Verdict::engine_error:
      break;
  }
  return "engine_error";
}

Verdict worst(const std::vector<Verdict>& verdicts) {
  for (const Verdict v : {Verdict::engine_error, Verdict::fail, Verdict::pass}) {
    if (std::find(verdicts.begin(), verdicts.end(), v) != verdicts.end()) return v;
  }
  return Verdict::not_applicable;
}

double accurate_digits(double error, double scale) {
  constexpr double kMost = 17;  // a double holds no more
  if (!std::isfinite(error)) return 0;
  if (error == 0) return kMost;
  if (!(scale > 0)) return 0;
  return std::clamp(-std::log10(error / scale), 0.0, kMost);
}

void judge(Measurement& m, const Tolerance& tolerance, double scale, double tolerance_scale) {
  m.covers = tolerance.covers;
  m.why = tolerance.why;
  m.tolerance = tolerance_scale * (tolerance.absolute + tolerance.relative * scale);
  m.digits = accurate_digits(m.error, scale);
  if (!std::isfinite(m.error)) {
    m.verdict = Verdict::engine_error;
    m.margin = std::numeric_limits<double>::infinity();
    if (m.reason.empty()) m.reason = "the engine's numbers are not finite";
    return;
  }
  if (m.tolerance > 0) {
    m.margin = m.error / m.tolerance;
  } else {
    m.margin = m.error == 0 ? 0 : std::numeric_limits<double>::infinity();
  }
  m.verdict = tolerance_scale > 0 && m.error <= m.tolerance ? Verdict::pass : Verdict::fail;
}

}  // namespace jade::cases
