#pragma once

#include <string>
#include <vector>

namespace jade::reports {

/// One line in a plot.
struct PlotLine {
  std::string label;
  std::string color;  ///< CSS
  bool dashed = false;
  std::vector<double> x, y;  ///< not-finite points break the line
};

struct Plot {
  std::string title, x_label, y_label;
  bool logarithmic = false;  ///< y in powers of ten; values of 0 have the lower edge to themselves
  std::vector<PlotLine> lines;
};

/// A self-contained SVG element that fits its column; colours of axes and text come from CSS variables.
std::string svg(const Plot& plot);

/// Steps of 1, 2 or 5 × 10ⁿ that cut [low, high] into about `count` parts.
std::vector<double> round_ticks(double low, double high, int count);

}  // namespace jade::reports
