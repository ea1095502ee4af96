#include "generators/scene_growth.h"

#include <algorithm>
#include <array>
#include <string>

#include "generators/numbers.h"

namespace jade::generators {
namespace {

/// Moments of three positive second moments of mass, so the triangle inequality holds by construction.
InertiaDescription random_inertia(Numbers& numbers) {
  const double mass = numbers.real(0.2, 4, 1);
  const Vec3 second(numbers.real(0.003, 0.1, 0.05), numbers.real(0.003, 0.1, 0.05),
                    numbers.real(0.003, 0.1, 0.05));
  const Vec3 principal = mass * (Vec3::Constant(second.sum()) - second);
  const Mat3 R = numbers.orientation().toRotationMatrix();
  Mat3 inertia = R * principal.asDiagonal() * R.transpose();
  inertia = (0.5 * (inertia + inertia.transpose())).eval();
  return {.mass = mass, .com = numbers.vector(0.3, Vec3(0, 0, 0)), .inertia = inertia};
}

std::vector<double> random_position(JointKind kind, Numbers& numbers) {
  const int angles = kind == JointKind::ball ? 0 : kind == JointKind::free ? 3 : velocity_count(kind);
  std::vector<double> position = numbers.list(angles, -1.2, 1.2, 0);
  if (has_quaternion(kind)) {
    const Quat q = numbers.orientation();
    position.insert(position.end(), {q.w(), q.x(), q.y(), q.z()});
  }
  return position;
}

JointDescription random_joint(JointKind kind, const Soil& soil, Numbers& numbers) {
  JointDescription joint{.kind = kind};
  if (kind != JointKind::free) {
    joint.X_PJ = {numbers.vector(0.5, Vec3(0, 0, 0)), numbers.orientation()};
    joint.X_BK = {numbers.vector(0.5, Vec3(0, 0, 0)), numbers.orientation()};
  }
  joint.axis = numbers.direction(Vec3::UnitZ());
  // Across the first axis; slanted by up to half a radian where that is allowed.
  const Vec3 other = numbers.direction(Vec3::UnitY());
  const Vec3 along = joint.axis.normalized();
  Vec3 across = other - along * along.dot(other);
  if (across.norm() < 1e-3 * other.norm()) across = along.unitOrthogonal();
  joint.second_axis = across;
  if (kind == JointKind::universal) joint.second_axis += numbers.real(-0.5, 0.5, 0) * across.norm() * along;
  if (kind == JointKind::screw) joint.pitch = numbers.real(-0.3, 0.3, 0.1);

  const int n = velocity_count(kind);
  joint.position = random_position(kind, numbers);
  joint.velocity = numbers.list(n, -2, 2, 0);
  if (!soil.passive || kind == JointKind::free) return joint;
  if (numbers.chance(0.5)) joint.damping = numbers.list(n, 0, 1, 0);
  if (numbers.chance(0.5)) joint.armature = numbers.list(n, 0, 0.3, 0);
  if (kind != JointKind::ball && numbers.chance(0.5)) {
    joint.stiffness = numbers.list(n, 0, 10, 0);
    joint.rest_position = numbers.list(n, -1, 1, 0);
  }
  return joint;
}

Shape random_shape(Numbers& numbers) {
  const double r = numbers.real(0.02, 0.3, 0.1), l = numbers.real(0.05, 0.5, 0.2);
  switch (numbers.choice(5)) {
    case 0:
      return Sphere{.radius = r};
    case 1:
      return Capsule{.radius = r, .half_length = l};
    case 2:
      return Box{.size = Vec3(r, l, numbers.real(0.05, 0.5, 0.2))};
    case 3:
      return Cylinder{.radius = r, .half_length = l};
    default:
      break;
  }
  // An octahedron of six different radii never is flat.
  ConvexHull hull;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      hull.points.push_back(side * numbers.real(0.05, 0.4, 0.2) * Vec3::Unit(axis));
  return hull;
}

const std::array<std::string, 3> kMaterials{"wood", "steel", "rubber"};

void add_shapes(BodyDescription& body, Numbers& numbers) {
  const int count = 1 + numbers.choice(2);
  const bool weighed = numbers.chance(0.3);
  for (int k = 0; k < count; ++k)
    body.shapes.push_back({.geometry = random_shape(numbers),
                           .X_BS = {numbers.vector(0.2, Vec3(0, 0, 0)), numbers.orientation()},
                           .material = kMaterials[static_cast<std::size_t>(numbers.choice(3))],
                           .density = weighed ? std::optional(numbers.real(100, 2000, 1000)) : std::nullopt});
  if (weighed) body.inertia.reset();
}

void add_ground(SceneDescription& scene) {
  scene.materials.assign(kMaterials.begin(), kMaterials.end());
  for (std::size_t a = 0; a < kMaterials.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b)
      scene.pairs.push_back({.first = kMaterials[a],
                             .second = kMaterials[b],
                             .friction = 0.2 * static_cast<double>(a + b),
                             .restitution = 0.25 * static_cast<double>(b)});
  BodyDescription ground{.name = "ground", .joint = {.kind = JointKind::fixed}};
  ground.shapes.push_back(
      {.geometry = HalfSpace{}, .X_BS = {Vec3(0, 0, -5), Quat::Identity()}, .material = "wood"});
  scene.bodies.push_back(ground);
}

}  // namespace

SceneDescription grow(const std::vector<Sprout>& sprouts, const Soil& soil) {
  SceneDescription scene{.name = "grown"};
  for (std::size_t i = 0; i < sprouts.size(); ++i) {
    Numbers numbers(sprouts[i].numbers);
    const std::size_t back = sprouts[i].parent % (i + 1);  // how many bodies before this one; 0: the world
    JointKind kind = sprouts[i].kind;
    if (soil.floating && back == 0) kind = JointKind::free;

    BodyDescription body{.name = "body" + std::to_string(i)};
    body.inertia = random_inertia(numbers);
    body.joint = random_joint(kind, soil, numbers);
    if (kind != JointKind::free && back > 0) body.joint.parent = scene.bodies[i - back].name;
    if (soil.shapes) add_shapes(body, numbers);
    scene.bodies.push_back(body);
  }
  if (soil.shapes) add_ground(scene);
  return scene;
}

SceneDescription random_scene(std::uint64_t seed, std::uint64_t index, const Soil& soil) {
  RandomStream stream(mixed_seed(seed, "scene", index));
  std::vector<Sprout> sprouts(static_cast<std::size_t>(stream.integer(1, soil.most_bodies)));
  for (Sprout& sprout : sprouts) {
    sprout.kind =
        soil.kinds[static_cast<std::size_t>(stream.integer(0, static_cast<int>(soil.kinds.size()) - 1))];
    // Mostly on one of the last bodies, so that trees grow deep.
    sprout.parent =
        static_cast<std::uint32_t>(stream.chance(0.7) ? stream.integer(1, 3) : stream.integer(0, 100));
    sprout.numbers = stream.bits() | 1;
  }
  return grow(sprouts, soil);
}

}  // namespace jade::generators
