#include "cases/scenes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace jade::cases {

BodyDescription free_body(const std::string& name, double mass, const Vec3& principal_inertia) {
  BodyDescription body;
  body.name = name;
  body.inertia =
      InertiaDescription{.mass = mass, .com = Vec3::Zero(), .inertia = principal_inertia.asDiagonal()};
  body.joint.kind = JointKind::free;
  return body;
}

BodyDescription hinged_rod(const Rod& rod) {
  BodyDescription body;
  body.name = rod.name;
  const double transverse = rod.mass * rod.length * rod.length / 12;
  // A rod of some thickness: an inertia of exactly zero about its own axis is no solid body.
  const Vec3 inertia(transverse, transverse, transverse / 100);
  body.inertia = InertiaDescription{
      .mass = rod.mass, .com = Vec3(0, 0, -rod.length / 2), .inertia = inertia.asDiagonal()};
  body.joint.kind = JointKind::revolute;
  body.joint.parent = rod.parent;
  body.joint.axis = Vec3::UnitY();
  body.joint.X_PJ.position = Vec3(0, 0, -rod.parent_length);
  body.joint.position = {rod.angle};
  return body;
}

namespace {

constexpr const char* kMaterial = "stuff";

BodyDescription solid(const std::string& name, const Shape& shape) {
  BodyDescription body;
  body.name = name;
  ShapeDescription described;
  described.geometry = shape;
  described.material = kMaterial;
  described.density = 1000;
  body.shapes = {described};
  return body;
}

}  // namespace

SceneDescription contact_scene(const std::string& name, double gravity, double friction, double restitution) {
  SceneDescription scene;
  scene.name = name;
  scene.gravity = Vec3(0, 0, -gravity);
  scene.materials = {kMaterial};
  scene.pairs = {{kMaterial, kMaterial, friction, restitution}};
  return scene;
}

BodyDescription fixed_solid(const std::string& name, const Shape& shape, const Placement& at) {
  BodyDescription body = solid(name, shape);
  if (std::holds_alternative<HalfSpace>(shape)) body.shapes[0].density.reset();
  body.joint.kind = JointKind::fixed;
  body.joint.X_PJ = at;
  return body;
}

BodyDescription free_solid(const std::string& name, const Shape& shape, const Vec3& position,
                           const Vec3& velocity) {
  BodyDescription body = solid(name, shape);
  body.joint.kind = JointKind::free;
  body.joint.position = {position.x(), position.y(), position.z(), 1, 0, 0, 0};
  body.joint.velocity = {velocity.x(), velocity.y(), velocity.z(), 0, 0, 0};
  return body;
}

ConvexHull prism(int sides, double radius, double height, double turn) {
  ConvexHull hull;
  for (int i = 0; i < sides; ++i) {
    const double angle = turn + 2 * std::numbers::pi * i / sides;
    for (const double z : {-height / 2, height / 2})
      hull.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
  }
  return hull;
}

TriangleMesh icosphere(double radius, int cuts) {
  TriangleMesh mesh;
  // Three golden rectangles along the coordinate planes; corners at distance `edge` form the triangles.
  const double golden = std::numbers::phi;
  for (const int axis : {0, 1, 2})
    for (const double s : {-1.0, 1.0})
      for (const double l : {-golden, golden}) {
        Vec3 p = Vec3::Zero();
        p[(axis + 1) % 3] = s;
        p[(axis + 2) % 3] = l;
        mesh.vertices.push_back(p.normalized());
      }
  const double edge = 2 / std::sqrt(1 + golden * golden);
  const auto touch = [&](int i, int j) { return (mesh.vertices[i] - mesh.vertices[j]).norm() < 1.01 * edge; };
  for (int i = 0; i < 12; ++i)
    for (int j = i + 1; j < 12; ++j)
      for (int k = j + 1; k < 12; ++k) {
        if (!touch(i, j) || !touch(j, k) || !touch(k, i)) continue;
        const bool outward = mesh.vertices[i].cross(mesh.vertices[j]).dot(mesh.vertices[k]) > 0;
        mesh.triangles.push_back(outward ? std::array{i, j, k} : std::array{i, k, j});
      }
  for (int cut = 0; cut < cuts; ++cut) {
    std::map<std::array<int, 2>, int> middles;
    const auto middle = [&](int i, int j) {
      const auto [found, is_new] =
          middles.try_emplace({std::min(i, j), std::max(i, j)}, static_cast<int>(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back((mesh.vertices[i] + mesh.vertices[j]).normalized());
      return found->second;
    };
    std::vector<std::array<int, 3>> smaller;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const std::array<int, 3>& t :
           {std::array{a, ab, ca}, std::array{b, bc, ab}, std::array{c, ca, bc}, std::array{ab, bc, ca}})
        smaller.push_back(t);
    }
    mesh.triangles = std::move(smaller);
  }
  const Mat3 turn = Eigen::AngleAxisd(0.3, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (Vec3& p : mesh.vertices) p = radius * (turn * p);
  return mesh;
}

TriangleMesh mesh_box(const Vec3& low, const Vec3& high, const std::array<int, 3>& cells) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, int> numbers;
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [found, is_new] = numbers.try_emplace(at, static_cast<int>(mesh.vertices.size()));
    if (is_new) {
      Vec3 p;
      for (int k = 0; k < 3; ++k) p[k] = low[k] + (high[k] - low[k]) * at[k] / cells[k];
      mesh.vertices.push_back(p);
    }
    return found->second;
  };
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const int side : {0, cells[axis]}) {
      for (int i = 0; i < cells[u]; ++i) {
        for (int j = 0; j < cells[v]; ++j) {
          const auto corner = [&](int di, int dj) {
            std::array<int, 3> at{};
            at[axis] = side;
            at[u] = i + di;
            at[v] = j + dj;
            return vertex(at);
          };
          const int a = corner(0, 0), c = corner(1, 1);
          int b = corner(1, 0), d = corner(0, 1);
          if (side == 0) std::swap(b, d);  // seen from outside
          mesh.triangles.push_back({a, b, c});
          mesh.triangles.push_back({a, c, d});
        }
      }
    }
  }
  return mesh;
}

namespace {

Mat3 box_inertia(double mass, const Vec3& s) {
  const Vec3 squares = s.cwiseProduct(s);
  return Mat3(
      (mass / 12 * Vec3(squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y()))
          .asDiagonal());
}

}  // namespace

SceneDescription gripped_plate(const GrippedPlate& grip) {
  constexpr double kPlateSide = 0.1, kFinger = 0.02, kFingerMass = 0.05;
  SceneDescription s = contact_scene("plate_grasp", grip.gravity, grip.friction, 0);
  BodyDescription palm;
  palm.name = "palm";
  palm.inertia = InertiaDescription{.mass = 1, .com = Vec3::Zero(), .inertia = 0.01 * Mat3::Identity()};
  palm.joint.kind = grip.lift.empty() ? JointKind::fixed : JointKind::prismatic;
  palm.joint.X_PJ.position = Vec3(0, 0, grip.height);
  palm.joint.motion = grip.lift;
  s.bodies = {palm};
  for (const double side : {-1.0, 1.0}) {
    const Vec3 size(kFinger, 0.04, 0.04);
    BodyDescription finger = free_solid(side < 0 ? "left" : "right", Box{size}, Vec3::Zero());
    finger.inertia = InertiaDescription{.mass = kFingerMass, .inertia = box_inertia(kFingerMass, size)};
    finger.joint = {};
    finger.joint.kind = JointKind::prismatic;
    finger.joint.parent = "palm";
    finger.joint.axis = Vec3::UnitX();
    finger.joint.position = {side * (grip.thickness / 2 + kStandoff + kFinger / 2)};
    finger.joint.effort = {{.times = {0}, .values = {-side * grip.force}}};
    s.bodies.push_back(finger);
  }
  const Vec3 size(grip.thickness, kPlateSide, kPlateSide);
  BodyDescription plate = free_solid("plate", Box{size}, Vec3(0, 0, grip.height));
  plate.inertia = InertiaDescription{.mass = grip.mass, .inertia = box_inertia(grip.mass, size)};
  s.bodies.push_back(plate);
  return s;
}

}  // namespace jade::cases
