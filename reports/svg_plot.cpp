#include "reports/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "reports/junit.h"

namespace jade::reports {
namespace {

constexpr double kWidth = 540, kHeight = 240;
constexpr double kLeft = 62, kRight = 12, kTop = 26, kBottom = 38;
constexpr int kMostPoints = 260;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void take(double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bool empty() const { return !(low <= high); }
};

/// Lines that coincide must all be seen, so of three in a row the first is thin and lies on top of the wider others.
constexpr std::array<double, 3> kStrokes{1.5, 3, 4.5};
constexpr double kDashedStroke = 1.4;

/// Where data land on the picture.
struct Axes {
  Range x, y;
  /// Decades kept free below a logarithmic plot that has values of 0, which are drawn at its lower edge.
  double zero_band = 0;
  double at_x(double v) const { return kLeft + (v - x.low) / (x.high - x.low) * (kWidth - kLeft - kRight); }
  double at_y(double v) const {
    return kHeight - kBottom - (v - y.low) / (y.high - y.low) * (kHeight - kTop - kBottom);
  }
};

/// Zero on a logarithmic plot is −∞.
double shown(const Plot& plot, double y) { return plot.logarithmic ? std::log10(std::abs(y)) : y; }

Axes axes_of(const Plot& plot) {
  Axes axes;
  bool zeros = false;
  for (const PlotLine& line : plot.lines) {
    for (const double x : line.x) axes.x.take(x);
    for (const double y : line.y) axes.y.take(shown(plot, y));
    zeros |= std::ranges::count(line.y, 0.0) > 0;
  }
  if (axes.x.empty()) axes.x = {0, 1};
  if (axes.y.empty()) axes.y = plot.logarithmic ? Range{-17, -16} : Range{0, 1};
  if (axes.x.low == axes.x.high) axes.x.high = axes.x.low + 1;
  if (plot.logarithmic) {
    axes.y = {std::floor(axes.y.low), std::max(std::ceil(axes.y.high), std::floor(axes.y.low) + 1)};
    if (zeros) axes.zero_band = std::ceil((axes.y.high - axes.y.low) / 6);
    axes.y.low -= axes.zero_band;
  } else {
    // A flat line is drawn in the middle, and noise of rounding is not blown up to fill the picture.
    const double least = 1e-9 * std::max({std::abs(axes.y.low), std::abs(axes.y.high), 1e-12});
    const double pad = std::max(0.06 * (axes.y.high - axes.y.low), least);
    axes.y = {axes.y.low - pad, axes.y.high + pad};
  }
  return axes;
}

/// The points of a line that are drawn. Of many neighbours a logarithmic plot shows the largest and any other the least
/// and the largest, so that no peak is lost.
std::vector<std::size_t> points_of(const Plot& plot, const PlotLine& line) {
  const std::size_t n = std::min(line.x.size(), line.y.size());
  const std::size_t bucket = std::max<std::size_t>(1, (n + kMostPoints - 1) / kMostPoints);
  std::vector<std::size_t> picks;
  for (std::size_t i = 0; i < n; i += bucket) {
    std::size_t least = i, largest = i;
    for (std::size_t j = i; j < std::min(i + bucket, n); ++j) {
      const auto size = [&](std::size_t k) { return plot.logarithmic ? std::abs(line.y[k]) : line.y[k]; };
      // Written so that a number takes the place of what is none.
      if (!(size(j) <= size(largest))) largest = j;
      if (!(size(j) >= size(least))) least = j;
    }
    if (plot.logarithmic) least = largest;
    picks.push_back(std::min(least, largest));
    if (least != largest) picks.push_back(std::max(least, largest));
  }
  return picks;
}

std::string polyline(const Plot& plot, const PlotLine& line, const Axes& axes, double stroke) {
  std::string path;
  bool pen_down = false;
  for (const std::size_t pick : points_of(plot, line)) {
    double y = shown(plot, line.y[pick]);
    if (plot.logarithmic && line.y[pick] == 0) y = axes.y.low;
    if (!std::isfinite(y) || !std::isfinite(line.x[pick])) {
      pen_down = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", axes.at_x(line.x[pick]), axes.at_y(y));
    pen_down = true;
  }
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}/>", path, line.color,
                     stroke, line.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

/// The widest first; dashed lines, which are the truth, over all others.
std::string polylines(const Plot& plot, const Axes& axes) {
  std::array<std::string, kStrokes.size()> layers;
  std::string dashed;
  std::size_t solid = 0;
  for (const PlotLine& line : plot.lines) {
    const std::size_t layer = solid % kStrokes.size();
    if (line.dashed) {
      dashed += polyline(plot, line, axes, kDashedStroke);
    } else {
      layers[layer] += polyline(plot, line, axes, kStrokes[layer]);
      ++solid;
    }
  }
  std::string out;
  for (std::size_t layer = layers.size(); layer-- > 0;) out += layers[layer];
  return out + dashed;
}

struct Tick {
  double at;
  std::string text;
};

/// Powers of ten, and 0 at the lower edge where there are such values.
std::vector<Tick> logarithmic_ticks(const Axes& axes) {
  const double first = axes.y.low + axes.zero_band;
  std::vector<Tick> ticks;
  if (axes.zero_band > 0) ticks.push_back({axes.y.low, "0"});
  const int decades = static_cast<int>(axes.y.high - first), every = std::max(1, (decades + 4) / 5);
  for (int d = 0; d <= decades; d += every)
    ticks.push_back({first + d, fmt::format("1e{}", static_cast<int>(std::lround(first + d)))});
  return ticks;
}

/// With as many digits as it takes to tell neighbours apart.
std::vector<Tick> linear_ticks(const Range& range, int count) {
  const std::vector<double> values = round_ticks(range.low, range.high, count);
  const double step = values.size() > 1 ? values[1] - values[0] : range.high - range.low;
  const double largest = std::max({std::abs(range.low), std::abs(range.high), step});
  const int digits = std::clamp(2 + static_cast<int>(std::ceil(std::log10(largest / step))), 4, 15);
  std::vector<Tick> ticks;
  for (const double v : values)
    ticks.push_back({v, fmt::format("{:.{}g}", std::abs(v) < 1e-6 * step ? 0.0 : v, digits)});
  return ticks;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
  const double raw = (high - low) / std::max(count, 1);
  if (!(raw > 0) || !std::isfinite(raw)) return {low};
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  for (double k = std::ceil(low / step); k * step <= high + 1e-9 * step && ticks.size() < 50; ++k)
    ticks.push_back(k * step);
  return ticks;
}

std::string svg(const Plot& plot) {
  const Axes axes = axes_of(plot);
  const double right = kWidth - kRight, bottom = kHeight - kBottom;
  std::string out = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">", kWidth, kHeight,
                                escaped(plot.title));
  out += fmt::format("<text x=\"{}\" y=\"15\" class=\"plot-title\">{}</text>", kLeft, escaped(plot.title));
  // Grid and numbers.
  for (const Tick& tick : plot.logarithmic ? logarithmic_ticks(axes) : linear_ticks(axes.y, 4)) {
    const double y = axes.at_y(tick.at);
    out += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft, right,
                       y, y);
    out += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 6,
                       y + 3.5, tick.text);
  }
  for (const Tick& tick : linear_ticks(axes.x, 6)) {
    out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                       axes.at_x(tick.at), bottom + 15, tick.text);
  }
  out += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", kLeft, kTop,
                     right - kLeft, bottom - kTop);
  out += fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", right,
                     kHeight - 6, escaped(plot.x_label));
  out += fmt::format("<text class=\"label\" x=\"{}\" y=\"15\" text-anchor=\"end\">{}</text>", right,
                     escaped(plot.y_label));
  return out + polylines(plot, axes) + "</svg>";
}

}  // namespace jade::reports
