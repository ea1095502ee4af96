#include "jade/geometry/mesh_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include <assimp/Importer.hpp>
#include <assimp/mesh.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include "jade/base/error.h"
#include "jade/geometry/mesh_repair.h"

// The library's double-precision variant, compiled here under a name of our own: another library in the same
// program may carry the single-precision one, whose functions have the same names.
#define tinyobj jade_tinyobj
#define TINYOBJLOADER_USE_DOUBLE
#define TINYOBJLOADER_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#include <tiny_obj_loader.h>
#pragma GCC diagnostic pop

namespace jade {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, std::string problem, std::string remedy) {
  throw InvalidInput("mesh \"" + file.string() + "\"", {{"file", std::move(problem), std::move(remedy)}});
}

/// Collects triangles; corners at exactly the same position share a vertex.
class Surface {
 public:
  int vertex(const Vec3& p) {
    // Adding zero turns −0 into 0, so that both are one position.
    const std::array<double, 3> key{p.x() + 0.0, p.y() + 0.0, p.z() + 0.0};
    const auto [place, is_new] = number_.try_emplace(key, int(vertices.size()));
    if (is_new) vertices.emplace_back(key[0], key[1], key[2]);
    return place->second;
  }

  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;

 private:
  std::map<std::array<double, 3>, int> number_;
};

Surface read_obj(const fs::path& file) {
  std::ifstream stream(file);
  tinyobj::attrib_t attributes;
  std::vector<tinyobj::shape_t> shapes;
  std::vector<tinyobj::material_t> materials;
  std::string warning, error;
  if (!tinyobj::LoadObj(&attributes, &shapes, &materials, &warning, &error, &stream, nullptr, true, false))
    refuse(file, "is not a readable OBJ file: " + error, "export it again as Wavefront OBJ");

  Surface surface;
  const auto corner = [&](const tinyobj::index_t& index) {
    if (index.vertex_index < 0 || 3 * std::size_t(index.vertex_index) + 2 >= attributes.vertices.size())
      refuse(file, "has a face with a vertex that does not exist", "export it again as Wavefront OBJ");
    const double* p = &attributes.vertices[3 * std::size_t(index.vertex_index)];
    return surface.vertex(Vec3(p[0], p[1], p[2]));
  };
  for (const auto& shape : shapes) {
    const auto& indices = shape.mesh.indices;
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3)
      surface.triangles.push_back({corner(indices[i]), corner(indices[i + 1]), corner(indices[i + 2])});
  }
  return surface;
}

Surface read_stl(const fs::path& file) {
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(file.string(), aiProcess_Triangulate);
  if (!scene)
    refuse(file, std::string("is not a readable STL file: ") + importer.GetErrorString(),
           "export it again as STL");

  Surface surface;
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
    const aiMesh& mesh = *scene->mMeshes[m];
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      if (mesh.mFaces[f].mNumIndices != 3) continue;  // points and lines enclose nothing
      std::array<int, 3> triangle{};
      for (int k = 0; k < 3; ++k) {
        const aiVector3D& p = mesh.mVertices[mesh.mFaces[f].mIndices[k]];
        triangle[k] = surface.vertex(Vec3(p.x, p.y, p.z));
      }
      surface.triangles.push_back(triangle);
    }
  }
  return surface;
}

Surface read(const fs::path& file) {
  if (!fs::is_regular_file(file)) refuse(file, "does not exist", "name a file relative to the scene file");
  std::string kind = file.extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  if (kind == ".obj") return read_obj(file);
  if (kind == ".stl") return read_stl(file);
  refuse(file, "is neither .obj nor .stl", "convert it to one of these");
}

}  // namespace

TriangleMesh load_mesh(const TriangleMesh& description, const fs::path& folder,
                       std::vector<std::string>* changes) {
  const std::string subject = description.file.empty() ? "given in place" : description.file;
  if (!(description.scale > 0 && std::isfinite(description.scale)))
    throw InvalidInput("mesh \"" + subject + "\"",
                       {{"scale", "is not a positive finite number", "give metres per unit of the file"}});
  TriangleMesh mesh = description;
  if (description.file.empty()) {
    mesh.scale = 1;
  } else {
    Surface surface = read(folder / description.file);
    if (surface.triangles.empty())
      refuse(folder / description.file, "holds no triangles", "export the surface as triangles");
    mesh.vertices = std::move(surface.vertices);
    mesh.triangles = std::move(surface.triangles);
  }
  for (Vec3& p : mesh.vertices) p *= description.scale;
  if (!description.repair) return mesh;
  MeshRepair repair = repair_mesh(mesh);
  if (changes) changes->insert(changes->end(), repair.changes.begin(), repair.changes.end());
  return std::move(repair.mesh);
}

}  // namespace jade
