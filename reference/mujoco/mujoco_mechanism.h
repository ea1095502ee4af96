#pragma once

#include <memory>
#include <string>

#include <mujoco/mujoco.h>

#include "jade/model/model.h"

namespace jade::reference {

/// The mechanism of a scene in MuJoCo's words (MJCF): bodies, inertias, joints, dampers, springs and armature. No
/// shapes, so that nothing touches.
///   universal  two hinges          planar  two slides and a hinge          fixed  no joint
/// Throws InvalidInput for what MuJoCo cannot say: screw joints, prescribed motion, and dampers or armature that
/// differ between the coordinates of a ball or free joint.
std::string mjcf_of(const Model& model);

/// MuJoCo's dynamics of a mechanism, in Jade's coordinates. Both number bodies depth first, so velocities go
/// together joint by joint, and differ only where a rotation is free:
///            MuJoCo                                                       Jade
///   ball     angular velocity in axes of the body                         in axes of J
///   free     velocity of the body's origin, world axes;                   velocity of the centre of mass, world axes;
///            angular velocity in axes of the body                         angular velocity in world axes
/// With u = T v for MuJoCo's u and Jade's v, both at one state:
///   M = Tᵀ M_mj T,   c = Tᵀ (c_mj + M_mj Ṫ v),   a = T⁻¹ (u̇ − Ṫ v)
class MujocoMechanism {
 public:
  explicit MujocoMechanism(const Model& model);

  /// Positions and velocities; runs MuJoCo's kinematics and dynamics there.
  void set_state(const State& state, const VecX& effort);

  MatX mass_matrix() const;
  VecX bias() const;          ///< c: Coriolis, centrifugal and gravity forces
  VecX acceleration() const;  ///< under the effort, springs and dampers

  mjModel* model() { return mj_.get(); }
  mjData* data() { return data_.get(); }

 private:
  struct Free {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };

  const Model& model_;
  std::unique_ptr<mjModel, Free> mj_;
  std::unique_ptr<mjData, Free> data_;
  MatX T_;         ///< u = T v
  VecX T_rate_v_;  ///< Ṫ v
};

}  // namespace jade::reference
