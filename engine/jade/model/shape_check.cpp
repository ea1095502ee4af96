#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "jade/geometry/mesh_check.h"
#include "jade/geometry/mesh_file.h"
#include "jade/model/scene_check.h"

namespace jade::scene_check {
namespace {

namespace fs = std::filesystem;

void check_length(double x, const char* key, const Notes& notes) {
  notes.at(key).add_if(x <= 0, fmt::format("is {}", x), "give a positive length");
}

/// The thickness of a set of points: how far it reaches out of the plane through three of its points that are
/// far from each other, relative to its extent. Zero for fewer than four points.
double relative_thickness(const std::vector<Vec3>& points) {
  if (points.size() < 4) return 0;
  const auto farthest = [&](auto&& distance) {
    return *std::max_element(points.begin(), points.end(),
                             [&](const Vec3& a, const Vec3& b) { return distance(a) < distance(b); });
  };
  const Vec3& o = points.front();
  const Vec3 a = farthest([&](const Vec3& p) { return (p - o).norm(); });
  const double extent = (a - o).norm();
  if (!(extent > 0)) return 0;
  const Vec3 along = (a - o) / extent;
  const auto from_line = [&](const Vec3& p) { return (p - o).cross(along).norm(); };
  const Vec3 b = farthest(from_line);
  if (!(from_line(b) > 0)) return 0;
  const Vec3 normal = along.cross(b - o).normalized();
  const auto from_plane = [&](const Vec3& p) { return std::abs(normal.dot(p - o)); };
  return from_plane(farthest(from_plane)) / extent;
}

void check_geometry(const Sphere& s, const std::string&, const Notes& notes) {
  check_length(s.radius, "radius", notes);
}
void check_geometry(const Capsule& s, const std::string&, const Notes& notes) {
  check_length(s.radius, "radius", notes);
  check_length(s.half_length, "half_length", notes);
}
void check_geometry(const Cylinder& s, const std::string&, const Notes& notes) {
  check_length(s.radius, "radius", notes);
  check_length(s.half_length, "half_length", notes);
}
void check_geometry(const Box& s, const std::string&, const Notes& notes) {
  notes.at("size").add_if((s.size.array() <= 0).any(),
                          fmt::format("is [{}, {}, {}]", s.size[0], s.size[1], s.size[2]),
                          "give three positive lengths");
}
void check_geometry(const HalfSpace&, const std::string&, const Notes&) {}

void check_geometry(const ConvexHull& s, const std::string&, const Notes& notes) {
  // Thinner than this the normals of the faces have no digits left.
  constexpr double kThinnest = 1e-9;
  const bool finite =
      std::all_of(s.points.begin(), s.points.end(), [](const Vec3& p) { return p.allFinite(); });
  if (s.points.size() < 4)
    notes.at("points").add(fmt::format("holds {} points", s.points.size()), "give at least four");
  else if (finite && relative_thickness(s.points) < kThinnest)
    notes.at("points").add("lie in one plane", "give points that enclose a volume");
}

/// What keeps the triangles from being the surface of a solid, once there are triangles to look at.
void check_surface(const TriangleMesh& mesh, const std::string& folder, const Notes& notes) {
  const auto add_all = [&](const std::vector<Mistake>& mistakes) {
    for (const Mistake& mistake : mistakes) notes.at(mistake.place).add(mistake.problem, mistake.remedy);
  };
  try {
    add_all(check_mesh(load_mesh(mesh, folder)));
  } catch (const InvalidInput& error) {
    add_all(error.mistakes());
  }
}

void check_geometry(const TriangleMesh& mesh, const std::string& folder, const Notes& notes) {
  notes.at("scale").add_if(mesh.scale <= 0, fmt::format("is {}", mesh.scale), "give a positive factor");
  const bool has_data = !mesh.vertices.empty() || !mesh.triangles.empty();
  if (mesh.file.empty() != has_data)
    return notes.add(
        has_data ? "has both a file and vertices or triangles" : "has neither a file nor triangles",
        "give either file, or vertices and triangles");
  if (!mesh.file.empty()) {
    const fs::path path = fs::path(folder) / mesh.file;
    std::error_code error;
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (!fs::is_regular_file(path, error))
      notes.at("file").add(fmt::format("\"{}\" is no file", path.string()),
                           "give a path relative to the scene file");
    else if (::access(path.c_str(), R_OK) != 0)
      notes.at("file").add(fmt::format("\"{}\" cannot be read", path.string()), "allow reading it");
    else if (extension != ".obj" && extension != ".stl")
      notes.at("file").add(fmt::format("\"{}\" is of an unknown format", path.string()),
                           "give an .obj or .stl file");
    else if (mesh.scale > 0)
      check_surface(mesh, folder, notes);
    return;
  }
  bool complete = !mesh.triangles.empty() && mesh.scale > 0;
  const int count = static_cast<int>(mesh.vertices.size());
  notes.at("triangles").add_if(mesh.triangles.empty(), "is empty", "give the triangles of a closed surface");
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& [a, b, c] = mesh.triangles[i];
    const auto [low, high] = std::minmax({a, b, c});
    complete = complete && low >= 0 && high < count && a != b && b != c && c != a;
    if (low < 0 || high >= count)
      notes.at("triangles", i)
          .add(fmt::format("is [{}, {}, {}] with {} vertices", a, b, c, count), "count vertices from 0");
    else if (a == b || b == c || c == a)
      notes.at("triangles", i)
          .add(fmt::format("is [{}, {}, {}], which is no triangle", a, b, c),
               "give three different vertices");
  }
  for (const Vec3& vertex : mesh.vertices) complete = complete && vertex.allFinite();
  if (complete) check_surface(mesh, folder, notes);
}

}  // namespace

void check_shape(const ShapeDescription& shape, const std::string& folder, const Notes& notes) {
  std::visit([&](const auto& s) { check_geometry(s, folder, notes.at("geometry")); }, shape.geometry);
  check_placement(shape.X_BS, notes.at("X_BS"));
  if (!shape.density) return;
  notes.at("density").add_if(*shape.density <= 0, fmt::format("is {}", *shape.density),
                             "give a positive density in kg/m³");
  notes.at("density").add_if(std::holds_alternative<HalfSpace>(shape.geometry),
                             "is given for a half-space, which has no end", "leave it away");
}

}  // namespace jade::scene_check
