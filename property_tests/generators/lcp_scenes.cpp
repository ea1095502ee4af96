#include "generators/lcp_scenes.h"

#include <algorithm>

namespace jade::generators {
// Never two draws among the operands of one expression or the arguments of one call (but in braces): their order is
// the compiler's choice there, and a problem must be the same from every build.
namespace {

constexpr double kGravityStep = 0.0981;  // g times a step of 0.01 s [m/s]

Vec3 half_extents(RandomStream& random) {
  const double x = random.uniform(0.1, 1), y = random.uniform(0.1, 1), z = random.uniform(0.1, 1);
  return {x, y, z};
}

Vec3 along_ground(RandomStream& random, double speed) {
  Vec3 direction = random.direction();
  direction.z() = 0;
  return direction.norm() > 1e-3 ? Vec3(speed * direction.normalized()) : Vec3(speed, 0, 0);
}

void keep_first(ContactScene& scene, int contacts) {
  if (static_cast<int>(scene.contacts.size()) > contacts) scene.contacts.resize(contacts);
}

/// Half of the scenes keep aligned axes and the order of construction, which is where ties live.
void disguise(ContactScene& scene, RandomStream& random) {
  if (random.chance(0.5)) scene.rotate(random.rotation());
  if (random.chance(0.5)) scene.shuffle(random);
}

RandomStream* maybe(RandomStream& random, bool yes) { return yes ? &random : nullptr; }

}  // namespace

ContactScene box_on_plane(RandomStream& random, int contacts, BoxMotion motion) {
  const Vec3 half = half_extents(random);
  ContactScene scene;
  SceneBody box = box_body(random.uniform(0.1, 10), half, {0, 0, half.z()});
  const double mu = random.uniform(0.05, 1.2);
  const double fall = random.chance(0.5) ? kGravityStep : random.uniform(0.1, 2);
  switch (motion) {
    case BoxMotion::sliding:
      box.velocity = along_ground(random, random.uniform(0.5, 3));
      break;
    case BoxMotion::sticking:
      box.velocity = along_ground(random, random.uniform(0, 0.5) * mu * fall);
      break;
    case BoxMotion::twisting:
      box.velocity = along_ground(random, random.chance(0.5) ? random.uniform(0, 1) : 0.0);
      box.spin.z() = random.uniform(-5, 5);
      break;
  }
  box.velocity.z() -= fall;
  scene.bodies.push_back(box);
  const ContactPatch bottom{.side1 = {half.x(), 0, 0}, .side2 = {0, half.y(), 0}, .mu = mu};
  add_patch(scene, bottom, contacts, maybe(random, contacts > 4 || random.chance(0.5)));
  disguise(scene, random);
  return scene;
}

ContactScene row_of_boxes(RandomStream& random, int contacts) {
  const bool turned = random.chance(0.3), equal = random.chance(0.5);
  const double mu_ground = random.uniform(0.05, 1), mu_side = random.uniform(0, 1);
  Vec3 half = half_extents(random), previous = half;
  double x = 0;
  ContactScene scene;
  for (int i = 0; static_cast<int>(scene.contacts.size()) < contacts; ++i) {
    if (!equal) half = half_extents(random);
    SceneBody box = box_body(random.uniform(0.5, 2), half, {x + half.x(), 0, half.z()});
    box.velocity = {i == 0 ? random.uniform(0.5, 3) : 0.0, 0, -kGravityStep};
    if (random.chance(0.2)) box.spin.z() = random.uniform(-1, 1);
    scene.bodies.push_back(box);
    const Vec3 face = half.cwiseMin(previous);
    if (i > 0) {
      add_patch(scene,
                {.a = i,
                 .b = i - 1,
                 .centre = {x, 0, face.z()},
                 .normal = Vec3::UnitX(),
                 .side1 = {0, face.y(), 0},
                 .side2 = {0, 0, face.z()},
                 .mu = mu_side},
                4, maybe(random, turned));
    }
    add_patch(scene,
              {.a = i,
               .centre = {x + half.x(), 0, 0},
               .side1 = {half.x(), 0, 0},
               .side2 = {0, half.y(), 0},
               .mu = mu_ground},
              4, maybe(random, turned));
    x += 2 * half.x();
    previous = half;
  }
  keep_first(scene, contacts);
  disguise(scene, random);
  return scene;
}

ContactScene stack_of_boxes(RandomStream& random, int contacts) {
  const bool turned = random.chance(0.3), equal = random.chance(0.5), still = random.chance(0.4);
  const double mu = random.uniform(0.05, 1.2);
  Vec3 half = half_extents(random);
  Vec3 below_centre = Vec3::Zero(), below_half(10, 10, 0);
  ContactScene scene;
  for (int i = 0; static_cast<int>(scene.contacts.size()) < contacts; ++i) {
    if (!equal) half = half_extents(random);
    Vec3 centre = below_centre + Vec3(0, 0, below_half.z() + half.z());
    if (!still) centre += Vec3(0.3 * half.x(), 0.3 * half.y(), 0) * random.uniform(-1, 1);
    SceneBody box = box_body(random.uniform(0.5, 2), half, centre);
    box.velocity = {0, 0, -kGravityStep};
    if (!still) {
      box.velocity += along_ground(random, random.uniform(0, 1));
      box.spin = 0.3 * random.vector();
    }
    scene.bodies.push_back(box);

    // The rectangle in which the two faces overlap.
    const Vec3 lower = (centre - half).cwiseMax(below_centre - below_half);
    const Vec3 upper = (centre + half).cwiseMin(below_centre + below_half);
    add_patch(scene,
              {.a = i,
               .b = i - 1,  // the lowest box touches the ground, which is −1
               .centre = {(lower.x() + upper.x()) / 2, (lower.y() + upper.y()) / 2, centre.z() - half.z()},
               .side1 = {(upper.x() - lower.x()) / 2, 0, 0},
               .side2 = {0, (upper.y() - lower.y()) / 2, 0},
               .mu = mu},
              4, maybe(random, turned));
    below_centre = centre;
    below_half = half;
  }
  keep_first(scene, contacts);
  disguise(scene, random);
  return scene;
}

ContactScene wedge(RandomStream& random, int contacts) {
  const int planes = random.integer(2, 3);
  const double steepness = random.uniform(0.5, 4);  // tangent of the planes' slope
  const double mu = random.uniform(0.8, 2);
  ContactScene scene;
  const Vec3 half = half_extents(random);
  SceneBody body = box_body(random.uniform(0.1, 10), half, Vec3::Zero());
  body.velocity = 0.5 * random.vector();
  body.velocity.z() -= random.uniform(0, 2);
  if (random.chance(0.7)) body.spin = random.vector();
  scene.bodies.push_back(body);
  // Cosine and sine of 0°, 120°, 240°; two planes face each other.
  const double third = std::sqrt(3.0) / 2;
  const Vec2 three[3] = {{1, 0}, {-0.5, third}, {-0.5, -third}};
  const Vec2 two[2] = {{1, 0}, {-1, 0}};
  for (int c = 0; c < contacts; ++c) {
    const Vec2 side = planes == 2 ? two[c % 2] : three[c % 3];
    const Vec3 normal = Vec3(-steepness * side.x(), -steepness * side.y(), 1).normalized();
    const Vec3 along(-side.y(), side.x(), 0);
    const Vec3 up = normal.cross(along);
    const double x = random.uniform(-0.5, 0.5), y = random.uniform(-0.5, 0.5);
    scene.contacts.push_back({.point = -0.5 * normal + x * along + y * up, .normal = normal, .mu = mu});
  }
  disguise(scene, random);
  return scene;
}

ContactScene pinched_plate(RandomStream& random, int contacts) {
  const Vec3 half{random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.0005, 0.01)};
  ContactScene scene;
  SceneBody plate = box_body(random.uniform(0.01, 1), half, Vec3::Zero());
  plate.velocity = along_ground(random, random.uniform(0, 2)) - Vec3(0, 0, kGravityStep);
  if (random.chance(0.5)) plate.spin = random.vector();
  scene.bodies.push_back(plate);
  const bool on_table = random.chance(0.3);  // pinched against something that does not move
  const double mu = random.uniform(0.1, 1.5);
  for (int c = 0; c < contacts; ++c) {
    const double side = c % 2 == 0 ? 1 : -1;
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
    const Vec3 point(x * half.x(), y * half.y(), side * half.z());
    int finger = kGround;
    if (!(on_table && side < 0)) {
      finger = static_cast<int>(scene.bodies.size());
      const double radius = random.uniform(0.01, 0.1);
      const Vec3 centre = point + side * Vec3(0, 0, radius);
      SceneBody ball = box_body(random.uniform(0.05, 5), Vec3::Constant(radius), centre);
      ball.velocity = along_ground(random, random.uniform(0, 0.2));
      ball.velocity.z() -= side * random.uniform(0, 1);
      scene.bodies.push_back(ball);
    }
    scene.contacts.push_back({.a = 0, .b = finger, .point = point, .normal = Vec3(0, 0, -side), .mu = mu});
  }
  disguise(scene, random);
  return scene;
}

ContactScene grid_of_boxes(RandomStream& random, int contacts) {
  const int per_face = random.chance(0.5) ? 4 : random.integer(1, 2);
  const int columns = random.integer(1, std::max(1, contacts / (2 * per_face)));
  const double mu = random.uniform(0, 1.2);
  const bool at_rest = random.chance(0.3);
  const Vec3 half = half_extents(random);
  ContactScene scene;
  for (int i = 0; static_cast<int>(scene.contacts.size()) < contacts; ++i) {
    const int column = i % columns, level = i / columns;
    const Vec3 centre(2 * half.x() * column, 0, half.z() * (2 * level + 1));
    SceneBody box = box_body(random.uniform(0.5, 2), half, centre);
    box.velocity = {0, 0, -kGravityStep};
    if (!at_rest) {
      box.velocity += 0.5 * random.vector();
      box.spin = 0.2 * random.vector();
    }
    scene.bodies.push_back(box);
    add_patch(scene,
              {.a = i,
               .b = level == 0 ? kGround : i - columns,
               .centre = centre - Vec3(0, 0, half.z()),
               .side1 = {half.x(), 0, 0},
               .side2 = {0, half.y(), 0},
               .mu = mu},
              per_face, nullptr);
    if (column == 0) continue;
    add_patch(scene,
              {.a = i,
               .b = i - 1,
               .centre = centre - Vec3(half.x(), 0, 0),
               .normal = Vec3::UnitX(),
               .side1 = {0, half.y(), 0},
               .side2 = {0, 0, half.z()},
               .mu = mu},
              per_face, nullptr);
  }
  keep_first(scene, contacts);
  disguise(scene, random);
  return scene;
}

ContactScene tied_cubes(RandomStream& random, int contacts) {
  constexpr double frictions[] = {0, 0.25, 0.5, 1, 2};
  const double mu = frictions[random.integer(0, 4)];
  const double inertia = random.chance(0.5) ? 0.25 : 1.0 / 6;  // dyadic, or that of a cube
  const bool upwards = random.chance(0.5);
  const auto quarter = [&](int limit) { return 0.25 * random.integer(-limit, limit); };
  ContactScene scene;
  for (int i = 0; static_cast<int>(scene.contacts.size()) < contacts; ++i) {
    const Vec3 centre = upwards ? Vec3(0, 0, 0.5 + i) : Vec3(i, 0, 0.5);
    SceneBody cube{.mass = 1, .inertia = Vec3::Constant(inertia), .centre = centre};
    cube.velocity.z() = -0.25 * random.integer(0, 2);
    if (random.chance(0.5)) cube.velocity.x() = quarter(4);
    if (random.chance(0.25)) cube.velocity.y() = quarter(4);
    if (random.chance(0.25)) cube.spin.z() = quarter(2);
    scene.bodies.push_back(cube);
    const Vec3 x(0.5, 0, 0), y(0, 0.5, 0), z(0, 0, 0.5);
    const int below = upwards ? i - 1 : kGround;
    add_patch(scene, {.a = i, .b = below, .centre = centre - z, .side1 = x, .side2 = y, .mu = mu}, 4,
              nullptr);
    if (upwards || i == 0) continue;
    add_patch(
        scene,
        {.a = i, .b = i - 1, .centre = centre - x, .normal = Vec3::UnitX(), .side1 = y, .side2 = z, .mu = mu},
        4, nullptr);
  }
  keep_first(scene, contacts);
  return scene;
}

ContactScene tree_of_balls(RandomStream& random, int contacts) {
  const double mu = random.uniform(0, 1.5);
  ContactScene scene;
  std::vector<double> radii;
  for (int c = 0; c < contacts; ++c) {
    const double radius = random.uniform(0.1, 1);
    SceneBody ball{.mass = random.uniform(0.2, 5)};
    ball.inertia.setConstant(0.4 * ball.mass * radius * radius);
    ball.velocity = random.vector();
    ball.spin = random.vector();
    // Each ball touches one thing that was there before: the three rows are independent on its own columns.
    const int touched = c == 0 || random.chance(0.3) ? kGround : random.integer(0, c - 1);
    const Vec3 normal = touched == kGround ? Vec3::UnitZ() : random.direction();
    Vec3 point = 2 * random.vector();
    if (touched != kGround) point = scene.bodies[touched].centre + radii[touched] * normal;
    ball.centre = point + radius * normal;
    radii.push_back(radius);
    scene.bodies.push_back(ball);
    scene.contacts.push_back({.a = c, .b = touched, .point = point, .normal = normal, .mu = mu});
  }
  disguise(scene, random);
  return scene;
}

ContactScene duplicated_contacts(RandomStream& random, int contacts) {
  const int distinct = random.integer(std::max(1, contacts / 4), contacts);
  ContactScene scene;
  switch (random.integer(0, 3)) {
    case 0:
      scene = box_on_plane(random, distinct, BoxMotion::twisting);
      break;
    case 1:
      scene = row_of_boxes(random, distinct);
      break;
    case 2:
      scene = stack_of_boxes(random, distinct);
      break;
    default:
      scene = wedge(random, distinct);
      break;
  }
  while (static_cast<int>(scene.contacts.size()) < contacts) {
    const SceneContact copy = scene.contacts[random.integer(0, distinct - 1)];
    scene.contacts.push_back(copy);
  }
  if (random.chance(0.5)) scene.shuffle(random);
  return scene;
}

void spread_masses(ContactScene& scene, RandomStream& random) {
  constexpr double log2_of_100 = 6.5625;  // 64 × 1.5625 = 100 in the linear interpolation of binade()
  for (SceneBody& body : scene.bodies) {
    const double factor = random.binade(-log2_of_100, log2_of_100) / body.mass;
    body.mass *= factor;
    body.inertia *= factor;
  }
}

}  // namespace jade::generators
