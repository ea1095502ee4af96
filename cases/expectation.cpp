#include "cases/expectation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace jade::cases {
namespace {

using reference::Frame;
using reference::Recording;
using reference::Scheme;

/// A number for plots and tables: the value itself, or the size of a vector.
double size_of(const VecX& x) { return x.size() == 1 ? x[0] : x.norm(); }

/// Walks over a recording; `exact(frame, value)` is what the value should have been, `miss` how far it is off.
/// Leaves series and the largest error in the measurement.
template <class Exact, class Miss>
void compare(const Evidence& evidence, const Recording& recording, const Quantity& quantity,
             const Exact& exact, const Miss& miss, Measurement& m) {
  m.error = 0;
  bool first = true;
  for (const Frame& frame : recording.frames) {
    const VecX value = quantity.value(evidence.mechanism, frame);
    const VecX expected = exact(frame, value);
    const double error = miss(value, expected);
    m.series.time.push_back(frame.time);
    m.series.value.push_back(size_of(value));
    m.series.expected.push_back(size_of(expected));
    m.series.error.push_back(error);
    if (first || !(error <= m.error)) {
      m.error = error;
      m.at = frame.time;
      m.value = size_of(value);
      m.expected = size_of(expected);
    }
    first = false;
    if (!std::isfinite(error)) {
      m.reason = fmt::format("{} is not finite at t = {:.6g} s", quantity.name, frame.time);
      return;
    }
  }
}

double distance(const VecX& a, const VecX& b) { return (a - b).norm(); }

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

/// Times of upward crossings of zero: the root of the cubic through the four frames around each, by bisection.
std::vector<double> upward_crossings(const std::vector<double>& t, const std::vector<double>& x) {
  std::vector<double> crossings;
  for (std::size_t i = 1; i + 2 < t.size(); ++i) {
    if (!(x[i] < 0 && x[i + 1] >= 0)) continue;
    const auto cubic = [&](double s) {
      double sum = 0;
      for (std::size_t j = i - 1; j <= i + 2; ++j) {
        double weight = x[j];
        for (std::size_t k = i - 1; k <= i + 2; ++k) {
          if (k != j) weight *= (s - t[k]) / (t[j] - t[k]);
        }
        sum += weight;
      }
      return sum;
    };
    double low = t[i], high = t[i + 1];
    for (int n = 0; n < 60; ++n) {
      const double middle = (low + high) / 2;
      (cubic(middle) < 0 ? low : high) = middle;
    }
    crossings.push_back((low + high) / 2);
  }
  return crossings;
}

using ExactAtFrame = std::function<VecX(const Recording&, const Frame&, const Mechanism&)>;

Expectation convergence(const Quantity& quantity, Tolerance tolerance, Convergence settings,
                        ExactAtFrame exact) {
  const auto measure = [=](const Evidence& evidence, Scheme scheme, Measurement& m) {
    // Errors on h, h/2 and h/4; the plots show them over the time step.
    std::vector<double> errors;
    for (const Recording& level : evidence.levels) {
      Measurement at_level;
      compare(
          evidence, level, quantity,
          [&](const Frame& f, const VecX&) { return exact(level, f, evidence.mechanism); }, distance,
          at_level);
      errors.push_back(at_level.error);
      if (errors.size() == 1) m.series = at_level.series;
    }
    m.unit = "order";
    m.expected = order_of(scheme);
    m.at = 0;
    if (std::any_of(errors.begin(), errors.end(), [](double e) { return !std::isfinite(e); })) {
      m.error = std::numeric_limits<double>::quiet_NaN();
      return 1.0;
    }
    m.reason = fmt::format("errors {:.3g}, {:.3g}, {:.3g} at h, h/2, h/4", errors[0], errors[1], errors[2]);
    if (*std::max_element(errors.begin(), errors.end()) <= settings.floor) {
      m.reason += ": all rounding, exact";
      m.value = m.expected;
      m.error = 0;
      return 1.0;
    }
    m.value = std::log2(errors[1] / errors[2]);
    m.error = std::max(0.0, m.expected - m.value);
    return 1.0;
  };
  return Expectation("converges at the order of its scheme", quantity, std::move(tolerance), measure)
      .refined();
}

}  // namespace

int order_of(Scheme scheme) {
  return scheme == Scheme::explicit_euler || scheme == Scheme::semi_implicit_euler ? 1 : 2;
}

Expectation::Expectation(std::string kind, Quantity quantity, Tolerance tolerance, Measure measure)
    : kind_(std::move(kind)),
      quantity_(std::move(quantity)),
      tolerance_(std::move(tolerance)),
      measure_(std::move(measure)) {}

Expectation Expectation::on(Scheme scheme, Tolerance tolerance) && {
  for_scheme_[scheme] = std::move(tolerance);
  return std::move(*this);
}

Expectation Expectation::at_first_order(Tolerance tolerance) && {
  for_scheme_[Scheme::explicit_euler] = tolerance;
  for_scheme_[Scheme::semi_implicit_euler] = std::move(tolerance);
  return std::move(*this);
}

Expectation Expectation::not_for(Scheme scheme, std::string reason) && {
  not_for_[scheme] = std::move(reason);
  return std::move(*this);
}

Expectation Expectation::refined() && {
  refined_ = true;
  return std::move(*this);
}

const Tolerance& Expectation::tolerance(Scheme scheme) const {
  const auto found = for_scheme_.find(scheme);
  return found == for_scheme_.end() ? tolerance_ : found->second;
}

std::string Expectation::reason_not_for(Scheme scheme) const {
  const auto found = not_for_.find(scheme);
  return found == not_for_.end() ? "" : found->second;
}

Measurement Expectation::hold_against(const Evidence& evidence, double tolerance_scale) const {
  Measurement m;
  m.expectation = kind_;
  m.quantity = quantity_.name;
  m.unit = quantity_.unit;
  const Scheme scheme = evidence.levels.front().info.scheme;
  m.reason = reason_not_for(scheme);
  if (!m.reason.empty()) return m;
  const double scale = measure_(evidence, scheme, m);
  judge(m, tolerance(scheme), scale, tolerance_scale);
  return m;
}

Expectation equals(const Quantity& quantity, const ClosedForm& exact, Tolerance tolerance) {
  const auto measure = [=](const Evidence& evidence, Scheme, Measurement& m) {
    compare(
        evidence, evidence.levels[0], quantity, [&](const Frame& f, const VecX&) { return exact.at(f.time); },
        distance, m);
    const double scale = largest(m.series.expected);
    return scale > 0 ? scale : 1.0;
  };
  return {"equals the closed form", quantity, std::move(tolerance), measure};
}

Expectation ends_at(const Quantity& quantity, const ClosedForm& exact, Tolerance tolerance) {
  const auto measure = [=](const Evidence& evidence, Scheme, Measurement& m) {
    compare(
        evidence, evidence.levels[0], quantity, [](const Frame&, const VecX& value) { return value; },
        distance, m);
    if (!std::isfinite(m.error)) return 1.0;
    const Frame& last = evidence.levels[0].frames.back();
    const VecX value = quantity.value(evidence.mechanism, last), expected = exact.at(last.time);
    m.at = last.time;
    m.value = size_of(value);
    m.expected = size_of(expected);
    m.error = distance(value, expected);
    m.series.expected.clear();
    m.series.error.clear();
    return expected.norm() > 0 ? expected.norm() : 1.0;
  };
  return {"ends at the closed form", quantity, std::move(tolerance), measure};
}

Expectation conserves(const Quantity& quantity, Tolerance tolerance, double scale) {
  const auto measure = [=](const Evidence& evidence, Scheme, Measurement& m) {
    const VecX initial = quantity.value(evidence.mechanism, evidence.levels[0].frames[0]);
    compare(
        evidence, evidence.levels[0], quantity, [&](const Frame&, const VecX&) { return initial; }, distance,
        m);
    return scale > 0 ? scale : initial.norm();
  };
  return {"is conserved", quantity, std::move(tolerance), measure};
}

Expectation never_increases(const Quantity& quantity, Tolerance tolerance) {
  const auto measure = [=](const Evidence& evidence, Scheme, Measurement& m) {
    VecX lowest = quantity.value(evidence.mechanism, evidence.levels[0].frames[0]);
    const double scale = std::abs(lowest[0]);
    compare(
        evidence, evidence.levels[0], quantity,
        [&](const Frame&, const VecX& value) {
          const VecX before = lowest;
          if (value[0] < lowest[0]) lowest = value;
          return before;
        },
        [](const VecX& value, const VecX& before) {
          const double rise = value[0] - before[0];
          return rise < 0 ? 0.0 : rise;  // NaN stays NaN
        },
        m);
    return scale;
  };
  return {"never increases", quantity, std::move(tolerance), measure};
}

Expectation stays_above(const Quantity& quantity, double bound, Tolerance tolerance) {
  const auto measure = [=](const Evidence& evidence, Scheme, Measurement& m) {
    compare(
        evidence, evidence.levels[0], quantity,
        [&](const Frame&, const VecX&) { return VecX::Constant(1, bound); },
        [](const VecX& value, const VecX& limit) {
          const double below = limit[0] - value[0];
          return below < 0 ? 0.0 : below;
        },
        m);
    return std::abs(bound);
  };
  return {"stays above", quantity, std::move(tolerance), measure};
}

Expectation never_intersects() {
  return stays_above(clearance(), 0,
                     {.absolute = 1e-9,
                      .covers = Covers::rounding,
                      .why = "a nanometre: poses of metres are rounded a million times finer"});
}

Expectation period_equals(const Quantity& quantity, double period, Tolerance tolerance) {
  const auto measure = [=](const Evidence& evidence, Scheme, Measurement& m) {
    compare(
        evidence, evidence.levels[0], quantity, [](const Frame&, const VecX& value) { return value; },
        distance, m);
    m.unit.assign(1, 's');
    m.expected = period;
    m.at = evidence.levels[0].frames.back().time;
    const bool finite = std::isfinite(m.error);
    m.error = std::numeric_limits<double>::quiet_NaN();
    if (!finite) return period;
    const std::vector<double> crossings = upward_crossings(m.series.time, m.series.value);
    if (crossings.size() < 2) {
      m.value = 0;
      m.error = period;
      m.reason = fmt::format("{} upward crossings: no period to be seen", crossings.size());
      return period;
    }
    m.value = (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
    m.error = std::abs(m.value - period);
    m.series.expected.clear();
    m.series.error.clear();
    return period;
  };
  return {"has the period", quantity, std::move(tolerance), measure};
}

Expectation converges_at_order_of_scheme(const Quantity& quantity, const ClosedForm& exact,
                                         Tolerance tolerance, Convergence settings) {
  return convergence(
      quantity, std::move(tolerance), settings,
      [exact](const Recording&, const Frame& f, const Mechanism&) { return exact.at(f.time); });
}

Expectation drift_converges_at_order_of_scheme(const Quantity& quantity, Tolerance tolerance,
                                               Convergence settings) {
  return convergence(quantity, std::move(tolerance), settings,
                     [quantity](const Recording& recording, const Frame&, const Mechanism& mechanism) {
                       return quantity.value(mechanism, recording.frames[0]);
                     });
}

}  // namespace jade::cases
