/// Steps beside MuJoCo with the settings that it comes with.

#include <cstring>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "reference/scene_kinematics.h"
#include "step_contest.h"

namespace jade::benchmarks {
namespace {

std::string text(const Vec3& x) { return fmt::format("{:.17g} {:.17g} {:.17g}", x.x(), x.y(), x.z()); }
std::string text(const Quat& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

class MujocoWorld final : public reference::World {
 public:
  explicit MujocoWorld(const StepScene& scene)
      : scene_(scene.scene), masses_(reference::body_masses(scene_)) {
    const std::string mjcf = describe(scene);
    constexpr const char* kName = "scene.xml";
    const auto files = std::make_unique<mjVFS>();  // too large for the stack
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), kName, static_cast<int>(mjcf.size()));
    std::memcpy(files->filedata[0], mjcf.data(), mjcf.size());
    char error[1000] = "";
    model_.reset(mj_loadXML(kName, files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(fmt::format("MuJoCo refuses the scene: {}", error));
    data_.reset(mj_makeData(model_.get()));
    for (const BodyDescription& body : scene_.bodies) {
      const int id = mj_name2id(model_.get(), mjOBJ_BODY, body.name.c_str());
      ids_.push_back(id);
      if (body.joint.kind != JointKind::free || body.joint.velocity.empty()) continue;
      // The centre of mass is at the origin of every free body here, and nothing spins at the start.
      std::copy_n(body.joint.velocity.begin(), 3, data_->qvel + model_->body_dofadr[id]);
    }
    mj_forward(model_.get(), data_.get());
  }

  reference::EngineInfo info() const override { return {.engine = "mujoco"}; }

  void step() override {
    mj_step(model_.get(), data_.get());
    for (const int warning : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQACC})
      if (data_->warning[warning].number > 0)
        throw std::runtime_error(mju_warningText(warning, data_->warning[warning].lastinfo));
  }

  reference::Frame frame() const override {
    mj_kinematics(model_.get(), data_.get());
    reference::Frame frame;
    for (const int id : ids_) {
      const mjtNum *p = data_->xpos + 3 * id, *q = data_->xquat + 4 * id;
      frame.bodies.push_back({Vec3(p[0], p[1], p[2]), Quat(q[0], q[1], q[2], q[3])});
    }
    return frame;
  }

 private:
  std::string describe(const StepScene& scene) const {
    // Room for the contacts of a heap; what is never used would cost time when a world is made.
    const std::size_t contacts = 20 * scene_.bodies.size();
    std::string out = fmt::format(
        "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><size njmax=\"{}\" "
        "nconmax=\"{}\"/>"
        "<option gravity=\"{}\" timestep=\"{:.17g}\"/><default><geom friction=\"{:.17g} 0.005 "
        "0.0001\"/></default>"
        "<worldbody>",
        4 * contacts, contacts, text(scene_.gravity), scene.time_step, scene_.pairs[0].friction);
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i)
      if (scene_.bodies[i].joint.parent.empty()) out += describe_body(i);
    return out + "</worldbody></mujoco>";
  }

  std::string describe_body(std::size_t i) const {
    const BodyDescription& body = scene_.bodies[i];
    const JointDescription& joint = body.joint;
    Placement at = joint.X_PJ;
    if (joint.kind == JointKind::free) {
      const auto& q = joint.position;
      at = {Vec3(q[0], q[1], q[2]), Quat(q[3], q[4], q[5], q[6])};
    }
    std::string out = fmt::format("<body name=\"{}\" pos=\"{}\" quat=\"{}\">", body.name, text(at.position),
                                  text(at.orientation));
    if (joint.kind == JointKind::free) out += "<freejoint/>";
    if (joint.kind == JointKind::revolute)
      out += fmt::format("<joint type=\"hinge\" axis=\"{}\" damping=\"{:.17g}\" stiffness=\"{:.17g}\"/>",
                         text(joint.axis), joint.damping.at(0), joint.stiffness.at(0));
    if (joint.kind != JointKind::fixed)
      out += fmt::format("<inertial pos=\"{}\" mass=\"{:.17g}\" diaginertia=\"{}\"/>", text(masses_[i].com),
                         masses_[i].mass, text(Vec3(masses_[i].inertia.diagonal())));
    for (const ShapeDescription& shape : body.shapes) out += describe_shape(shape);
    for (std::size_t k = 0; k < scene_.bodies.size(); ++k)
      if (scene_.bodies[k].joint.parent == body.name) out += describe_body(k);
    return out + "</body>";
  }

  static std::string describe_shape(const ShapeDescription& shape) {
    const std::string at = text(shape.X_BS.position);
    if (const auto* box = std::get_if<Box>(&shape.geometry))
      return fmt::format("<geom type=\"box\" pos=\"{}\" size=\"{}\"/>", at, text(Vec3(box->size / 2)));
    if (const auto* ball = std::get_if<Sphere>(&shape.geometry))
      return fmt::format("<geom type=\"sphere\" pos=\"{}\" size=\"{:.17g}\"/>", at, ball->radius);
    return "<geom type=\"plane\" size=\"0 0 1\"/>";
  }

  struct Free {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  const SceneDescription& scene_;
  std::vector<reference::BodyMass> masses_;
  std::unique_ptr<mjModel, Free> model_;
  std::unique_ptr<mjData, Free> data_;
  std::vector<int> ids_;  ///< MuJoCo's numbers of the bodies
};

}  // namespace
}  // namespace jade::benchmarks

int main(int argc, char** argv) {
  using namespace jade::benchmarks;
  return step_benchmark_main(
      argc, argv, "Steps beside MuJoCo",
      {"MuJoCo as it comes: Newton's method, pyramidal friction cone, soft contacts, Euler steps."},
      {{"mujoco", [](const StepScene& scene) { return std::make_unique<MujocoWorld>(scene); }}});
}
