#pragma once

#include <vector>

#include "jade/model/scene_description.h"
#include "reference/recording.h"

namespace jade::reference {

/// Where the bodies of a scene are and how fast they move for given joint coordinates, and the way back. Written
/// from the words of scene_description.h alone, without any engine: adapters start their engines from it, and it
/// is the yardstick for what an engine reports.

/// Mass, centre of mass and rotational inertia about it, in axes of the body frame; zero for bodies without.
struct BodyMass {
  double mass = 0;
  Vec3 com = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

/// Of every body, in the order of the scene; densities of shapes are worked out. Throws InvalidInput when the
/// scene has mistakes.
std::vector<BodyMass> body_masses(const SceneDescription& scene);

/// Indices of the bodies so that parents come before children. Throws InvalidInput for a cycle or an unknown
/// parent.
std::vector<int> parents_first(const SceneDescription& scene);

/// Index of the body a joint hangs on; −1: the world.
int parent_of(const SceneDescription& scene, int body);

/// Initial coordinates of every joint, defaults filled in.
std::vector<JointState> initial_joints(const SceneDescription& scene);

/// Poses and velocities of all bodies for these joint coordinates.
std::vector<BodyState> body_states(const SceneDescription& scene, const std::vector<BodyMass>& masses,
                                   const std::vector<JointState>& joints);

/// The joint frame J and the moving frame K of one joint in the world.
struct JointFrames {
  Transform X_WJ, X_WK;
};
JointFrames joint_frames(const SceneDescription& scene, const std::vector<BodyState>& bodies, int body);

/// Coordinate of a revolute joint (in (−π, π]) or a prismatic one, from the poses of the two bodies.
double joint_coordinate(const SceneDescription& scene, const std::vector<BodyState>& bodies, int body);

/// Pose of a body frame, and of a frame placed in something.
Transform pose_of(const BodyState& body);
Transform pose_of(const Placement& placement);

}  // namespace jade::reference
