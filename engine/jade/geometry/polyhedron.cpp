#include "jade/geometry/polyhedron.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "jade/geometry/mesh_edges.h"

namespace jade {
namespace {

// Of the mesh's size: see make_polyhedron.
constexpr double kFlatness = 4e-7;

constexpr double infinity = std::numeric_limits<double>::infinity();

using Triangles = std::span<const std::array<int, 3>>;

class FeatureFinder {
 public:
  FeatureFinder(std::span<const Vec3> vertices, Triangles triangles)
      : points_(vertices), triangles_(triangles), edges_(mesh_edges(triangles)) {
    Vec3 low = points_[0], high = points_[0];
    for (const Vec3& p : points_) low = low.cwiseMin(p), high = high.cwiseMax(p);
    flatness_ = kFlatness * (high - low).norm();
    neighbour_.assign(triangles_.size(), {-1, -1, -1});
    for (const MeshEdge& e : edges_) {
      neighbour_[e.triangle[0]][e.corner[0]] = e.triangle[1];
      neighbour_[e.triangle[1]][e.corner[1]] = e.triangle[0];
    }
  }

  Polyhedron find() {
    merge_coplanar();
    collect_sharp_edges();
    keep_true_vertices();
    join_edges_in_line();
    outline_faces();
    list_neighbours();
    result_.convex = is_connected() && std::all_of(result_.edges.begin(), result_.edges.end(),
                                                   [](const Polyhedron::Edge& e) { return e.convex; });
    return std::move(result_);
  }

 private:
  Vec3 area_vector(int t) const {
    const auto& [i, j, k] = triangles_[t];
    return 0.5 * (points_[j] - points_[i]).cross(points_[k] - points_[i]);
  }

  /// Grows a face from the largest triangle that has none, over neighbours that lie in its plane.
  void merge_coplanar() {
    std::vector<double> area(triangles_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t) area[t] = area_vector(int(t)).norm();
    std::vector<int> order(triangles_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int s, int t) { return area[s] > area[t]; });

    face_of_.assign(triangles_.size(), -1);
    std::vector<int> front;
    for (const int seed : order) {
      if (face_of_[seed] >= 0) continue;
      const int number = int(result_.faces.size());
      // The plane is the mean of the triangles so far: one small triangle of rounded corners tells the plane of a
      // large face badly. The mean of equal directions is that direction to the last bit.
      Vec3 sum = Vec3::Zero(), normal;
      double moment = 0, total = 0;
      const auto join = [&](int t) {
        face_of_[t] = number;
        front.push_back(t);
        sum += area_vector(t);
        normal = sum.normalized();
        total += area[t];
        for (const int i : triangles_[t]) moment += area[t] / 3 * normal.dot(points_[i]);
      };
      const auto in_plane = [&](int t) {
        if (area_vector(t).dot(normal) < 0) return false;
        return std::all_of(triangles_[t].begin(), triangles_[t].end(), [&](int i) {
          return std::abs(normal.dot(points_[i]) - moment / total) <= flatness_;
        });
      };
      front.clear();
      join(seed);
      for (std::size_t next = 0; next < front.size(); ++next)
        for (const int s : neighbour_[front[next]])
          if (s >= 0 && face_of_[s] < 0 && in_plane(s)) join(s);
      // In the middle of its points: exactly where they are when they are in one plane exactly.
      double low = infinity, high = -infinity;
      for (const int t : front)
        for (const int i : triangles_[t]) {
          low = std::min(low, normal.dot(points_[i]));
          high = std::max(high, normal.dot(points_[i]));
        }
      result_.faces.push_back(
          {.normal = normal, .offset = (low + high) / 2, .convex = false, .first = 0, .count = 0});
    }
  }

  void collect_sharp_edges() {
    ends_at_.assign(points_.size(), {});
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (face_of_[edges_[e].triangle[0]] == face_of_[edges_[e].triangle[1]]) continue;
      ends_at_[edges_[e].vertex[0]].push_back(int(e));
      ends_at_[edges_[e].vertex[1]].push_back(int(e));
    }
  }

  int other_end(int e, int v) const {
    return edges_[e].vertex[0] == v ? edges_[e].vertex[1] : edges_[e].vertex[0];
  }

  /// A vertex inside a face has no sharp edge; one inside an edge has two, in line.
  bool is_true(int v) const {
    if (ends_at_[v].size() < 2) return false;
    if (ends_at_[v].size() > 2) return true;
    const Vec3 from = points_[other_end(ends_at_[v][0], v)],
               along = points_[other_end(ends_at_[v][1], v)] - from;
    if (along.squaredNorm() == 0) return true;
    return (points_[v] - from).cross(along).norm() > flatness_ * along.norm();
  }

  void keep_true_vertices() {
    number_.assign(points_.size(), -1);
    for (std::size_t v = 0; v < points_.size(); ++v) {
      if (!is_true(int(v))) continue;
      number_[v] = int(result_.vertices.size());
      result_.vertices.push_back(points_[v]);
    }
  }

  /// Walks from each true vertex along its sharp edges until the next true vertex.
  void join_edges_in_line() {
    std::vector<char> used(edges_.size(), 0);
    for (std::size_t v = 0; v < points_.size(); ++v) {
      if (number_[v] < 0) continue;
      for (const int first : ends_at_[v]) {
        if (used[first]) continue;
        int e = first, at = int(v);
        for (;;) {
          used[e] = 1;
          at = other_end(e, at);
          if (number_[at] >= 0) break;
          e = ends_at_[at][0] == e ? ends_at_[at][1] : ends_at_[at][0];
        }
        add_edge(edges_[first], int(v), at);
      }
    }
  }

  /// `e`, the first piece of the joined edge, says which face is on which side.
  void add_edge(const MeshEdge& e, int from, int to) {
    Polyhedron::Edge edge;
    const bool forward = e.vertex[0] == from;
    edge.vertex = {number_[from], number_[to]};
    edge.face = {face_of_[e.triangle[forward ? 0 : 1]], face_of_[e.triangle[forward ? 1 : 0]]};
    const Vec3 inward = result_.faces[edge.face[0]].normal.cross(points_[to] - points_[from]);
    edge.convex = result_.faces[edge.face[1]].normal.dot(inward) < 0;
    edge.length = (points_[to] - points_[from]).norm();
    edge.direction = (points_[to] - points_[from]) / edge.length;
    edge.inward = {result_.faces[edge.face[0]].normal.cross(edge.direction),
                   edge.direction.cross(result_.faces[edge.face[1]].normal)};
    result_.edges.push_back(edge);
  }

  void outline_faces() {
    std::vector<std::vector<Polyhedron::Side>> sides(result_.faces.size());
    for (std::size_t i = 0; i < result_.edges.size(); ++i) {
      const auto& e = result_.edges[i];
      sides[e.face[0]].push_back({int(i), e.vertex[0], e.vertex[1], e.inward[0]});
      sides[e.face[1]].push_back({int(i), e.vertex[1], e.vertex[0], e.inward[1]});
    }
    for (std::size_t f = 0; f < sides.size(); ++f) {
      auto& face = result_.faces[f];
      face.first = int(result_.boundary.size());
      face.count = int(sides[f].size());
      result_.boundary.insert(result_.boundary.end(), sides[f].begin(), sides[f].end());
      face.convex = lies_left_of_all(face, sides[f]);
    }
  }

  /// Every corner on the inner side of every side: one convex polygon, without holes.
  bool lies_left_of_all(const Polyhedron::Face& face, const std::vector<Polyhedron::Side>& sides) const {
    for (const auto& s : sides) {
      const Vec3& a = result_.vertices[s.from];
      const Vec3 inward = face.normal.cross(result_.vertices[s.to] - a).normalized();
      for (const auto& t : sides)
        if (inward.dot(result_.vertices[t.from] - a) < -flatness_) return false;
    }
    return true;
  }

  void list_neighbours() {
    std::vector<std::vector<int>> lists(result_.vertices.size());
    for (const auto& e : result_.edges) {
      lists[e.vertex[0]].push_back(e.vertex[1]);
      lists[e.vertex[1]].push_back(e.vertex[0]);
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
      result_.first_neighbour.push_back(int(result_.neighbours.size()));
      for (const int j : lists[i]) {
        result_.neighbours.push_back(j);
        result_.toward_neighbour.push_back((result_.vertices[j] - result_.vertices[i]).normalized());
      }
    }
    result_.first_neighbour.push_back(int(result_.neighbours.size()));
  }

  bool is_connected() const {
    std::vector<char> reached(triangles_.size(), 0);
    std::vector<int> front{0};
    reached[0] = 1;
    std::size_t count = 1;
    while (!front.empty()) {
      const int t = front.back();
      front.pop_back();
      for (const int s : neighbour_[t])
        if (s >= 0 && !reached[s]) reached[s] = 1, ++count, front.push_back(s);
    }
    return count == triangles_.size();
  }

  std::span<const Vec3> points_;
  Triangles triangles_;
  std::vector<MeshEdge> edges_;
  double flatness_ = 0;
  std::vector<std::array<int, 3>> neighbour_;
  std::vector<int> face_of_;
  std::vector<std::vector<int>> ends_at_;  // sharp edges at each point
  std::vector<int> number_;                // of each point among the true vertices, or −1
  Polyhedron result_;
};

}  // namespace

bool Polyhedron::face_holds(int number, const Vec3& x, double margin) const {
  const Face& face = faces[number];
  const Side* sides = &boundary[face.first];
  if (face.convex) {
    for (int i = 0; i < face.count; ++i)
      if (sides[i].inward.dot(x - vertices[sides[i].from]) < -margin) return false;
    return true;
  }
  // Parity of the outline's crossings with a half line, in the two axes that see the face best.
  int drop = 0;
  face.normal.cwiseAbs().maxCoeff(&drop);
  const int u = (drop + 1) % 3, v = (drop + 2) % 3;
  const Vec3 foot = x - (face.normal.dot(x) - face.offset) * face.normal;
  bool inside = false;
  for (int i = 0; i < face.count; ++i) {
    const Vec3 &a = vertices[sides[i].from], &b = vertices[sides[i].to];
    if ((a[v] > foot[v]) != (b[v] > foot[v]) &&
        foot[u] < a[u] + (foot[v] - a[v]) / (b[v] - a[v]) * (b[u] - a[u]))
      inside = !inside;
    // Near the outline counts as inside.
    const Vec3 along = b - a, rel = foot - a;
    const double t = std::clamp(rel.dot(along) / along.squaredNorm(), 0.0, 1.0);
    if ((rel - t * along).squaredNorm() <= margin * margin) return true;
  }
  return inside;
}

Polyhedron make_polyhedron(std::span<const Vec3> vertices, Triangles triangles) {
  return FeatureFinder(vertices, triangles).find();
}

}  // namespace jade
