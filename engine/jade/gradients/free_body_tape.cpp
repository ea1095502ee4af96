#include <Eigen/LU>

#include "jade/gradients/island_tape.h"
#include "jade/math/rotation.h"
#include "jade/stepping/free_rotation.h"

namespace jade {
namespace {

/// The moment that turns a body about its centre of mass, n = J α + ω × J ω, and its derivatives. A rotation δ of the body
/// takes its inertia along, dJ = [δ] J − J [δ], while ω and α stay:
///   ∂n/∂δ = J [α] − [J α] + [ω] (J [ω] − [J ω]),   ∂n/∂ω = [ω] J − [J ω],   ∂n/∂α = J
struct Turning {
  Mat3 J, by_w, by_q;
  Vec3 gyroscopic;  ///< ω × J ω
};

Turning turning(const RigidInertia& inertia, const Vec3& w, const Vec3& alpha) {
  Turning out;
  out.J = inertia.J.matrix();
  const Mat3 across = skew(w);
  const Vec3 L = inertia.J * w;
  out.by_w = across * out.J - skew(L);
  out.by_q = out.J * skew(alpha) - skew(inertia.J * alpha) + across * (out.J * across - skew(L));
  out.gyroscopic = w.cross(L);
  return out;
}

}  // namespace

bool IslandTape::is_plain_body(int index) const {
  const GradientTree& tree = *part(index).tree;
  if (!tree.bare || !tree.middle.work.inertia[0].h.isZero(0)) return false;
  for (const Use& use : uses_)
    if (use.part == index || use.id.kind == ParameterKind::gravity) return false;
  return true;
}

/// As add_dynamics, in closed form: translation and rotation have nothing to do with each other.
///   R = s [m (a − g) − f],   s [J α + ω̄ × J ω̄ − n]
/// n with what free rotation is given.
void IslandTape::add_body_dynamics(int index, const SolveTrace& trace, const Solve& slots,
                                   ClassSolve& classes) {
  const double s = trace.s, kappa = midpoint() ? 0.5 : 0;
  const Part& own = part(index);
  GradientTree& tree = *own.tree;
  const RigidInertia& inertia = tree.middle.work.inertia[0];
  const Vec3 w = substep_->v.segment<3>(own.v + 3), gained = trace.v_next.segment<3>(own.v + 3) - w;
  const Turning by = turning(inertia, w + kappa * gained, gained / s);

  Mat3 by_w = by.J - (1 - kappa) * s * by.by_w, by_q = -s * by.by_q;
  Vec3 moment_by_s = -by.gyroscopic;
  if (midpoint()) {
    const FreeRotation rotation = free_rotation(tree.middle.work, 0, w, s);
    const FreeRotation::Derivatives moment = rotation.derivatives();
    by_w += s * moment.by_spin;
    by_q += s * moment.by_rotation;
    moment_by_s += rotation.moment() + s * moment.by_length;
  }

  const int out = slots.v_next + own.v, v = v_ + own.v;
  tape.add_scaled(out, v, 3, inertia.m);
  tape.add(out + 3, v + 3, by_w);
  tape.add(out + 3, slots.place + own.v + 3, by_q);
  tape.add_scaled(out, effort_row(own), 6, s);
  Vec6 by_s = island_->effort.segment<6>(own.v);
  by_s.head<3>() += inertia.m * tree.model.gravity();
  by_s.tail<3>() += moment_by_s;
  tape.add(out, slots.s, by_s);
  TreeSolver& factor = tree.new_factor();
  if (!factor.factor_body(inertia.m, by.J + (kappa * s) * by.by_w))
    refuse("the mean velocity of a segment is not settled by Newton's matrix");
  classes.trees.push_back({&tree.model, own.v, &factor});
}

/// As add_free_slip: x = v + weight s a₀ with weight ½ or 1.
void IslandTape::add_body_free_slip(int index, const SolveTrace& trace, const Solve& slots) {
  const Part& own = part(index);
  const RigidInertia& inertia = own.tree->middle.work.inertia[0];
  const Vec6 a = (trace.u_first.segment<6>(own.v) - substep_->v.segment<6>(own.v)) / trace.s;
  const Vec3 w = substep_->v.segment<3>(own.v + 3);
  const Turning by = turning(inertia, w, a.tail<3>());
  const Mat3 inverse = by.J.inverse();
  Mat3 a_by_q = inverse * by.by_q, a_by_v = inverse * by.by_w;
  Vec3 a_by_s = Vec3::Zero();
  if (midpoint()) {
    const FreeRotation::Derivatives moment =
        free_rotation(own.tree->middle.work, 0, w, trace.s).derivatives();
    a_by_v -= inverse * moment.by_spin;
    a_by_q -= inverse * moment.by_rotation;
    a_by_s = inverse * moment.by_length;
  }
  const int v = v_ + own.v, place = slots.place + own.v, effort = effort_row(own);
  const auto add = [&](int row, double weight) {
    if (row < 0) return;
    const int out = row + own.v;
    const double length = weight * trace.s;
    tape.add_scaled(out, v, 3, 1);
    tape.add_scaled(out, effort, 3, length / inertia.m);
    tape.add(out + 3, v + 3, Mat3(Mat3::Identity() - length * a_by_v));
    tape.add(out + 3, place + 3, a_by_q, -length);
    tape.add(out + 3, effort + 3, inverse, length);
    tape.add(out, slots.s, a, weight);
    tape.add(out + 3, slots.s, a_by_s, length);
  };
  add(slots.v0, 0.5);
  add(slots.v_free, 1);
}

}  // namespace jade
