#pragma once

#include "jade/dynamics/workspace.h"

namespace jade {

/// Poses of all links, motion columns S and inertias at q. Columns about O, with a the axis in the world and r the
/// joint's position from O:
///   revolute (a; r × a)   prismatic (0; a)   screw (a; r × a + pitch a)   ball (e_k of J; r × e_k)
///   free (0; e_k) for the reference point and (e_k; 0) for rotation, since O is the reference point
void update_positions(const Model& model, const VecX& q, DynamicsWorkspace& work);

/// The two parts of that: everything but the inertias, which contact geometry has no use for, and the inertias.
void update_poses(const Model& model, const VecX& q, DynamicsWorkspace& work);
void update_inertias(const Model& model, DynamicsWorkspace& work);

/// Velocities of all links at v, after update_poses:
///   V_i = V_λ + S q̇,   Ṡ q̇ = V_λ × S q̇   (S of every joint but the free one is fixed in the parent)
///   free: Ṡ q̇ = (0; v × ω), because the reference point moves away from O with v
void update_velocities(const Model& model, const VecX& v, DynamicsWorkspace& work);

/// Pose of a body in the world, after update_positions.
Transform body_pose(const Model& model, const DynamicsWorkspace& work, int body);

struct BodyVelocity {
  Vec3 w_WB;  ///< angular velocity, world axes
  Vec3 v_WB;  ///< velocity of the body's origin, world axes
};

/// Velocity of a body, after update_velocities.
BodyVelocity body_velocity(const Model& model, const DynamicsWorkspace& work, int body);

/// J v = (w_WB; v_WB), after update_positions. `jacobian` must be 6 × nv.
void body_jacobian(const Model& model, const DynamicsWorkspace& work, int body, Eigen::Ref<Mat6X> jacobian);

/// J v = velocity of the point of the body that is at p_W now, after update_positions. `jacobian` must be 3 × nv.
void point_jacobian(const Model& model, const DynamicsWorkspace& work, int body, const Vec3& p_W,
                    Eigen::Ref<Mat3X> jacobian);

}  // namespace jade
