#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "jade/lcp/contact_methods.h"

namespace jade::lcp {
namespace {

/// Best-first search over class assignments, from the one that the line search reached when it began to loop
/// (Jade, "Theoretical Issue": "apply ergodic search from the initial try when loop is detected"). A node is an
/// assignment; its equations give forces and velocities; its children put one violated row into the class that the
/// violation points to. Nodes with few violations come first. The paper gives no bound; this one stops.
class ErgodicSearch {
 public:
  ErgodicSearch(const ContactIsland& island, IslandWorkspace& workspace, IslandState& state)
      : s_(island), w_(workspace), state_(state) {}

  bool run(double tolerance, int max_solves, int& solves) {
    push(state_.classes, 0);
    while (!open_.empty() && solves < max_solves) {
      const Node node = *open_.begin();
      open_.erase(open_.begin());
      state_.classes = node.classes;
      ++solves;
      if (!w_.equations.factor(s_, state_.classes, 1e-6)) continue;
      polish(s_, w_.equations, w_.scratch, state_);
      if (state_.residual <= tolerance) return true;
      expand();
    }
    return false;
  }

 private:
  struct Node {
    int violations;
    std::uint64_t order;  ///< first come, first served among equals: keeps the search deterministic
    std::vector<RowClass> classes;
    bool operator<(const Node& o) const {
      return violations != o.violations ? violations < o.violations : order < o.order;
    }
  };

  void push(const std::vector<RowClass>& classes, int violations) {
    if (seen_.insert(classes).second) open_.insert({violations, order_++, classes});
  }

  /// The class a row is pushed into by its own violation; its present class if there is none.
  RowClass wanted(int i) const {
    const RowClass c = state_.classes[i];
    const double slack = 1e-12 * state_.sigma[i];
    const double f = s_.diagonal[i] * state_.f[i], v = state_.v[i];
    const double bound = s_.diagonal[i] * s_.mu[i] * state_.f[s_.normal[i]];
    switch (c) {
      case RowClass::clamped:
        return f < -slack ? RowClass::separate : c;
      case RowClass::separate:
        return i < s_.m && v < -slack ? RowClass::clamped : c;
      case RowClass::stick:
        return f > bound + slack ? RowClass::high : f < -bound - slack ? RowClass::low : c;
      case RowClass::high:
        return v > slack ? RowClass::stick : c;
      case RowClass::low:
        return v < -slack ? RowClass::stick : c;
      default:
        return c;
    }
  }

  void expand() {
    std::vector<int> violated;
    for (int i = 0; i < s_.n; ++i) {
      if (wanted(i) != state_.classes[i]) violated.push_back(i);
    }
    for (const int i : violated) {
      std::vector<RowClass> child = state_.classes;
      child[i] = wanted(i);
      if (i < s_.m) {
        for (int t = s_.tangent_begin[i]; t < s_.tangent_begin[i + 1]; ++t) {
          child[t] = child[i] == RowClass::separate ? RowClass::separate
                     : state_.v[t] > 0              ? RowClass::low
                                                    : RowClass::high;
        }
      }
      push(child, static_cast<int>(violated.size()));
    }
  }

  const ContactIsland& s_;
  IslandWorkspace& w_;
  IslandState& state_;
  std::set<Node> open_;
  std::set<std::vector<RowClass>> seen_;
  std::uint64_t order_ = 0;
};

}  // namespace

IslandReport solve_by_ergodic_search(const ContactIsland& island, const LcpSettings& settings,
                                     IslandWorkspace& w, IslandState& state) {
  IslandReport report = solve_by_dantzig(island, settings, w, state);
  if (report.solved) return report;
  // About 200 assignments is where more of them stop paying (measured on rows and stacks).
  constexpr int max_solves = 200;
  report.stage = "ergodic";
  report.solved = ErgodicSearch(island, w, state).run(settings.tolerance, max_solves, report.pivots);
  return report;
}

}  // namespace jade::lcp
