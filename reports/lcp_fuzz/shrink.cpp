#include "lcp_fuzz/shrink.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

namespace jade::reports {
namespace {

LcpProblem without_factors(LcpProblem problem) {
  problem.factors.reset();
  return problem;
}

/// The problem on a part of its rows, in ascending order; tangents must come with their normal.
LcpProblem with_rows(const LcpProblem& problem, const std::vector<int>& kept) {
  std::vector<int> place(problem.size(), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) place[kept[i]] = static_cast<int>(i);
  std::vector<LcpRow> rows;
  for (const int i : kept) {
    rows.push_back(problem.rows[i]);
    if (rows.back().kind == RowKind::tangent) rows.back().normal = place[rows.back().normal];
  }
  if (problem.factors) {
    const ContactFactors& all = *problem.factors;
    return make_contact_problem({all.J(kept, Eigen::all), all.inverse_mass, all.u, all.bias(kept)},
                                std::move(rows));
  }
  LcpProblem part;
  part.A = problem.A(kept, kept);
  part.b = problem.b(kept);
  if (problem.beta.size() > 0) part.beta = problem.beta(kept);
  part.rows = std::move(rows);
  return part;
}

/// The problem with some columns of J gone: what they moved is held still.
LcpProblem with_columns(const LcpProblem& problem, const std::vector<int>& kept) {
  const ContactFactors& all = *problem.factors;
  return make_contact_problem({all.J(Eigen::all, kept), all.inverse_mass(kept, kept), all.u(kept), all.bias},
                              problem.rows);
}

double rounded(double x, int digits) {
  if (x == 0) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) + 1 - digits);
  return std::round(x / unit) * unit;
}

class Shrinker {
 public:
  Shrinker(const LcpProblem& problem, const std::function<bool(const LcpProblem&)>& fails, int tries)
      : smallest_(problem), fails_(fails), tries_(tries) {}

  LcpProblem run() {
    for (bool smaller = true; smaller && tries_ > 0;) {
      smaller = drop_contacts();
      smaller = drop_bodies() || smaller;
    }
    round_numbers();
    return without_factors(smallest_);
  }

 private:
  bool try_instead(LcpProblem candidate) {
    if (tries_ <= 0 || !check_problem(candidate).empty()) return false;
    --tries_;
    if (!fails_(without_factors(candidate))) return false;
    smallest_ = std::move(candidate);
    return true;
  }

  /// A normal with its tangents, or a limit: the rows that go together, by their first one.
  std::vector<std::vector<int>> units() const {
    std::vector<std::vector<int>> units;
    for (int i = 0; i < smallest_.size(); ++i) {
      if (smallest_.rows[i].kind == RowKind::tangent) continue;
      units.push_back({i});
      for (int j = 0; j < smallest_.size(); ++j) {
        if (smallest_.rows[j].kind == RowKind::tangent && smallest_.rows[j].normal == i)
          units.back().push_back(j);
      }
    }
    return units;
  }

  /// Half of the contacts at a time, then a quarter, … then one.
  bool drop_contacts() {
    bool smaller = false;
    for (std::size_t chunk = std::max<std::size_t>(1, units().size() / 2); chunk > 0; chunk /= 2) {
      for (std::size_t begin = 0;;) {
        const auto all = units();
        if (begin >= all.size() || all.size() <= 1) break;
        std::vector<int> kept;
        for (std::size_t u = 0; u < all.size(); ++u) {
          if (u < begin || u >= begin + chunk) kept.insert(kept.end(), all[u].begin(), all[u].end());
        }
        std::ranges::sort(kept);
        if (!kept.empty() && try_instead(with_rows(smallest_, kept))) {
          smaller = true;
        } else {
          begin += chunk;
        }
      }
    }
    return smaller;
  }

  /// Bodies have six columns; where that cannot be, one column at a time.
  bool drop_bodies() {
    if (!smallest_.factors) return false;
    bool smaller = false;
    for (int begin = 0;;) {
      const int columns = static_cast<int>(smallest_.factors->u.size());
      const int block = columns % 6 == 0 ? 6 : 1;
      if (begin >= columns || columns <= block) break;
      std::vector<int> kept;
      for (int j = 0; j < columns; ++j) {
        if (j < begin || j >= begin + block) kept.push_back(j);
      }
      if (try_instead(with_columns(smallest_, kept))) {
        smaller = true;
      } else {
        begin += block;
      }
    }
    return smaller;
  }

  /// As few digits as each kind of number can do with.
  void round_numbers() {
    const auto round_rows = [](LcpProblem& p, int digits) {
      for (LcpRow& row : p.rows) row.mu = rounded(row.mu, digits);
    };
    fewest_digits(round_rows);
    if (!smallest_.factors) {
      fewest_digits([](LcpProblem& p, int digits) {
        for (double& x : p.b) x = rounded(x, digits);
      });
      return;
    }
    const auto round_all = [](auto&& values, int digits) {
      for (double& x : values.reshaped()) x = rounded(x, digits);
    };
    fewest_digits([&](LcpProblem& p, int digits) { round_all(p.factors->u, digits); });
    fewest_digits([&](LcpProblem& p, int digits) { round_all(p.factors->bias, digits); });
    fewest_digits([&](LcpProblem& p, int digits) { round_all(p.factors->J, digits); });
    fewest_digits([&](LcpProblem& p, int digits) { round_all(p.factors->inverse_mass, digits); });
  }

  template <class Round>
  void fewest_digits(Round&& round) {
    for (const int digits : {1, 2, 3, 4, 6, 9}) {
      LcpProblem candidate = smallest_;
      round(candidate, digits);
      if (candidate.factors) {
        // Rounding must not make the masses negative: that would be another kind of problem.
        if (candidate.factors->inverse_mass.llt().info() != Eigen::Success) continue;
        candidate = make_contact_problem(std::move(*candidate.factors), candidate.rows);
      }
      if (try_instead(std::move(candidate))) return;
    }
  }

  LcpProblem smallest_;
  const std::function<bool(const LcpProblem&)>& fails_;
  int tries_;
};

}  // namespace

std::optional<LcpProblem> shrink(const LcpProblem& problem,
                                 const std::function<bool(const LcpProblem&)>& fails, int tries) {
  if (!fails(without_factors(problem))) return std::nullopt;
  return Shrinker(problem, fails, tries).run();
}

}  // namespace jade::reports
