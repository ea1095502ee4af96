/// Steps beside ODE in double precision: its direct solver and its iterative one.

#include <cmath>

#include <ode/ode.h>

#include "reference/scene_kinematics.h"
#include "step_contest.h"

namespace jade::benchmarks {
namespace {

enum class Solver { step, quick_step };

class OdeWorld final : public reference::World {
 public:
  OdeWorld(const StepScene& scene, Solver solver)
      : scene_(scene),
        solver_(solver),
        masses_(reference::body_masses(scene.scene)),
        world_(dWorldCreate()),
        space_(dHashSpaceCreate(nullptr)),
        contacts_(dJointGroupCreate(0)) {
    const Vec3& g = scene.scene.gravity;
    dWorldSetGravity(world_, g.x(), g.y(), g.z());
    start_ = reference::body_states(scene.scene, masses_, reference::initial_joints(scene.scene));
    bodies_.resize(start_.size(), nullptr);
    for (std::size_t i = 0; i < start_.size(); ++i) add_body(i);
    for (std::size_t i = 0; i < start_.size(); ++i)
      if (scene.scene.bodies[i].joint.kind == JointKind::revolute) add_hinge(i);
  }

  ~OdeWorld() override {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  reference::EngineInfo info() const override { return {.engine = "ode"}; }

  void step() override {
    for (const Hinge& hinge : hinges_)
      dJointAddHingeTorque(hinge.joint, -hinge.stiffness * dJointGetHingeAngle(hinge.joint) -
                                            hinge.damping * dJointGetHingeAngleRate(hinge.joint));
    dSpaceCollide(space_, this, collide);
    const int done = solver_ == Solver::step ? dWorldStep(world_, scene_.time_step)
                                             : dWorldQuickStep(world_, scene_.time_step);
    dJointGroupEmpty(contacts_);
    if (done == 0) throw std::runtime_error("ODE is out of memory");
  }

  reference::Frame frame() const override {
    reference::Frame frame;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      frame.bodies.push_back(start_[i]);
      if (bodies_[i] == nullptr) continue;
      const dReal *p = dBodyGetPosition(bodies_[i]), *q = dBodyGetQuaternion(bodies_[i]);
      const Quat R(q[0], q[1], q[2], q[3]);
      frame.bodies.back().position = Vec3(p[0], p[1], p[2]) - R * masses_[i].com;
      frame.bodies.back().orientation = R;
    }
    return frame;
  }

 private:
  struct Hinge {
    dJointID joint;
    double stiffness, damping;
  };

  static void collide(void* data, dGeomID a, dGeomID b) {
    auto& self = *static_cast<OdeWorld*>(data);
    const dBodyID on_a = dGeomGetBody(a), on_b = dGeomGetBody(b);
    if (on_a == on_b || (on_a && on_b && dAreConnectedExcluding(on_a, on_b, dJointTypeContact))) return;
    constexpr int kMost = 8;
    dContact contacts[kMost];
    const int count = dCollide(a, b, kMost, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contacts[i].surface = {};
      contacts[i].surface.mode = dContactApprox1;
      contacts[i].surface.mu = self.scene_.scene.pairs[0].friction;
      dJointAttach(dJointCreateContact(self.world_, self.contacts_, &contacts[i]), on_a, on_b);
    }
  }

  void add_body(std::size_t i) {
    const BodyDescription& described = scene_.scene.bodies[i];
    const Transform X_WB = reference::pose_of(start_[i]);
    if (described.joint.kind != JointKind::fixed) {
      bodies_[i] = dBodyCreate(world_);
      const reference::BodyMass& m = masses_[i];
      dMass mass;
      dMassSetParameters(&mass, m.mass, 0, 0, 0, m.inertia(0, 0), m.inertia(1, 1), m.inertia(2, 2), 0, 0, 0);
      dBodySetMass(bodies_[i], &mass);
      place(X_WB * Transform{Mat3::Identity(), m.com}, [&](const dReal* p, const dReal* q) {
        dBodySetPosition(bodies_[i], p[0], p[1], p[2]);
        dBodySetQuaternion(bodies_[i], q);
      });
      const Vec3& v = start_[i].velocity;
      dBodySetLinearVel(bodies_[i], v.x(), v.y(), v.z());
    }
    for (const ShapeDescription& shape : described.shapes) add_shape(i, shape, X_WB);
  }

  void add_shape(std::size_t i, const ShapeDescription& shape, const Transform& X_WB) {
    if (std::holds_alternative<HalfSpace>(shape.geometry)) {
      dCreatePlane(space_, 0, 0, 1, 0);
      return;
    }
    dGeomID geom = nullptr;
    if (const auto* box = std::get_if<Box>(&shape.geometry))
      geom = dCreateBox(space_, box->size.x(), box->size.y(), box->size.z());
    else
      geom = dCreateSphere(space_, std::get<Sphere>(shape.geometry).radius);
    const Vec3 offset = shape.X_BS.position - masses_[i].com;
    if (bodies_[i] != nullptr) {
      dGeomSetBody(geom, bodies_[i]);
      if (!offset.isZero()) dGeomSetOffsetPosition(geom, offset.x(), offset.y(), offset.z());
      return;
    }
    place(X_WB * reference::pose_of(shape.X_BS), [&](const dReal* p, const dReal* q) {
      dGeomSetPosition(geom, p[0], p[1], p[2]);
      dGeomSetQuaternion(geom, q);
    });
  }

  void add_hinge(std::size_t i) {
    const JointDescription& joint = scene_.scene.bodies[i].joint;
    const int parent = reference::parent_of(scene_.scene, static_cast<int>(i));
    const dJointID hinge = dJointCreateHinge(world_, nullptr);
    dJointAttach(hinge, bodies_[i], parent < 0 ? nullptr : bodies_[parent]);
    const Transform X_WB = reference::pose_of(start_[i]);
    const Vec3 axis = X_WB.R * joint.axis;
    dJointSetHingeAnchor(hinge, X_WB.p.x(), X_WB.p.y(), X_WB.p.z());
    dJointSetHingeAxis(hinge, axis.x(), axis.y(), axis.z());
    hinges_.push_back({hinge, joint.stiffness.at(0), joint.damping.at(0)});
  }

  template <class Set>
  static void place(const Transform& X, const Set& set) {
    const Quat turn(X.R);
    const dReal p[3] = {X.p.x(), X.p.y(), X.p.z()}, q[4] = {turn.w(), turn.x(), turn.y(), turn.z()};
    set(p, q);
  }

  const StepScene& scene_;
  Solver solver_;
  std::vector<reference::BodyMass> masses_;
  std::vector<reference::BodyState> start_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
  std::vector<Hinge> hinges_;
};

}  // namespace
}  // namespace jade::benchmarks

int main(int argc, char** argv) {
  using namespace jade::benchmarks;
  dInitODE();
  const int code = step_benchmark_main(
      argc, argv, "Steps beside ODE, double precision",
      {"ODE as it comes: up to 8 contacts a pair, friction pyramid; joint springs and dampers as torques at "
       "the start of each step."},
      {{"ode dWorldStep",
        [](const StepScene& scene) { return std::make_unique<OdeWorld>(scene, Solver::step); }},
       {"ode dWorldQuickStep",
        [](const StepScene& scene) { return std::make_unique<OdeWorld>(scene, Solver::quick_step); }}});
  dCloseODE();
  return code;
}
