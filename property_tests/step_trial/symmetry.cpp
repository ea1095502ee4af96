#include "step_trial/symmetry.h"

#include <algorithm>

namespace jade::step_trial {
namespace {

const Mat3 kMirror = Vec3(1, -1, 1).asDiagonal();

Mat3 mirrored(const Mat3& R) { return kMirror * R * kMirror; }

/// What a shape looks like when its own frame is mirrored; those with symmetric frames look the same.
void mirror(Shape& shape) {
  if (auto* hull = std::get_if<ConvexHull>(&shape)) {
    for (Vec3& point : hull->points) point = kMirror * point;
  } else if (auto* mesh = std::get_if<TriangleMesh>(&shape)) {
    for (Vec3& vertex : mesh->vertices) vertex = kMirror * vertex;
    for (auto& triangle : mesh->triangles) std::swap(triangle[1], triangle[2]);
  }
}

void mirror(BodyDescription& body) {
  if (body.inertia) {
    body.inertia->com = kMirror * body.inertia->com;
    body.inertia->inertia = mirrored(body.inertia->inertia);
  }
  for (ShapeDescription& shape : body.shapes) {
    shape.X_BS.position = kMirror * shape.X_BS.position;
    shape.X_BS.orientation = Quat(mirrored(shape.X_BS.orientation.toRotationMatrix()));
    mirror(shape.geometry);
  }
}

Quat turned(const Quat& orientation, const Symmetry& symmetry) {
  const Mat3 R = symmetry.R * orientation.toRotationMatrix();
  return Quat(symmetry.mirrors() ? Mat3(R * kMirror) : R);
}

/// q and v of a free joint.
void turn_free(const Symmetry& symmetry, double* q, double* v) {
  Eigen::Map<Vec3> x(q), velocity(v), spin(v + 3);
  x = symmetry.R * Vec3(x) + symmetry.p;
  const Quat turn = turned(Quat(q[3], q[4], q[5], q[6]), symmetry);
  q[3] = turn.w(), q[4] = turn.x(), q[5] = turn.y(), q[6] = turn.z();
  velocity = symmetry.R * Vec3(velocity);
  spin = (symmetry.mirrors() ? -1 : 1) * (symmetry.R * Vec3(spin));
}

}  // namespace

SceneDescription image_of(const SceneDescription& scene, const Symmetry& symmetry) {
  SceneDescription image = scene;
  image.gravity = symmetry.R * scene.gravity;
  for (BodyDescription& body : image.bodies) {
    if (symmetry.mirrors()) mirror(body);
    JointDescription& joint = body.joint;
    if (!joint.parent.empty()) continue;
    if (joint.kind == JointKind::free) {
      joint.position.resize(7, 0);
      if (Eigen::Map<Eigen::Vector4d>(joint.position.data() + 3).isZero()) joint.position[3] = 1;
      joint.velocity.resize(6, 0);
      turn_free(symmetry, joint.position.data(), joint.velocity.data());
      continue;
    }
    joint.X_PJ.position = symmetry.R * joint.X_PJ.position + symmetry.p;
    joint.X_PJ.orientation = turned(joint.X_PJ.orientation, symmetry);
  }
  if (symmetry.reversed) std::reverse(image.bodies.begin(), image.bodies.end());
  return image;
}

State image_of(const Model& model, const State& state, const Symmetry& symmetry, const Model& image) {
  State result = initial_state(image);
  for (const Joint& from : model.joints()) {
    const Joint& to = image.joints()[image.body_named(model.bodies()[from.body].name)];
    result.q.segment(to.q, to.nq) = state.q.segment(from.q, from.nq);
    result.v.segment(to.v, to.nv) = state.v.segment(from.v, from.nv);
    if (from.kind == JointKind::free) turn_free(symmetry, result.q.data() + to.q, result.v.data() + to.v);
  }
  return result;
}

}  // namespace jade::step_trial
