#include "generators/world_growth.h"

#include <algorithm>
#include <array>
#include <string>

#include "generators/numbers.h"
#include "jade/geometry/test_meshes.h"

namespace jade::generators {
namespace {

constexpr double kStandoff = 1e-5;  // at which things that rest are placed

// Middle of the walls, from the middle of the floor, and how thick they are.
constexpr double kWall = 2.02, kWallThickness = 0.02;

/// Moved down so that z = 0 is its middle.
TriangleMesh centred(TriangleMesh mesh, double height) {
  for (Vec3& p : mesh.vertices) p.z() -= 0.5 * height;
  return mesh;
}

/// An L with arms of lengths a and b and width w.
TriangleMesh angle_mesh(double a, double b, double w, double height) {
  return centred(test_meshes::prism({{0, 0}, {a, 0}, {a, w}, {w, w}, {w, b}, {0, b}},
                                    {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}, height),
                 height);
}

/// A square frame: outer half side `outer`, hole of half side `inner`.
TriangleMesh ring_mesh(double outer, double inner, double height) {
  TriangleMesh mesh;
  for (const double z : {-0.5 * height, 0.5 * height})
    for (const double r : {outer, inner})
      for (const auto& [x, y] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}})
        mesh.vertices.emplace_back(r * x, r * y, z);
  const auto quad = [&](int a, int b, int c, int d) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  };
  for (int i = 0; i < 4; ++i) {
    const int j = (i + 1) % 4;
    quad(8 + i, 8 + j, 12 + j, 12 + i);  // top
    quad(j, i, 4 + i, 4 + j);            // bottom
    quad(i, j, 8 + j, 8 + i);            // outside
    quad(4 + j, 4 + i, 12 + i, 12 + j);  // inside
  }
  return mesh;
}

double farthest(const std::vector<Vec3>& points) {
  double reach = 0;
  for (const Vec3& p : points) reach = std::max(reach, p.norm());
  return reach;
}

/// A shape, a ball about its origin that holds it, and how far it extends downwards when it is not turned.
struct Solid {
  Shape shape;
  double reach = 0, below = 0;
};

Solid random_solid(Thing thing, Numbers& numbers) {
  const double r = numbers.real(0.03, 0.15, 0.1), l = numbers.real(0.03, 0.2, 0.1);
  switch (thing) {
    case Thing::sphere:
      return {Sphere{r}, r, r};
    case Thing::capsule:
      return {Capsule{r, l}, r + l, r + l};
    case Thing::cylinder:
      return {Cylinder{r, l}, std::sqrt(r * r + l * l), l};
    case Thing::hull: {
      ConvexHull hull;
      for (int axis = 0; axis < 3; ++axis)
        for (const double side : {-1.0, 1.0})
          hull.points.push_back(side * numbers.real(0.04, 0.2, 0.1) * Vec3::Unit(axis));
      const int more = numbers.choice(8);
      for (int k = 0; k < more; ++k)
        hull.points.push_back(0.12 * numbers.direction(Vec3::UnitX()).normalized());
      const double reach = farthest(hull.points);
      double below = 0;
      for (const Vec3& p : hull.points) below = std::max(below, -p.z());
      return {hull, reach, below};
    }
    case Thing::plate: {
      const Vec3 size(2 * r, 2 * l, 1e-4);
      return {Box{size}, 0.5 * size.norm(), 0.5 * size.z()};
    }
    case Thing::angle: {
      const double w = 0.3 * std::min(r, l);
      const TriangleMesh mesh = angle_mesh(2 * r, 2 * l, w, l);
      return {mesh, farthest(mesh.vertices), 0.5 * l};
    }
    case Thing::ring: {
      const TriangleMesh mesh = ring_mesh(r, numbers.real(0.3, 0.9, 0.5) * r, l);
      return {mesh, farthest(mesh.vertices), 0.5 * l};
    }
    default: {
      const Vec3 size(2 * r, 2 * l, numbers.real(0.05, 0.3, 0.2));
      return {Box{size}, 0.5 * size.norm(), 0.5 * size.z()};
    }
  }
}

ShapeDescription made_of(const Shape& shape, std::optional<double> density) {
  return {.name = "", .geometry = shape, .X_BS = {}, .material = "stuff", .density = density};
}

class Grower {
 public:
  Grower(std::uint64_t setting, const Climate& climate) : climate_(climate) {
    Numbers numbers(setting);
    SceneDescription& scene = world.scene;
    scene.name = "world";
    scene.materials = {"stuff"};
    const double friction = numbers.chance(0.2) ? 0 : numbers.real(0, 1.2, 0.5);
    const double restitution = numbers.chance(0.4) ? 0 : numbers.chance(0.2) ? 1 : numbers.real(0, 1, 0);
    scene.pairs = {{"stuff", "stuff", friction, restitution}};
    scene.gravity = climate.gravity && !numbers.chance(0.2) ? Vec3(0, 0, -9.81) : Vec3(0, 0, 0);
    world.h = numbers.chance(0.2) ? climate.longest_step : numbers.real(0.001, climate.longest_step, 0.01);
    if (!climate.fixed) return;
    if (numbers.chance(0.5)) {
      // Thin floor: what comes through is below it.
      add_fixed("floor", Box{Vec3(6, 6, 0.01)}, Vec3(0, 0, -0.005));
    } else {
      add_fixed("floor", HalfSpace{}, Vec3::Zero());
    }
    walled_ = numbers.chance(0.7);
    for (int side = 0; walled_ && side < 4; ++side) {
      const Vec3 n = side < 2 ? Vec3::UnitX() : Vec3::UnitY();
      add_fixed("wall" + std::to_string(side),
                Box{Vec3(kWallThickness, kWallThickness, 2) + 4 * (Vec3::Ones() - n - Vec3::UnitZ())},
                (side % 2 == 0 ? kWall : -kWall) * n + Vec3(0, 0, 1.001));
    }
  }

  void add(const Seed& seed) {
    Numbers numbers(seed.numbers);
    Thing thing = seed.thing;
    const std::string name = std::to_string(count_++);
    if (!climate_.articulated && (thing == Thing::pendulum || thing == Thing::walker)) thing = Thing::capsule;
    switch (thing) {
      case Thing::pendulum:
        return add_pendulum(name, numbers);
      case Thing::walker:
        return add_walker(name, numbers);
      case Thing::stack:
        return add_stack(name, numbers);
      default:
        return add_solid(name, thing, numbers);
    }
  }

  World world;

 private:
  struct Ball {
    Vec3 centre;
    double radius;
  };

  void add_fixed(const std::string& name, const Shape& shape, const Vec3& at) {
    BodyDescription body{.name = name};
    body.shapes = {made_of(shape, std::nullopt)};
    body.joint.kind = JointKind::fixed;
    body.joint.X_PJ.position = at;
    world.scene.bodies.push_back(body);
  }

  bool meets_wall(double across, double radius) const {
    return walled_ && std::abs(std::abs(across) - kWall) <= radius + 0.5 * kWallThickness;
  }

  /// Moves a ball along x, y or up until it is clear of all before it; within the walls if it can be.
  Vec3 find_place(Vec3 centre, double radius, bool keep_height) {
    const auto clear = [&] {
      if (keep_height && (meets_wall(centre.x(), radius) || meets_wall(centre.y(), radius))) return false;
      return std::all_of(taken_.begin(), taken_.end(), [&](const Ball& ball) {
        return (centre - ball.centre).norm() > radius + ball.radius + 1e-3;
      });
    };
    for (int k = 0; !clear(); ++k) {
      if (keep_height) {
        // On the floor: a square spiral of places.
        const double x = 0.35 * ((k * 7) % 11 - 5), y = 0.35 * ((k * 5) % 11 - 5);
        centre.x() = k < 121 ? x : x + 0.3 * k;
        centre.y() = y;
      } else {
        centre.z() += 0.25 * radius;
      }
    }
    taken_.push_back({centre, radius});
    return centre;
  }

  double density(Numbers& numbers) {
    constexpr double densities[] = {1000, 100, 10000};
    return densities[numbers.choice(3)];
  }

  Vec3 aim(const Vec3& from, Numbers& numbers) {
    // Most fly towards the middle, where the others are.
    const double speed = numbers.chance(0.3) ? climate_.fastest : numbers.real(0, 5, 0);
    const Vec3 target = numbers.vector(0.4, Vec3(0, 0, 0)) + Vec3(0, 0, 0.3);
    const Vec3 way = target - from;
    return way.norm() > 0.1 ? Vec3(speed * way.normalized()) : Vec3(speed * Vec3::UnitX());
  }

  Vec3 random_spin(Numbers& numbers) {
    const double spin = numbers.chance(0.2)   ? climate_.spin
                        : numbers.chance(0.5) ? numbers.real(0, 10, 0)
                                              : 0;
    return spin * numbers.direction(Vec3::UnitX()).normalized();
  }

  /// How far above the standoff something is placed, over a floor or a box if `on_something`. Gravity lets it rest there.
  double lifted(bool on_something, Numbers& numbers) {
    const bool without_load = on_something && world.scene.gravity.isZero(0);
    if (without_load && !climate_.touching) return numbers.real(1e-3, 0.05, 0.01);
    world.touches_without_load = world.touches_without_load || without_load;
    return 0;
  }

  static void set_state(BodyDescription& body, const Vec3& at, const Quat& q, const Vec3& v, const Vec3& w) {
    body.joint.position = {at.x(), at.y(), at.z(), q.w(), q.x(), q.y(), q.z()};
    body.joint.velocity = {v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
  }

  void add_solid(const std::string& name, Thing thing, Numbers& numbers) {
    const Solid solid = random_solid(thing, numbers);
    BodyDescription body{.name = name};
    body.shapes = {made_of(solid.shape, density(numbers))};
    const Vec3 wish = numbers.vector(1.2, Vec3(0, 0, 0));
    if (numbers.chance(0.3) || world.scene.bodies.empty()) {
      const double height = solid.below + kStandoff + lifted(climate_.fixed, numbers);
      const Vec3 at = find_place(Vec3(wish.x(), wish.y(), height), solid.reach, true);
      Vec3 v = numbers.vector(3, Vec3(0, 0, 0));
      v.z() = 0;
      set_state(body, at, Quat::Identity(), v, Vec3::Zero());
    } else {
      const Vec3 above(wish.x(), wish.y(), solid.reach + 1e-3 + std::abs(wish.z()));
      const Vec3 at = find_place(above, solid.reach, false);
      const Vec3 v = aim(at, numbers), w = random_spin(numbers);
      set_state(body, at, numbers.orientation(), v, w);
    }
    world.scene.bodies.push_back(body);
  }

  void add_stack(const std::string& name, Numbers& numbers) {
    const int levels = 2 + numbers.choice(3);
    const double side = numbers.real(0.1, 0.25, 0.2), height = numbers.real(0.05, 0.15, 0.1);
    std::array<double, 4> lifts{};  // of each above the one below
    double total = levels * (height + kStandoff);
    for (int k = 0; k < levels; ++k) total += lifts[k] = lifted(true, numbers);
    const double radius = 0.5 * (total + 1.5 * side);
    const Vec3 wish = numbers.vector(1, Vec3(0, 0, 0));
    const Vec3 at = find_place(Vec3(wish.x(), wish.y(), 0.5 * total), radius, true);
    double lift = 0;
    for (int k = 0; k < levels; ++k) {
      BodyDescription body{.name = name + "_" + std::to_string(k)};
      body.shapes = {made_of(Box{Vec3(side, side, height)}, density(numbers))};
      const double turn = numbers.chance(0.3) ? numbers.real(0, 1, 0) : 0;
      lift += lifts[k];
      set_state(body, Vec3(at.x(), at.y(), kStandoff + 0.5 * height + k * (height + kStandoff) + lift),
                Quat(Eigen::AngleAxisd(turn, Vec3::UnitZ())), Vec3::Zero(), Vec3::Zero());
      world.scene.bodies.push_back(body);
    }
  }

  /// Two links of capsules that hang on the world above the others.
  void add_pendulum(const std::string& name, Numbers& numbers) {
    const double l = numbers.real(0.1, 0.3, 0.2), r = numbers.real(0.01, 0.04, 0.02);
    const double reach = 2 * (2 * l + 2 * r) + 0.01;
    const Vec3 wish = numbers.vector(0.8, Vec3(0, 0, 0));
    const Vec3 at = find_place(Vec3(wish.x(), wish.y(), reach + 1e-3), reach, false);
    std::string parent;
    for (int k = 0; k < 2; ++k) {
      BodyDescription body{.name = name + "_" + std::to_string(k)};
      body.shapes = {made_of(Capsule{r, l}, density(numbers))};
      body.joint.kind = numbers.chance(0.5) ? JointKind::ball : JointKind::revolute;
      body.joint.parent = parent;
      body.joint.X_PJ.position = k == 0 ? at : Vec3(0, 0, -l - r);
      body.joint.X_BK.position = Vec3(0, 0, l + r);
      body.joint.axis = Vec3::UnitX();
      const double rate = numbers.chance(0.2) ? 0.2 * climate_.spin : numbers.real(-5, 5, 0);
      if (body.joint.kind == JointKind::revolute) {
        body.joint.position = {numbers.real(-1.5, 1.5, 0)};
        body.joint.velocity = {rate};
      } else {
        body.joint.velocity = {rate, numbers.real(-5, 5, 0), numbers.real(-5, 5, 0)};
      }
      parent = body.name;
      world.scene.bodies.push_back(body);
    }
  }

  /// A free trunk with two hinged legs.
  void add_walker(const std::string& name, Numbers& numbers) {
    const double side = numbers.real(0.08, 0.2, 0.1), l = numbers.real(0.05, 0.15, 0.1), r = 0.02;
    const double reach = side + 2 * l + 4 * r;
    const Vec3 wish = numbers.vector(1, Vec3(0, 0, 0));
    const Vec3 at = find_place(Vec3(wish.x(), wish.y(), reach + 1e-3 + std::abs(wish.z())), reach, false);
    BodyDescription trunk{.name = name + "_trunk"};
    trunk.shapes = {made_of(Box{Vec3(side, side, side)}, density(numbers))};
    const Vec3 v = aim(at, numbers), w = random_spin(numbers);
    set_state(trunk, at, numbers.orientation(), v, 0.2 * w);
    world.scene.bodies.push_back(trunk);
    for (const int k : {-1, 1}) {
      BodyDescription leg{.name = name + (k < 0 ? "_left" : "_right")};
      leg.shapes = {made_of(Capsule{r, l}, density(numbers))};
      leg.joint.kind = JointKind::revolute;
      leg.joint.parent = trunk.name;
      leg.joint.X_PJ.position = Vec3(k * (0.5 * side + 2 * r), 0, 0);
      leg.joint.X_BK.position = Vec3(0, 0, l);
      leg.joint.axis = Vec3::UnitX();
      leg.joint.position = {numbers.real(-1, 1, 0)};
      leg.joint.velocity = {numbers.real(-5, 5, 0)};
      world.scene.bodies.push_back(leg);
    }
  }

  const Climate& climate_;
  bool walled_ = false;
  std::vector<Ball> taken_;
  int count_ = 0;
};

}  // namespace

World grow_world(std::uint64_t setting, const std::vector<Seed>& seeds, const Climate& climate) {
  Grower grower(setting, climate);
  for (const Seed& seed : seeds) grower.add(seed);
  return grower.world;
}

World random_world(std::uint64_t seed, std::uint64_t index, const Climate& climate) {
  RandomStream stream(mixed_seed(seed, "world", index));
  const std::uint64_t setting = stream.bits() | 1;
  std::vector<Seed> seeds(static_cast<std::size_t>(stream.integer(1, climate.most_things)));
  for (Seed& one : seeds) {
    one.thing = static_cast<Thing>(stream.integer(0, static_cast<int>(Thing::walker)));
    one.numbers = stream.bits() | 1;
  }
  return grow_world(setting, seeds, climate);
}

}  // namespace jade::generators
