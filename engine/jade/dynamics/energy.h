#pragma once

#include "jade/dynamics/workspace.h"

namespace jade {

/// ½ vᵀ M v, the sum over links of ½ Vᵀ I V and over coordinates of ½ armature v². After update_velocities.
double kinetic_energy(const Model& model, const DynamicsWorkspace& work, const VecX& v);
double kinetic_energy(const Model& model, const State& state);

/// Of gravity, −g · Σ m p_W (zero at the world's origin), and of joint springs, ½ stiffness (q − rest)².
/// After update_positions.
double potential_energy(const Model& model, const DynamicsWorkspace& work, const VecX& q);
double potential_energy(const Model& model, const VecX& q);

struct MassCentre {
  double mass = 0;
  Vec3 position = Vec3::Zero();  ///< in the world; zero when nothing that can move has mass
};
/// Of everything that can move. After update_positions.
MassCentre centre_of_mass(const Model& model, const DynamicsWorkspace& work);

struct Momentum {
  Vec3 linear = Vec3::Zero();
  Vec3 angular = Vec3::Zero();
};
/// Momentum of all links, the angular one about `point_W`. Armature stands for rotors that are not described and has
/// no part in it. After update_velocities.
Momentum momentum(const Model& model, const DynamicsWorkspace& work, const Vec3& point_W);
Momentum momentum(const Model& model, const State& state, const Vec3& point_W = Vec3::Zero());

}  // namespace jade
