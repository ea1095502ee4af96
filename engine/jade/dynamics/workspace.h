#pragma once

#include <vector>

#include "jade/dynamics/spatial.h"
#include "jade/model/model.h"

namespace jade {

/// What the recursions compute, grouped by what it depends on. Made once for a model, used again and again without
/// allocating; what it held before never changes a result. All spatial vectors as in spatial.h.
struct DynamicsWorkspace {
  explicit DynamicsWorkspace(const Model& model);

  // Positions: valid after update_positions(q).
  std::vector<Vec3> origin;           ///< per tree: O in the world
  std::vector<Mat3> R;                ///< per link: R_WL
  std::vector<Vec3> r;                ///< per link: its origin seen from O
  std::vector<Vec6> S;                ///< per velocity: motion of its link and all after it at unit rate
  std::vector<RigidInertia> inertia;  ///< per link

  // Velocities: valid after update_velocities(v).
  std::vector<Vec6> V;   ///< per link
  std::vector<Vec6> Vx;  ///< per link: Ṡ q̇ of its own joint, the acceleration that velocity alone brings

  // Accelerations and forces: left by inverse and forward dynamics.
  std::vector<Vec6> A;   ///< per link, gravity included as an upward acceleration of the world
  std::vector<Vec6> F;   ///< per link: force through its joint
  std::vector<Vec6> dA;  ///< per link: the part of A that the free coordinates' accelerations bring

  // Composite inertias: valid after crba.
  std::vector<RigidInertia> composite;  ///< per link: of everything it carries

  // Articulated inertias: valid after factor_articulated.
  std::vector<Mat6> articulated;  ///< per link
  std::vector<Vec6> U;            ///< per velocity: articulated inertia times S
  std::vector<Mat6> answer;       ///< per link: accelerations, one a row, under six forces; see link_response
  VecX inverse_D;                 ///< per velocity: 1 / (Sᵀ U + diagonal); 0 where motion is prescribed
  VecX u;                         ///< per velocity: what effort is left for its own acceleration
  VecX effort;                    ///< per velocity: applied effort and passive forces together
};

}  // namespace jade
