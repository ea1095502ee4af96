#include "reference/mujoco/mujoco_mechanism.h"

#include <algorithm>
#include <cstring>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

#include "jade/model/scene_fields.h"

namespace jade::reference {
namespace {

std::string numbers(const auto& x) {
  std::string text;
  for (int i = 0; i < x.size(); ++i) text += fmt::format("{}{:.17g}", i == 0 ? "" : " ", x[i]);
  return text;
}
std::string numbers(const Quat& q) { return numbers(Vec4(q.w(), q.x(), q.y(), q.z())); }

/// Writes one body after the other, each inside its parent.
class MjcfWriter {
 public:
  explicit MjcfWriter(const Model& model) : scene_(model.scene()) {
    text_ = fmt::format(
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><size njmax=\"1\" nconmax=\"1\"/>"
        "<option gravity=\"{}\"/><worldbody>",
        numbers(model.gravity()));
    add_children("");
    text_ += "</worldbody></mujoco>";
    if (!mistakes_.empty()) throw InvalidInput("MuJoCo's copy of scene \"" + scene_.name + "\"", mistakes_);
  }
  std::string take() { return std::move(text_); }

 private:
  void add_children(const std::string& parent) {
    for (const BodyDescription& body : scene_.bodies)
      if (body.joint.parent == parent) add_body(body);
  }

  void add_body(const BodyDescription& body) {
    // Where the body is at zero position: J and K coincide.
    const JointDescription& joint = body.joint;
    const Quat R_BK = joint.X_BK.orientation.normalized();
    const Quat R_PB = joint.X_PJ.orientation.normalized() * R_BK.conjugate();
    const Vec3 p_PB = joint.X_PJ.position - R_PB * joint.X_BK.position;
    text_ +=
        fmt::format("<body name=\"{}\" pos=\"{}\" quat=\"{}\">", body.name, numbers(p_PB), numbers(R_PB));
    add_joint(body, R_BK);
    if (body.inertia) add_inertia(*body.inertia);
    add_children(body.name);
    text_ += "</body>";
  }

  void add_inertia(const InertiaDescription& inertia) {
    // Principal axes from here: MuJoCo's own are less exact.
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia.inertia);
    Mat3 axes = eigen.eigenvectors();
    if (axes.determinant() < 0) axes.col(0) *= -1;
    text_ +=
        fmt::format("<inertial pos=\"{}\" mass=\"{:.17g}\" diaginertia=\"{}\" quat=\"{}\"/>",
                    numbers(inertia.com), inertia.mass, numbers(eigen.eigenvalues()), numbers(Quat(axes)));
  }

  void add_joint(const BodyDescription& body, const Quat& R_BK) {
    const JointDescription& joint = body.joint;
    if (!joint.motion.empty()) refuse(body, "has a prescribed motion");
    const Vec3 &a = joint.axis, &b = joint.second_axis;
    switch (joint.kind) {
      case JointKind::fixed:
        return;
      case JointKind::screw:
        return refuse(body, "hangs on a screw joint");
      case JointKind::revolute:
        return add_single(body, R_BK, "hinge", a, 0);
      case JointKind::prismatic:
        return add_single(body, R_BK, "slide", a, 0);
      case JointKind::universal:
        add_single(body, R_BK, "hinge", a, 0);
        return add_single(body, R_BK, "hinge", b, 1);
      case JointKind::planar:
        add_single(body, R_BK, "slide", a, 0);
        add_single(body, R_BK, "slide", b, 1);
        return add_single(body, R_BK, "hinge", a.cross(b), 2);
      case JointKind::ball:
        return add_single(body, R_BK, "ball", Vec3::UnitZ(), 0);
      case JointKind::free:
        return add_single(body, R_BK, "free", Vec3::UnitZ(), 0);
    }
  }

  void add_single(const BodyDescription& body, const Quat& R_BK, const char* type, const Vec3& axis,
                  std::size_t k) {
    const JointDescription& joint = body.joint;
    const auto entry = [&](const std::vector<double>& list) { return k < list.size() ? list[k] : 0.0; };
    if (has_quaternion(joint.kind))
      for (const auto* list : {&joint.damping, &joint.armature})
        if (std::any_of(list->begin(), list->end(), [&](double x) { return x != list->front(); }))
          refuse(body, "has dampers or armature that differ between directions of one joint");
    // The axis and the anchor are given in the body, where K is fixed.
    text_ += fmt::format(
        "<joint type=\"{}\" pos=\"{}\" axis=\"{}\" damping=\"{:.17g}\" armature=\"{:.17g}\" "
        "stiffness=\"{:.17g}\" "
        "springref=\"{:.17g}\"/>",
        type, numbers(joint.X_BK.position), numbers(Vec3(R_BK * axis.normalized())), entry(joint.damping),
        entry(joint.armature), entry(joint.stiffness), entry(joint.rest_position));
  }

  void refuse(const BodyDescription& body, std::string problem) {
    mistakes_.push_back(
        {"body \"" + body.name + "\"", std::move(problem), "MuJoCo cannot say that: leave it away"});
  }

  const SceneDescription& scene_;
  std::string text_;
  std::vector<Mistake> mistakes_;
};

mjModel* compile(const std::string& text) {
  constexpr const char* kName = "mechanism.xml";
  const auto files = std::make_unique<mjVFS>();  // too large for the stack
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), kName, static_cast<int>(text.size()));
  std::memcpy(files->filedata[0], text.data(), text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML(kName, files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(fmt::format("MuJoCo refuses the mechanism: {}", error));
  return model;
}

Quat quaternion_at(const VecX& q, int i) { return Quat(q[i], q[i + 1], q[i + 2], q[i + 3]); }

}  // namespace

std::string mjcf_of(const Model& model) { return MjcfWriter(model).take(); }

MujocoMechanism::MujocoMechanism(const Model& model)
    : model_(model), mj_(compile(mjcf_of(model))), data_(mj_makeData(mj_.get())) {
  if (mj_->nq != model.nq() || mj_->nv != model.nv())
    throw std::runtime_error("MuJoCo counts the coordinates differently");
}

void MujocoMechanism::set_state(const State& state, const VecX& effort) {
  VecX qpos = state.q;
  T_ = MatX::Identity(model_.nv(), model_.nv());
  T_rate_v_ = VecX::Zero(model_.nv());
  for (const Joint& joint : model_.joints()) {
    if (joint.kind == JointKind::ball) {
      const Quat R_BK =
          model_.scene().bodies[static_cast<std::size_t>(joint.body)].joint.X_BK.orientation.normalized();
      const Quat R_JK = quaternion_at(state.q, joint.q);
      const Quat turn = R_BK * R_JK * R_BK.conjugate();
      qpos.segment<4>(joint.q) << turn.w(), turn.x(), turn.y(), turn.z();
      T_.block<3, 3>(joint.v, joint.v) = (R_BK * R_JK.conjugate()).toRotationMatrix();
    } else if (joint.kind == JointKind::free) {
      const Mat3 R_WB = quaternion_at(state.q, joint.q + 3).toRotationMatrix();
      const Link& link =
          model_
              .links()[static_cast<std::size_t>(model_.bodies()[static_cast<std::size_t>(joint.body)].link)];
      const Vec3 r = R_WB * link.reference_L;  // from the origin to the centre of mass
      const Vec3 w = state.v.segment<3>(joint.v + 3);
      for (int k = 0; k < 3; ++k) T_.block<3, 1>(joint.v, joint.v + 3 + k) = r.cross(Vec3::Unit(k));
      T_.block<3, 3>(joint.v + 3, joint.v + 3) = R_WB.transpose();
      T_rate_v_.segment<3>(joint.v) = -w.cross(w.cross(r));
    }
  }
  const VecX u = T_ * state.v;
  const VecX force = T_.transpose().partialPivLu().solve(effort);  // the same power: effort · v = force · u
  std::copy_n(qpos.data(), qpos.size(), data_->qpos);
  std::copy_n(u.data(), u.size(), data_->qvel);
  std::copy_n(force.data(), force.size(), data_->qfrc_applied);
  mj_forward(mj_.get(), data_.get());
}

MatX MujocoMechanism::mass_matrix() const {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(model_.nv(), model_.nv());
  mj_fullM(mj_.get(), M.data(), data_->qM);
  return T_.transpose() * M * T_;
}

VecX MujocoMechanism::bias() const {
  VecX moved(model_.nv());
  mj_mulM(mj_.get(), data_.get(), moved.data(), T_rate_v_.data());
  return T_.transpose() * (Eigen::Map<const VecX>(data_->qfrc_bias, model_.nv()) + moved);
}

VecX MujocoMechanism::acceleration() const {
  return T_.partialPivLu().solve(Eigen::Map<const VecX>(data_->qacc, model_.nv()) - T_rate_v_);
}

}  // namespace jade::reference
