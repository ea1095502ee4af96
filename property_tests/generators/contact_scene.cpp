#include "generators/contact_scene.h"

#include <algorithm>
#include <utility>

namespace jade::generators {
namespace {

/// Two unit vectors that make (t₁, t₂, n) right-handed; exact for axis-aligned normals.
std::pair<Vec3, Vec3> tangents(const Vec3& normal, const Vec2& turn) {
  const Vec3 helper = std::abs(normal.x()) < 0.75 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 t2 = normal.cross(helper).normalized();
  const Vec3 t1 = t2.cross(normal);
  return {turn.x() * t1 + turn.y() * t2, turn.x() * t2 - turn.y() * t1};
}

}  // namespace

ContactFactors ContactScene::factors() const {
  const int nv = 6 * static_cast<int>(bodies.size());
  const int n = 3 * static_cast<int>(contacts.size());
  ContactFactors factors{MatX::Zero(n, nv), MatX::Zero(nv, nv), VecX::Zero(nv), VecX::Zero(n)};
  for (int i = 0; i < static_cast<int>(bodies.size()); ++i) {
    const SceneBody& body = bodies[i];
    factors.inverse_mass.block<3, 3>(6 * i, 6 * i).diagonal().setConstant(1 / body.mass);
    const Mat3 inverse_inertia = body.R * body.inertia.cwiseInverse().asDiagonal() * body.R.transpose();
    // Symmetric to the last bit, as the mass matrix of a careful engine is.
    factors.inverse_mass.block<3, 3>(6 * i + 3, 6 * i + 3) =
        0.5 * (inverse_inertia + inverse_inertia.transpose());
    factors.u.segment<3>(6 * i) = body.velocity;
    factors.u.segment<3>(6 * i + 3) = body.spin;
  }
  for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
    const SceneContact& contact = contacts[c];
    const auto [t1, t2] = tangents(contact.normal, contact.turn);
    const Vec3 directions[3] = {contact.normal, t1, t2};
    for (int k = 0; k < 3; ++k) {
      const auto add = [&](int body, double sign) {
        if (body == kGround) return;
        const Vec3 arm = contact.point - bodies[body].centre;
        factors.J.block<1, 3>(3 * c + k, 6 * body) += sign * directions[k].transpose();
        factors.J.block<1, 3>(3 * c + k, 6 * body + 3) += sign * arm.cross(directions[k]).transpose();
      };
      add(contact.a, 1);
      add(contact.b, -1);
    }
    const double closing = factors.J.row(3 * c).dot(factors.u);
    factors.bias[3 * c] = contact.bias + contact.restitution * std::min(closing, 0.0);
  }
  return factors;
}

std::vector<LcpRow> ContactScene::rows() const {
  std::vector<LcpRow> rows;
  rows.reserve(3 * contacts.size());
  for (const SceneContact& contact : contacts) {
    const int normal = static_cast<int>(rows.size());
    rows.push_back({.kind = RowKind::normal});
    for (int k = 0; k < 2; ++k)
      rows.push_back({.kind = RowKind::tangent, .normal = normal, .mu = contact.mu});
  }
  return rows;
}

void ContactScene::rotate(const Mat3& R) {
  for (SceneBody& body : bodies) {
    body.R = R * body.R;
    body.centre = R * body.centre;
    body.velocity = R * body.velocity;
    body.spin = R * body.spin;
  }
  for (SceneContact& contact : contacts) {
    contact.point = R * contact.point;
    contact.normal = R * contact.normal;
  }
}

void ContactScene::shuffle(RandomStream& random) {
  for (int i = static_cast<int>(contacts.size()) - 1; i > 0; --i) {
    std::swap(contacts[i], contacts[random.integer(0, i)]);
  }
}

SceneBody box_body(double mass, const Vec3& half, const Vec3& centre) {
  const Vec3 s = half.cwiseProduct(half);
  return {.mass = mass,
          .inertia = mass / 3 * Vec3(s.y() + s.z(), s.z() + s.x(), s.x() + s.y()),
          .centre = centre};
}

void add_patch(ContactScene& scene, const ContactPatch& patch, int count, RandomStream* random) {
  constexpr double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int k = 0; k < count; ++k) {
    SceneContact contact{.a = patch.a, .b = patch.b, .normal = patch.normal, .mu = patch.mu};
    double x = 0, y = 0;
    if (k < 4) {
      x = corners[k][0];
      y = corners[k][1];
    } else if (random) {
      x = random->uniform(-1, 1);
      y = random->uniform(-1, 1);
    }
    contact.point = patch.centre + x * patch.side1 + y * patch.side2;
    if (random) {
      const double cosine = random->normal(), sine = random->normal();
      const Vec2 turn(cosine, sine);
      if (turn.norm() > 1e-3) contact.turn = turn.normalized();
    }
    scene.contacts.push_back(contact);
  }
}

}  // namespace jade::generators
