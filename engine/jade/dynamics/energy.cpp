#include "jade/dynamics/energy.h"

#include "jade/dynamics/kinematics.h"

namespace jade {

double kinetic_energy(const Model& model, const DynamicsWorkspace& work, const VecX& v) {
  double twice = 0;
  for (std::size_t i = 0; i < work.V.size(); ++i) twice += work.V[i].dot(work.inertia[i] * work.V[i]);
  for (int k = 0; k < model.nv(); ++k) twice += model.armature()[k] * v[k] * v[k];
  return 0.5 * twice;
}

double kinetic_energy(const Model& model, const State& state) {
  DynamicsWorkspace work(model);
  update_positions(model, state.q, work);
  update_velocities(model, state.v, work);
  return kinetic_energy(model, work, state.v);
}

double potential_energy(const Model& model, const DynamicsWorkspace& work, const VecX& q) {
  double energy = 0;
  for (std::size_t i = 0; i < work.inertia.size(); ++i) {
    const Vec3& O = work.origin[model.links()[i].tree];
    energy -= model.gravity().dot(work.inertia[i].m * O + work.inertia[i].h);
  }
  for (int k = 0; k < model.nv(); ++k) {
    const int position = model.velocity_position()[k];
    if (position < 0) continue;
    const double stretch = q[position] - model.rest_position()[k];
    energy += 0.5 * model.stiffness()[k] * stretch * stretch;
  }
  return energy;
}

double potential_energy(const Model& model, const VecX& q) {
  DynamicsWorkspace work(model);
  update_positions(model, q, work);
  return potential_energy(model, work, q);
}

MassCentre centre_of_mass(const Model& model, const DynamicsWorkspace& work) {
  MassCentre centre;
  for (std::size_t i = 0; i < work.inertia.size(); ++i) {
    centre.mass += work.inertia[i].m;
    centre.position += work.inertia[i].m * work.origin[model.links()[i].tree] + work.inertia[i].h;
  }
  if (centre.mass > 0) centre.position /= centre.mass;
  return centre;
}

Momentum momentum(const Model& model, const DynamicsWorkspace& work, const Vec3& point_W) {
  Momentum total;
  for (std::size_t i = 0; i < work.V.size(); ++i) {
    const Vec6 about_O = work.inertia[i] * work.V[i];
    const Vec3 arm = work.origin[model.links()[i].tree] - point_W;
    total.linear += about_O.tail<3>();
    total.angular += about_O.head<3>() + cross3(arm, about_O.tail<3>());
  }
  return total;
}

Momentum momentum(const Model& model, const State& state, const Vec3& point_W) {
  DynamicsWorkspace work(model);
  update_positions(model, state.q, work);
  update_velocities(model, state.v, work);
  return momentum(model, work, point_W);
}

}  // namespace jade
