#include "reference/judge/hull.h"

#include <algorithm>
#include <set>
#include <utility>

#include "reference/judge/exact.h"

namespace jade::judge {
namespace {

using Face = std::array<int, 3>;

/// Four points that span space, the first three counter-clockwise seen from outside; empty when there are none.
std::vector<int> first_tetrahedron(const std::vector<Vec3>& p) {
  const int n = static_cast<int>(p.size());
  if (n < 4) return {};
  int b = 1;
  while (b < n && p[b] == p[0]) ++b;
  int c = b + 1;
  while (c < n && collinear(p[0], p[b], p[c])) ++c;
  int d = c + 1;
  while (d < n && orientation(p[0], p[b], p[c], p[d]) == 0) ++d;
  if (d >= n) return {};
  if (orientation(p[0], p[b], p[c], p[d]) > 0) std::swap(b, c);
  return {0, b, c, d};
}

}  // namespace

std::vector<Face> convex_hull(const std::vector<Vec3>& p) {
  const std::vector<int> start = first_tetrahedron(p);
  if (start.empty()) return {};
  const auto [a, b, c, d] = std::array{start[0], start[1], start[2], start[3]};
  std::vector<Face> faces{{a, b, c}, {a, c, d}, {c, b, d}, {b, a, d}};

  std::vector<Face> hidden;
  for (int i = 0; i < static_cast<int>(p.size()); ++i) {
    // Faces that see point i go; the edges between them and the rest are joined to it.
    hidden.clear();
    std::set<std::pair<int, int>> open;
    for (const Face& f : faces) {
      if (orientation(p[f[0]], p[f[1]], p[f[2]], p[i]) <= 0) {
        hidden.push_back(f);
        continue;
      }
      for (int k = 0; k < 3; ++k)
        if (const std::pair edge{f[k], f[(k + 1) % 3]}; open.erase({edge.second, edge.first}) == 0)
          open.insert(edge);
    }
    if (open.empty()) continue;
    faces = hidden;
    for (const auto& [u, v] : open) faces.push_back({u, v, i});
  }
  return faces;
}

}  // namespace jade::judge
