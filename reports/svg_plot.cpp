#include "reports/svg_plot.h"

#include <algorithm>
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

/// Where data land on the picture.
struct Axes {
  Range x, y;
  double at_x(double v) const { return kLeft + (v - x.low) / (x.high - x.low) * (kWidth - kLeft - kRight); }
  double at_y(double v) const {
    return kHeight - kBottom - (v - y.low) / (y.high - y.low) * (kHeight - kTop - kBottom);
  }
};

/// Zero on a logarithmic plot is −∞, drawn at the lower edge.
double shown(const Plot& plot, double y) { return plot.logarithmic ? std::log10(std::abs(y)) : y; }

Axes axes_of(const Plot& plot) {
  Axes axes;
  for (const PlotLine& line : plot.lines) {
    for (const double x : line.x) axes.x.take(x);
    for (const double y : line.y) axes.y.take(shown(plot, y));
  }
  if (axes.x.empty()) axes.x = {0, 1};
  if (axes.y.empty()) axes.y = plot.logarithmic ? Range{-17, -16} : Range{0, 1};
  if (axes.x.low == axes.x.high) axes.x.high = axes.x.low + 1;
  if (plot.logarithmic) {
    axes.y = {std::floor(axes.y.low), std::max(std::ceil(axes.y.high), std::floor(axes.y.low) + 1)};
  } else {
    // A flat line is drawn in the middle, and noise of rounding is not blown up to fill the picture.
    const double least = 1e-9 * std::max({std::abs(axes.y.low), std::abs(axes.y.high), 1e-12});
    const double pad = std::max(0.06 * (axes.y.high - axes.y.low), least);
    axes.y = {axes.y.low - pad, axes.y.high + pad};
  }
  return axes;
}

std::string polyline(const Plot& plot, const PlotLine& line, const Axes& axes) {
  std::string path;
  const std::size_t n = std::min(line.x.size(), line.y.size());
  const std::size_t bucket = std::max<std::size_t>(1, (n + kMostPoints - 1) / kMostPoints);
  bool pen_down = false;
  for (std::size_t i = 0; i < n; i += bucket) {
    // Of each bucket a logarithmic plot shows the largest value, so that no peak is lost; others the first.
    std::size_t pick = i;
    for (std::size_t j = i; plot.logarithmic && j < std::min(i + bucket, n); ++j) {
      if (!(std::abs(line.y[j]) <= std::abs(line.y[pick]))) pick = j;
    }
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
                     line.dashed ? 1.4 : 1.8, line.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

std::string tick_text(const Plot& plot, double v) {
  if (plot.logarithmic) return fmt::format("1e{}", static_cast<int>(std::lround(v)));
  return fmt::format("{:.4g}", std::abs(v) < 1e-14 ? 0.0 : v);
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
  std::vector<double> ticks;
  if (plot.logarithmic) {
    const int decades = static_cast<int>(axes.y.high - axes.y.low), every = std::max(1, (decades + 4) / 5);
    for (int d = 0; d <= decades; d += every) ticks.push_back(axes.y.low + d);
  } else {
    ticks = round_ticks(axes.y.low, axes.y.high, 4);
  }
  for (const double v : ticks) {
    const double y = axes.at_y(v);
    out += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft, right,
                       y, y);
    out += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 6,
                       y + 3.5, tick_text(plot, v));
  }
  for (const double v : round_ticks(axes.x.low, axes.x.high, 6)) {
    out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.4g}</text>",
                       axes.at_x(v), bottom + 15, v);
  }
  out += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", kLeft, kTop,
                     right - kLeft, bottom - kTop);
  out += fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>", right,
                     kHeight - 6, escaped(plot.x_label));
  out += fmt::format("<text class=\"label\" x=\"{}\" y=\"15\" text-anchor=\"end\">{}</text>", right,
                     escaped(plot.y_label));
  for (const PlotLine& line : plot.lines) out += polyline(plot, line, axes);
  return out + "</svg>";
}

}  // namespace jade::reports
