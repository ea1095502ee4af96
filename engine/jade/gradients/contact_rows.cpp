#include "jade/gradients/contact_rows.h"

#include "jade/dynamics/spatial.h"
#include "jade/geometry/contact_features.h"
#include "jade/geometry/smooth_normal.h"
#include "jade/math/rotation.h"

namespace jade {

Mat3x12 relative_motion(const Vec3& p, const Vec3& reference_a, const Vec3& reference_b) {
  Mat3x12 J;
  J.middleCols<3>(0) = -Mat3::Identity();
  J.middleCols<3>(3) = skew(p - reference_a);
  J.middleCols<3>(6) = Mat3::Identity();
  J.middleCols<3>(9) = skew(reference_b - p);
  return J;
}

Mat3x12 PlacedContact::velocity_by_position(const Sides& x) const {
  Mat3x12 out = skew(spin(x)) * P;
  out.middleCols<3>(0) += skew(x.segment<3>(3));
  out.middleCols<3>(6) -= skew(x.segment<3>(9));
  return out;
}

namespace {

/// From displacements of the origins of the shapes to those of the reference points: t + θ × (origin − reference).
void by_references(const Mat3x12& by_origins, const ShapePoses& poses, Mat3x12& out) {
  for (int side = 0; side < 2; ++side) {
    const Mat3 arm =
        side == 0 ? skew(poses.X_WA.p - poses.reference_a) : skew(poses.X_WB.p - poses.reference_b);
    const int t = 6 * side, r = t + 3;
    out.middleCols<3>(t) = by_origins.middleCols<3>(t);
    out.middleCols<3>(r) = by_origins.middleCols<3>(r) - by_origins.middleCols<3>(t) * arm;
  }
}

}  // namespace

void place_contact(const ContactTrace& contact, const CollisionModel& collision, const ShapePoses& poses,
                   const PlacedContact* start, PlacedContact& out) {
  const PreparedShape& shape_a = collision.shapes()[contact.shape_a].geometry;
  const PreparedShape& shape_b = collision.shapes()[contact.shape_b].geometry;
  const auto &X_WA = poses.X_WA, &X_WB = poses.X_WB;
  const Vec3& n = contact.now.normal;
  const Vec3 toward[2] = {X_WA.R.transpose() * n, -(X_WB.R.transpose() * n)};
  // At the start the features are where they were found: the lowest point of a rim is there already.
  const Feature on_a = start ? followed(contact.a, shape_a, toward[0]) : contact.a;
  const Feature on_b = start ? followed(contact.b, shape_b, toward[1]) : contact.b;
  const FeatureContact at = start ? closest_points(on_a, X_WA, on_b, X_WB, n) : contact.now;
  out.p = 0.5 * (at.p_A + at.p_B);
  out.n = at.normal;
  out.R_WB = X_WB.R;
  out.J = relative_motion(out.p, poses.reference_a, poses.reference_b);
  const FeatureContactDerivative derivative = closest_points_derivative(on_a, X_WA, on_b, X_WB, n);
  by_references(derivative.normal, poses, out.N);
  by_references(derivative.midpoint, poses, out.P);

  // A point that travels along its rim: x_S = x_S(toward_S), toward_S = ± Rᵀ n.
  out.travels = false;
  for (int side = 0; side < 2; ++side) {
    const Feature& feature = side == 0 ? contact.a : contact.b;
    const Mat3 travel = followed_derivative(feature, side == 0 ? shape_a : shape_b, toward[side]);
    if (travel.isZero(0)) continue;
    const Mat3& R = side == 0 ? X_WA.R : X_WB.R;
    const Mat3 along = (side == 0 ? 1.0 : -1.0) * (R * travel * R.transpose());
    const auto by_point_n = derivative.normal.middleCols<3>(6 * side);
    const auto by_point_p = derivative.midpoint.middleCols<3>(6 * side);
    Mat3x12 moved = Mat3x12::Zero();
    moved.middleCols<3>(6 * side + 3) = along * skew(n);  // −θ × n
    if (!start) moved += along * out.N;
    out.N += by_point_n * moved;
    out.P += by_point_p * moved;
    if (!start) continue;
    if (!out.travels) {
      out.N0.setZero();
      out.P0.setZero();
    }
    out.travels = true;
    out.N0 += by_point_n * (along * start->N);
    out.P0 += by_point_p * (along * start->N);
  }
}

void place_smooth_contact(const ContactTrace& contact, const CollisionModel& collision,
                          const ShapePoses& poses, const PlacedContact& start, PlacedContact& out) {
  const PlacedShape a{collision.shapes()[contact.shape_a].geometry, poses.X_WA};
  const PlacedShape b{collision.shapes()[contact.shape_b].geometry, poses.X_WB};
  const FeatureContactDerivative derivative =
      closest_points_derivative(contact.a, poses.X_WA, contact.b, poses.X_WB, contact.now.normal);
  out = start;
  out.n = smooth_normal(a, contact.a, b, contact.b, contact.now).value_or(start.n);
  by_references(smooth_normal_derivative(a, contact.a, b, contact.b, contact.now, derivative), poses, out.N);
}

void frame_by_position(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                       const Sides& v0, FrameDerivative& out) {
  // The second tangent may be the left-handed one: the frame turns with n × t₁ all the same.
  const Vec3 &n = rows.directions[0], t2 = cross3(n, rows.directions[1]);
  out.by_place = skew(n) * at.N;
  out.by_q.setZero();
  out.by_v0.setZero();
  if (at.travels) out.by_q = skew(n) * at.N0;
  if (rows.count < 2) return;
  if (rows.from_start) {
    const Vec3 y = start.velocity(v0);
    const double along_n = n.dot(y), length = (y - along_n * n).norm();
    out.by_place -= n * Row12(along_n / length * (t2.transpose() * at.N));
    out.by_v0 = n * Row12(t2.transpose() * start.J / length);
    out.by_q += n * Row12(t2.transpose() * start.velocity_by_position(v0) / length);
    if (at.travels) out.by_q -= n * Row12(along_n / length * (t2.transpose() * at.N0));
    return;
  }
  if (rows.along_slip) {
    const Vec3 y = at.velocity(v0);
    const double along_n = n.dot(y), length = (y - along_n * n).norm();
    const Row12 turn = t2.transpose() * (at.velocity_by_position(v0) - along_n * at.N) / length;
    out.by_place += n * turn;
    out.by_v0 = n * Row12(t2.transpose() * at.J / length);
    if (at.travels)
      out.by_q +=
          n * Row12(t2.transpose() * (skew(PlacedContact::spin(v0)) * at.P0 - along_n * at.N0) / length);
    return;
  }
  int least = 0;
  (start.R_WB.transpose() * n).cwiseAbs().minCoeff(&least);
  const Vec3 y = start.R_WB.col(least);
  const double along_n = n.dot(y), length = (y - along_n * n).norm();
  out.by_place -= n * Row12(along_n / length * (t2.transpose() * at.N));
  out.by_q.middleCols<3>(9) -= n * (cross3(t2, y) / length).transpose();  // shape b turns its axes
  if (at.travels) out.by_q -= n * Row12(along_n / length * (t2.transpose() * at.N0));
}

void rows_by_position(const RowsTrace& rows, const PlacedContact& at, const FrameDerivative& frame,
                      const Sides& x, RowDerivative& out) {
  const Vec3 velocity = at.velocity(x);
  const Mat3x12 turned = at.velocity_by_position(x);
  for (int r = 0; r < rows.count; ++r) {
    const Vec3& d = rows.directions[static_cast<std::size_t>(r)];
    const Vec3 c = cross3(d, velocity);
    out.J.row(r) = d.transpose() * at.J;
    out.w_by_place.row(r) = c.transpose() * frame.by_place + d.transpose() * turned;
    out.w_by_v0.row(r) = c.transpose() * frame.by_v0;
    out.w_by_q.row(r) = c.transpose() * frame.by_q;
    if (at.travels)
      out.w_by_q.row(r) += cross3(d, PlacedContact::spin(x)).transpose() * at.P0;  // d·(spin × dp)
  }
}

void ForceDerivative::clear() {
  by_q.setZero();
  by_place.setZero();
  by_v0.setZero();
  q = v0 = false;
}

void add_force_by_position(const Vec3& F, const PlacedContact& at, const FrameDerivative& frame,
                           ForceDerivative& out) {
  if (F.isZero(0)) return;
  const Mat3 across = skew(F);
  // Jᵀ (ρ × F), and the moments (dp − dreference) × F.
  const auto add = [&](const Mat3x12& turn, const Mat3x12* moved, Mat12& to) {
    const Mat3x12 dF = -(across * turn);
    to.middleRows<3>(0) -= dF;
    to.middleRows<3>(6) += dF;
    to.middleRows<3>(3) += at.J.middleCols<3>(3).transpose() * dF;
    to.middleRows<3>(9) += at.J.middleCols<3>(9).transpose() * dF;
    if (moved == nullptr) return;
    const Mat3x12 moment = across * *moved;
    to.middleRows<3>(3) += moment;
    to.middleRows<3>(9) -= moment;
  };
  add(frame.by_place, &at.P, out.by_place);
  out.by_place.block<3, 3>(3, 0) -= across;
  out.by_place.block<3, 3>(9, 6) += across;
  if (!frame.by_v0.isZero(0)) {
    add(frame.by_v0, nullptr, out.by_v0);
    out.v0 = true;
  }
  if (at.travels || !frame.by_q.isZero(0)) {
    add(frame.by_q, at.travels ? &at.P0 : nullptr, out.by_q);
    out.q = true;
  }
}

Row12 approach_by_position(const PlacedContact& at, const Sides& v) {
  return at.velocity(v).transpose() * at.N + at.n.transpose() * at.velocity_by_position(v);
}

void slip_at_start_by_position(const RowsTrace& rows, const PlacedContact& start,
                               const FrameDerivative& frame, const Sides& v, SlipDerivative& out) {
  const Vec3 &n = start.n, &t = rows.directions[1];
  const Vec3 in_plane = t - n.dot(t) * n;
  const double length = in_plane.norm();
  const Vec3 e1 = in_plane / length, e2 = cross3(n, e1);
  const double hand = cross3(rows.directions[0], t).dot(rows.directions[2]) < 0 ? -1 : 1;
  const Vec3 velocity = start.velocity(v);
  const Mat3x12 turned = start.velocity_by_position(v);
  const Eigen::RowVector3d by_turn = cross3(t, e2).transpose() / length;
  Mat3x12 turn = skew(n) * start.N;
  turn += n * Row12(by_turn * frame.by_q - n.dot(t) / length * (e2.transpose() * start.N));
  const Row12 by_place = by_turn * frame.by_place, by_v0 = by_turn * frame.by_v0;
  for (int r = 1; r < rows.count; ++r) {
    const Vec3 e = r == 1 ? e1 : Vec3(hand * e2);
    const Vec3 c = cross3(e, velocity);
    out.by_q.row(r) = c.transpose() * turn + e.transpose() * turned;
    out.by_place.row(r) = c.dot(n) * by_place;
    out.by_v0.row(r) = c.dot(n) * by_v0;
    out.by_v.row(r) = e.transpose() * start.J;
  }
}

}  // namespace jade
