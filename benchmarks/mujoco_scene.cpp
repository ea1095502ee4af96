#include "mujoco_scene.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "reference/scene_kinematics.h"

namespace jade::benchmarks {
namespace {

std::string text(const Vec3& x) { return fmt::format("{:.17g} {:.17g} {:.17g}", x.x(), x.y(), x.z()); }
std::string text(const Quat& q) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
}

std::string shape_text(const ShapeDescription& shape) {
  const std::string at = text(shape.X_BS.position);
  if (const auto* box = std::get_if<Box>(&shape.geometry))
    return fmt::format("<geom type=\"box\" pos=\"{}\" size=\"{}\"/>", at, text(Vec3(box->size / 2)));
  if (const auto* ball = std::get_if<Sphere>(&shape.geometry))
    return fmt::format("<geom type=\"sphere\" pos=\"{}\" size=\"{:.17g}\"/>", at, ball->radius);
  return "<geom type=\"plane\" size=\"0 0 1\"/>";
}

std::string body_text(const SceneDescription& scene, const std::vector<reference::BodyMass>& masses,
                      std::size_t i) {
  const BodyDescription& body = scene.bodies[i];
  const JointDescription& joint = body.joint;
  Placement at = joint.X_PJ;
  if (joint.kind == JointKind::free) {
    const auto& q = joint.position;
    at = {Vec3(q[0], q[1], q[2]), Quat(q[3], q[4], q[5], q[6])};
  }
  std::string out = fmt::format("<body name=\"{}\" pos=\"{}\" quat=\"{}\">", body.name, text(at.position),
                                text(at.orientation));
  if (joint.kind == JointKind::free) out += fmt::format("<freejoint name=\"{}\"/>", body.name);
  if (joint.kind == JointKind::revolute)
    out += fmt::format(
        "<joint name=\"{}\" type=\"hinge\" axis=\"{}\" damping=\"{:.17g}\" stiffness=\"{:.17g}\"/>",
        body.name, text(joint.axis), joint.damping.at(0), joint.stiffness.at(0));
  if (joint.kind != JointKind::fixed)
    out += fmt::format("<inertial pos=\"{}\" mass=\"{:.17g}\" diaginertia=\"{}\"/>", text(masses[i].com),
                       masses[i].mass, text(Vec3(masses[i].inertia.diagonal())));
  for (const ShapeDescription& shape : body.shapes) out += shape_text(shape);
  for (std::size_t k = 0; k < scene.bodies.size(); ++k)
    if (scene.bodies[k].joint.parent == body.name) out += body_text(scene, masses, k);
  return out + "</body>";
}

std::string motors_text(const SceneDescription& scene) {
  std::string out = "<actuator>";
  for (const BodyDescription& body : scene.bodies) {
    if (body.joint.kind == JointKind::revolute) out += fmt::format("<motor joint=\"{}\"/>", body.name);
    for (int k = 0; body.joint.kind == JointKind::free && k < 6; ++k)
      out += fmt::format("<motor joint=\"{}\" gear=\"{} {} {} {} {} {}\"/>", body.name, int(k == 0),
                         int(k == 1), int(k == 2), int(k == 3), int(k == 4), int(k == 5));
  }
  return out + "</actuator>";
}

std::string scene_text(const StepScene& step_scene, const MujocoExtras& extras) {
  const SceneDescription& scene = step_scene.scene;
  const std::vector<reference::BodyMass> masses = reference::body_masses(scene);
  // Room for the contacts of a heap; what is never used would cost time when a world is made.
  const std::size_t contacts = 20 * scene.bodies.size();
  std::string out = fmt::format(
      "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><size njmax=\"{}\" "
      "nconmax=\"{}\"/>"
      "<option gravity=\"{}\" timestep=\"{:.17g}\"/><default><geom friction=\"{:.17g} 0.005 "
      "0.0001\" margin=\"{:.17g}\"/></default>"
      "<worldbody>",
      4 * contacts, contacts, text(scene.gravity), step_scene.time_step, scene.pairs[0].friction,
      extras.margin);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].joint.parent.empty()) out += body_text(scene, masses, i);
  out += "</worldbody>";
  if (extras.motors) out += motors_text(scene);
  return out + "</mujoco>";
}

}  // namespace

MujocoScene::MujocoScene(const StepScene& scene, const MujocoExtras& extras) {
  const std::string mjcf = scene_text(scene, extras);
  constexpr const char* kName = "scene.xml";
  const auto files = std::make_unique<mjVFS>();  // too large for the stack
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), kName, static_cast<int>(mjcf.size()));
  std::memcpy(files->filedata[0], mjcf.data(), mjcf.size());
  char error[1000] = "";
  model.reset(mj_loadXML(kName, files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(fmt::format("MuJoCo refuses the scene: {}", error));
  data.reset(mj_makeData(model.get()));
  for (const BodyDescription& body : scene.scene.bodies) {
    const int id = mj_name2id(model.get(), mjOBJ_BODY, body.name.c_str());
    bodies.push_back(id);
    if (body.joint.kind != JointKind::free || body.joint.velocity.empty()) continue;
    // The centre of mass is at the origin of every free body here, and nothing spins at the start.
    std::copy_n(body.joint.velocity.begin(), 3, data->qvel + model->body_dofadr[id]);
  }
  mj_forward(model.get(), data.get());
}

void MujocoScene::set_state(const Model& ours, const State& state) {
  if (ours.nq() != model->nq || ours.nv() != model->nv)
    throw std::invalid_argument("MuJoCo's scene has other coordinates than ours");
  std::copy_n(state.q.data(), ours.nq(), data->qpos);
  std::copy_n(state.v.data(), ours.nv(), data->qvel);
  for (int joint = 0; joint < model->njnt; ++joint) {
    if (model->jnt_type[joint] != mjJNT_FREE) continue;
    // Theirs turn about axes of the body, ours about those of the world.
    const double* q = state.q.data() + model->jnt_qposadr[joint] + 3;
    const int spin = model->jnt_dofadr[joint] + 3;
    const Vec3 w = Quat(q[0], q[1], q[2], q[3]).conjugate() * Vec3(state.v.segment<3>(spin));
    std::copy_n(w.data(), 3, data->qvel + spin);
  }
  // The second one starts from the forces of the first, as a step does from those of the step before.
  for (int i = 0; i < 2; ++i) {
    mj_forward(model.get(), data.get());
    mju_copy(data->qacc_warmstart, data->qacc, model->nv);
  }
}

}  // namespace jade::benchmarks
