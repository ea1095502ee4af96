#include "jade/geometry/mesh_repair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include <fmt/format.h>

#include "jade/geometry/mass_properties.h"
#include "jade/geometry/mesh_check.h"
#include "jade/geometry/mesh_edges.h"
#include "jade/geometry/triangle_tree.h"

namespace jade {
namespace {

constexpr double kWeld = 1e-6;  // of the diagonal of the box around the mesh

/// "triangles[3], [5], [8] and 4 more"
std::string places(const std::vector<int>& triangles) {
  constexpr std::size_t kNamed = 5;
  std::string text = "triangles";
  for (std::size_t i = 0; i < std::min(kNamed, triangles.size()); ++i)
    text += fmt::format("{}[{}]", i == 0 ? "" : ", ", triangles[i]);
  if (triangles.size() > kNamed) text += fmt::format(" and {} more", triangles.size() - kNamed);
  return text;
}

class Repairer {
 public:
  explicit Repairer(const TriangleMesh& mesh) {
    result_.mesh = mesh;
    const int count = static_cast<int>(mesh.vertices.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      sound_ = sound_ && std::all_of(mesh.triangles[t].begin(), mesh.triangles[t].end(), [&](int i) {
                 return i >= 0 && i < count && mesh.vertices[i].allFinite();
               });
      origin_.push_back(static_cast<int>(t));
    }
  }

  MeshRepair run() {
    // Numbers that mean nothing are not repaired.
    if (!sound_) return std::move(result_);
    weld();
    drop_collapsed();
    flip_needles();
    drop_twins();
    orient();
    drop_unused();
    return std::move(result_);
  }

 private:
  std::vector<Vec3>& vertices() { return result_.mesh.vertices; }
  std::vector<std::array<int, 3>>& triangles() { return result_.mesh.triangles; }
  void note(std::string change) { result_.changes.push_back(std::move(change)); }

  void weld() {
    if (vertices().empty()) return;
    Vec3 low = vertices()[0], high = low;
    for (const Vec3& p : vertices()) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    const double reach = kWeld * (high - low).norm();
    if (!(reach > 0)) return;
    using Cell = std::array<std::int64_t, 3>;
    const auto cell_of = [&](const Vec3& p) {
      Cell cell{};
      for (int k = 0; k < 3; ++k) cell[k] = static_cast<std::int64_t>(std::floor((p[k] - low[k]) / reach));
      return cell;
    };
    // Each vertex joins the first one within reach that stands for others.
    std::map<Cell, std::vector<int>> standing;
    std::vector<int> joins(vertices().size());
    int welded = 0;
    double farthest = 0;
    for (std::size_t i = 0; i < vertices().size(); ++i) {
      const Vec3& p = vertices()[i];
      const Cell at = cell_of(p);
      int found = -1;
      for (int k = 0; k < 27; ++k) {
        const auto near = standing.find({at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1});
        if (near == standing.end()) continue;
        for (const int j : near->second)
          if ((vertices()[j] - p).norm() <= reach && (found < 0 || j < found)) found = j;
      }
      joins[i] = found < 0 ? static_cast<int>(i) : found;
      if (found < 0) {
        standing[at].push_back(static_cast<int>(i));
      } else {
        ++welded;
        farthest = std::max(farthest, (vertices()[found] - p).norm());
      }
    }
    if (welded == 0) return;
    for (auto& t : triangles())
      for (int& i : t) i = joins[i];
    note(fmt::format("welded {} vertices to others at most {:.3g} away", welded, farthest));
  }

  template <class Gone>
  std::vector<int> erase_triangles(Gone&& gone) {
    std::vector<int> erased;
    std::size_t kept = 0;
    for (std::size_t t = 0; t < triangles().size(); ++t) {
      if (gone(t)) {
        erased.push_back(origin_[t]);
        continue;
      }
      triangles()[kept] = triangles()[t];
      origin_[kept++] = origin_[t];
    }
    triangles().resize(kept);
    origin_.resize(kept);
    return erased;
  }

  void drop_collapsed() {
    const auto erased = erase_triangles([&](std::size_t t) {
      const auto& [a, b, c] = triangles()[t];
      return a == b || b == c || c == a;
    });
    if (!erased.empty()) note(fmt::format("dropped {}: two corners in one vertex", places(erased)));
  }

  bool is_needle(const std::array<int, 3>& t) {
    return is_degenerate(vertices()[t[0]], vertices()[t[1]], vertices()[t[2]]);
  }

  /// A needle (i, j, b) with b on the edge from i to j and its neighbour (j, i, d) become (b, i, d) and (d, j, b): the same
  /// surface, without the needle.
  void flip_needles() {
    std::vector<int> flipped;
    // A flip can make another needle, so there is a limit.
    for (std::size_t rounds = 0; rounds < 3 * triangles().size(); ++rounds) {
      const auto needle =
          std::find_if(triangles().begin(), triangles().end(), [&](const auto& t) { return is_needle(t); });
      if (needle == triangles().end()) break;
      const std::size_t n = static_cast<std::size_t>(needle - triangles().begin());
      flipped.push_back(origin_[n]);
      if (flip(n)) continue;
      erase_triangles([&](std::size_t t) { return t == n; });
    }
    std::sort(flipped.begin(), flipped.end());
    flipped.erase(std::unique(flipped.begin(), flipped.end()), flipped.end());
    if (!flipped.empty()) note(fmt::format("removed {}: corners on one line", places(flipped)));
  }

  bool flip(std::size_t n) {
    const std::array<int, 3> t = triangles()[n];
    int longest = 0;
    double length = -1;
    for (int k = 0; k < 3; ++k) {
      const double here = (vertices()[t[(k + 1) % 3]] - vertices()[t[k]]).norm();
      if (here > length) length = here, longest = k;
    }
    const int i = t[longest], j = t[(longest + 1) % 3], b = t[(longest + 2) % 3];
    for (std::size_t m = 0; m < triangles().size(); ++m) {
      if (m == n) continue;
      const auto& other = triangles()[m];
      for (int k = 0; k < 3; ++k) {
        const int from = other[k], to = other[(k + 1) % 3], d = other[(k + 2) % 3];
        const bool with = from == j && to == i, against = from == i && to == j;
        if ((!with && !against) || d == b) continue;
        // The neighbour keeps its own sense; the needle has none that can be seen.
        triangles()[m] = with ? std::array{b, i, d} : std::array{d, i, b};
        triangles()[n] = with ? std::array{d, j, b} : std::array{b, j, d};
        return true;
      }
    }
    return false;
  }

  void drop_twins() {
    std::set<std::array<int, 3>> seen;
    const auto erased = erase_triangles([&](std::size_t t) {
      auto corners = triangles()[t];
      std::sort(corners.begin(), corners.end());
      return !seen.insert(corners).second;
    });
    if (!erased.empty()) note(fmt::format("dropped {}: the corners of another triangle", places(erased)));
  }

  /// Neighbours first, then whole parts.
  void orient() {
    const std::vector<MeshEdge> edges = mesh_edges(triangles());
    std::vector<std::vector<std::pair<int, bool>>> neighbours(triangles().size());
    for (const MeshEdge& e : edges) {
      if (e.uses != 2) continue;
      const bool agree = e.same_direction == 1;
      neighbours[e.triangle[0]].emplace_back(e.triangle[1], agree);
      neighbours[e.triangle[1]].emplace_back(e.triangle[0], agree);
    }
    std::vector<int> part(triangles().size(), -1);
    std::vector<char> turned(triangles().size(), 0);
    std::vector<std::vector<std::array<int, 3>>> parts;
    for (std::size_t seed = 0; seed < part.size(); ++seed) {
      if (part[seed] >= 0) continue;
      std::vector<int> pending{static_cast<int>(seed)};
      part[seed] = static_cast<int>(parts.size());
      parts.emplace_back();
      while (!pending.empty()) {
        const int t = pending.back();
        pending.pop_back();
        for (const auto& [other, agree] : neighbours[t]) {
          if (part[other] >= 0) continue;
          part[other] = part[t];
          turned[other] = agree ? turned[t] : !turned[t];
          pending.push_back(other);
        }
      }
    }
    for (std::size_t t = 0; t < part.size(); ++t) {
      if (turned[t]) std::swap(triangles()[t][1], triangles()[t][2]);
      parts[part[t]].push_back(triangles()[t]);
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (!faces_the_wrong_way(parts, p)) continue;
      for (std::size_t t = 0; t < part.size(); ++t) {
        if (part[t] != static_cast<int>(p)) continue;
        std::swap(triangles()[t][1], triangles()[t][2]);
        turned[t] = !turned[t];
      }
    }
    std::vector<int> list;
    for (std::size_t t = 0; t < part.size(); ++t)
      if (turned[t]) list.push_back(origin_[t]);
    if (!list.empty())
      note(fmt::format("turned {} around: to face outwards like their neighbours", places(list)));
  }

  /// A part inside an odd number of others is a cavity and faces its own inside.
  bool faces_the_wrong_way(const std::vector<std::vector<std::array<int, 3>>>& parts, std::size_t p) {
    const double volume = mass_properties(vertices(), parts[p], 1).mass;
    int around = 0;
    for (std::size_t other = 0; other < parts.size(); ++other)
      if (other != p)
        around +=
            std::abs(TriangleTree(vertices(), parts[other]).winding_number(vertices()[parts[p][0][0]])) > 0.5;
    return around % 2 == 0 ? volume < 0 : volume > 0;
  }

  void drop_unused() {
    std::vector<int> number(vertices().size(), -1);
    std::vector<Vec3> used;
    for (const auto& t : triangles())
      for (const int i : t) number[i] = 0;
    for (std::size_t i = 0; i < number.size(); ++i) {
      if (number[i] < 0) continue;
      number[i] = static_cast<int>(used.size());
      used.push_back(vertices()[i]);
    }
    if (used.size() == vertices().size()) return;
    note(fmt::format("left out {} vertices that no triangle uses", vertices().size() - used.size()));
    for (auto& t : triangles())
      for (int& i : t) i = number[i];
    vertices() = std::move(used);
  }

  MeshRepair result_;
  std::vector<int> origin_;  ///< of each triangle: its number in the given mesh
  bool sound_ = true;
};

}  // namespace

MeshRepair repair_mesh(const TriangleMesh& mesh) { return Repairer(mesh).run(); }

}  // namespace jade
