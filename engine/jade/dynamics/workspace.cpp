#include "jade/dynamics/workspace.h"

namespace jade {

DynamicsWorkspace::DynamicsWorkspace(const Model& model) {
  const std::size_t links = model.links().size(), nv = static_cast<std::size_t>(model.nv());
  origin.assign(model.trees().size(), Vec3::Zero());
  R.assign(links, Mat3::Identity());
  r.assign(links, Vec3::Zero());
  S.assign(nv, Vec6::Zero());
  // Those of a free link never change.
  for (const Link& link : model.links())
    for (int k = 0; k < 6 && link.motion == LinkMotion::free; ++k)
      S[link.v + k] = Vec6::Unit(k < 3 ? 3 + k : k - 3);
  inertia.resize(links);
  composite.resize(links);
  V.assign(links, Vec6::Zero());
  Vx.assign(links, Vec6::Zero());
  A.assign(links, Vec6::Zero());
  F.assign(links, Vec6::Zero());
  dA.assign(links, Vec6::Zero());
  articulated.assign(links, Mat6::Zero());
  answer.assign(links, Mat6::Zero());
  U.assign(nv, Vec6::Zero());
  inverse_D = VecX::Zero(model.nv());
  u = VecX::Zero(model.nv());
  effort = VecX::Zero(model.nv());
}

}  // namespace jade
