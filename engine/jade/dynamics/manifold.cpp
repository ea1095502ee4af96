#include "jade/dynamics/manifold.h"

#include "jade/math/rotation.h"

namespace jade {
namespace {

Quat quaternion_at(const VecX& q, int first) {
  return Quat(q[first], q[first + 1], q[first + 2], q[first + 3]);
}

void store(const Quat& value, VecX& q, int first) {
  q.segment<4>(first) << value.w(), value.x(), value.y(), value.z();
}

Quat rotated(const Quat& from, const Vec3& theta) {
  return theta.isZero(0) ? from.normalized() : (quaternion_exp(theta) * from).normalized();
}

}  // namespace

void integrate(const Model& model, const VecX& q, const VecX& d, VecX& q_next) {
  q_next.resize(model.nq());
  for (const Link& link : model.links()) {
    switch (link.motion) {
      case LinkMotion::ball:
        store(rotated(quaternion_at(q, link.q), d.segment<3>(link.v)), q_next, link.q);
        break;
      case LinkMotion::free: {
        const Quat before = quaternion_at(q, link.q + 3);
        const Quat after = rotated(before, d.segment<3>(link.v + 3));
        Vec3 swing = Vec3::Zero();
        if (!link.reference_L.isZero(0))
          swing = before.toRotationMatrix() * link.reference_L - after.toRotationMatrix() * link.reference_L;
        q_next.segment<3>(link.q) = q.segment<3>(link.q) + (d.segment<3>(link.v) + swing);
        store(after, q_next, link.q + 3);
        break;
      }
      default:
        q_next[link.q] = q[link.q] + d[link.v];
    }
  }
}

VecX integrate(const Model& model, const VecX& q, const VecX& d) {
  VecX q_next;
  integrate(model, q, d, q_next);
  return q_next;
}

VecX difference(const Model& model, const VecX& from, const VecX& to) {
  VecX d(model.nv());
  for (const Link& link : model.links()) {
    switch (link.motion) {
      case LinkMotion::ball:
        d.segment<3>(link.v) =
            rotation_log(quaternion_at(to, link.q) * quaternion_at(from, link.q).conjugate());
        break;
      case LinkMotion::free: {
        const Quat before = quaternion_at(from, link.q + 3), after = quaternion_at(to, link.q + 3);
        const Vec3 swing =
            after.toRotationMatrix() * link.reference_L - before.toRotationMatrix() * link.reference_L;
        d.segment<3>(link.v) = (to.segment<3>(link.q) - from.segment<3>(link.q)) + swing;
        d.segment<3>(link.v + 3) = rotation_log(after * before.conjugate());
        break;
      }
      default:
        d[link.v] = to[link.q] - from[link.q];
    }
  }
  return d;
}

void integration_jacobians(const Model& model, const VecX& d, IntegrationJacobians& out) {
  out.q.setIdentity(model.nv(), model.nv());
  out.d.setIdentity(model.nv(), model.nv());
  for (const Link& link : model.links()) {
    if (link.motion != LinkMotion::ball && link.motion != LinkMotion::free) continue;
    const int first = link.v + link.nv - 3;
    const Vec3 theta = d.segment<3>(first);
    out.q.block<3, 3>(first, first) = rotation_exp(theta);
    out.d.block<3, 3>(first, first) = rotation_left_jacobian(theta);
  }
}

IntegrationJacobians integration_jacobians(const Model& model, const VecX& d) {
  IntegrationJacobians out;
  integration_jacobians(model, d, out);
  return out;
}

}  // namespace jade
