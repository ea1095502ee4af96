#pragma once

#include <vector>

#include "generators/random_stream.h"
#include "jade/lcp/lcp_problem.h"

namespace jade::generators {

constexpr int kGround = -1;

/// A free rigid body as the contact problem sees it. World axes.
struct SceneBody {
  double mass = 1;
  Vec3 inertia = Vec3::Ones();  ///< about the principal axes of R
  Mat3 R = Mat3::Identity();
  Vec3 centre = Vec3::Zero();
  Vec3 velocity = Vec3::Zero();  ///< of the centre, without contact forces
  Vec3 spin = Vec3::Zero();
};

/// A point where body a is pushed along +normal and body b along −normal.
struct SceneContact {
  int a = 0, b = kGround;
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();
  double mu = 0.5;
  Vec2 turn = {1, 0};      ///< cosine and sine of the tangents' angle about the normal
  double restitution = 0;  ///< adds e J_n u to the bias of a closing normal row
  double bias = 0;         ///< further bias of the normal row
};

/// Bodies and the points where they touch: all that a contact problem is made of.
struct ContactScene {
  std::vector<SceneBody> bodies;
  std::vector<SceneContact> contacts;

  /// J u is the velocity of a's point relative to b's, along n, t₁ and t₂:
  ///   row of direction d:  [dᵀ  ((p − c_a) × d)ᵀ] on the six columns of a (linear, angular), the opposite on b
  ContactFactors factors() const;
  /// One normal and two tangents a contact, in the order of the contacts.
  std::vector<LcpRow> rows() const;

  /// The same scene seen from other axes.
  void rotate(const Mat3& R);
  void shuffle(RandomStream& random);
};

/// A box with the inertia of its half extents.
SceneBody box_body(double mass, const Vec3& half, const Vec3& centre);

/// A rectangle in which two bodies touch.
struct ContactPatch {
  int a = 0, b = kGround;
  Vec3 centre = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();
  Vec3 side1 = Vec3::UnitX(), side2 = Vec3::UnitY();  ///< half sides
  double mu = 0.5;
};

/// Adds `count` points of a patch: its corners first, then points inside. `random` turns the tangents when given.
void add_patch(ContactScene& scene, const ContactPatch& patch, int count, RandomStream* random);

}  // namespace jade::generators
