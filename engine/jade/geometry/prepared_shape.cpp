#include "jade/geometry/prepared_shape.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "jade/base/error.h"
#include "jade/geometry/convex_hull.h"
#include "jade/geometry/mesh_check.h"

namespace jade {
namespace {

void require_positive(const char* shape, const char* place, double length) {
  if (!(length > 0 && std::isfinite(length)))
    throw InvalidInput(
        shape, {{place, "is not a positive finite number", "give a length in metres, greater than 0"}});
}

}  // namespace

PreparedShape::PreparedShape(const Shape& shape) {
  std::visit([this](const auto& s) { prepare(s); }, shape);
}

void PreparedShape::prepare(const Sphere& shape) {
  require_positive("sphere", "radius", shape.radius);
  core_.radius = shape.radius;
}

void PreparedShape::prepare(const Capsule& shape) {
  require_positive("capsule", "radius", shape.radius);
  require_positive("capsule", "half_length", shape.half_length);
  core_.kind = ConvexCore::Kind::segment;
  core_.radius = shape.radius;
  core_.half = Vec3(0, 0, shape.half_length);
  core_.extent = shape.half_length;
}

void PreparedShape::prepare(const Cylinder& shape) {
  require_positive("cylinder", "radius", shape.radius);
  require_positive("cylinder", "half_length", shape.half_length);
  core_.kind = ConvexCore::Kind::cylinder;
  core_.half = Vec3(shape.radius, shape.radius, shape.half_length);
  core_.extent = std::hypot(shape.radius, shape.half_length);
}

void PreparedShape::prepare(const HalfSpace&) { half_space_ = true; }

void PreparedShape::prepare(const Box& shape) {
  require_positive("box", "size x", shape.size.x());
  require_positive("box", "size y", shape.size.y());
  require_positive("box", "size z", shape.size.z());
  core_.kind = ConvexCore::Kind::box;
  core_.half = shape.size / 2;
  core_.extent = core_.half.norm();

  // Corner i has the signs of its bits; each side is two triangles, counter-clockwise from outside.
  std::vector<Vec3> corners(8);
  for (int i = 0; i < 8; ++i)
    corners[i] = Vec3((i & 1 ? 1 : -1) * core_.half.x(), (i & 2 ? 1 : -1) * core_.half.y(),
                      (i & 4 ? 1 : -1) * core_.half.z());
  const int sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  std::vector<std::array<int, 3>> triangles;
  for (const auto& s : sides) {
    triangles.push_back({s[0], s[1], s[2]});
    triangles.push_back({s[0], s[2], s[3]});
  }
  auto data = std::make_shared<Data>();
  data->features = make_polyhedron(corners, triangles);
  data_ = std::move(data);
}

void PreparedShape::use_hull(Data& data, std::span<const Vec3> points, bool with_features) {
  HullSurface surface = convex_hull(points);
  std::vector<std::array<int, 3>> triangles;
  for (const auto& face : surface.faces)
    for (std::size_t i = 2; i < face.size(); ++i) triangles.push_back({face[0], face[i - 1], face[i]});
  if (with_features) data.features = make_polyhedron(surface.vertices, triangles);

  std::vector<std::vector<int>> lists(surface.vertices.size());
  for (const auto& face : surface.faces)
    for (std::size_t i = 0; i < face.size(); ++i) lists[face[i]].push_back(face[(i + 1) % face.size()]);
  for (const auto& list : lists) {
    data.first_neighbour.push_back(int(data.neighbours.size()));
    data.neighbours.insert(data.neighbours.end(), list.begin(), list.end());
  }
  data.first_neighbour.push_back(int(data.neighbours.size()));
  data.hull_vertices = std::move(surface.vertices);

  core_.kind = ConvexCore::Kind::vertices;
  core_.vertices = data.hull_vertices.data();
  core_.count = int(data.hull_vertices.size());
  core_.first_neighbour = data.first_neighbour.data();
  core_.neighbours = data.neighbours.data();
  Vec3 low = core_.vertices[0], high = low;
  for (const Vec3& p : data.hull_vertices) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
    core_.extent = std::max(core_.extent, p.norm());
  }
  core_.centre = (low + high) / 2;
  core_.half = (high - low) / 2;
}

void PreparedShape::prepare(const ConvexHull& shape) {
  auto data = std::make_shared<Data>();
  use_hull(*data, shape.points, true);
  data_ = std::move(data);
}

void PreparedShape::prepare(const TriangleMesh& shape) {
  if (auto mistakes = check_mesh(shape); !mistakes.empty())
    throw InvalidInput(shape.file.empty() ? "mesh" : "mesh \"" + shape.file + "\"", std::move(mistakes));
  auto data = std::make_shared<Data>();
  data->features = make_polyhedron(shape.vertices, shape.triangles);
  if (!data->features.convex) data->tree = TriangleTree(shape.vertices, shape.triangles);
  if (shape.normals == MeshNormals::smooth) data->smooth = SmoothSurface(shape.vertices, shape.triangles);
  use_hull(*data, shape.vertices, false);
  data_ = std::move(data);
}

}  // namespace jade
