#include "jade/gradients/contact_rows.h"

#include "jade/geometry/contact_features.h"
#include "jade/math/rotation.h"

namespace jade {

void place_contact(const ContactTrace& contact, const CollisionModel& collision,
                   const std::vector<RowTree>& trees, Anchor a, Anchor b, const ShapePoses& poses,
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
  out.motion.place(trees, a, b, out.p);
  const FeatureContactDerivative derivative = closest_points_derivative(on_a, X_WA, on_b, X_WB, n);
  contact_by_position(out.motion, derivative, X_WA, X_WB, out.N, out.P);
  Mat3X translation;
  out.motion.displacement(1, X_WB.p, translation, out.rotation_b);

  // A point that travels along its rim: x_S = x_S(toward_S), toward_S = ± Rᵀ n.
  out.N0.resize(3, 0);
  out.P0.resize(3, 0);
  for (int side = 0; side < 2; ++side) {
    const Feature& feature = side == 0 ? contact.a : contact.b;
    const Mat3 travel = followed_derivative(feature, side == 0 ? shape_a : shape_b, toward[side]);
    if (travel.isZero(0)) continue;
    const Mat3& R = side == 0 ? X_WA.R : X_WB.R;
    const Mat3 along = (side == 0 ? 1.0 : -1.0) * (R * travel * R.transpose());
    Mat3X rotation;
    out.motion.displacement(side, out.p, translation, rotation);
    const auto by_point_n = derivative.normal.middleCols<3>(6 * side);
    const auto by_point_p = derivative.midpoint.middleCols<3>(6 * side);
    Mat3X moved = along * (skew(n) * rotation);  // −θ × n
    if (!start) moved += along * out.N;
    out.N += by_point_n * moved;
    out.P += by_point_p * moved;
    if (!start) continue;
    out.N0 = by_point_n * (along * start->N);
    out.P0 = by_point_p * (along * start->N);
  }
}

void frame_by_position(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                       const VecX& v0, FrameDerivative& out) {
  const long m = at.motion.size();
  // The second tangent may be the left-handed one: the frame turns with n × t₁ all the same.
  const Vec3 &n = rows.directions[0], t2 = n.cross(rows.directions[1]);
  out.by_place = skew(n) * at.N;
  out.by_q.setZero(3, m);
  out.by_v0.setZero(3, m);
  const bool travels = at.N0.cols() > 0;
  if (travels) out.by_q = skew(n) * at.N0;
  if (rows.count < 2) return;
  if (rows.from_start) {
    const Vec3 y = start.motion.velocity(v0);
    const double along_n = n.dot(y), length = (y - along_n * n).norm();
    Mat3X turned;
    start.motion.velocity_by_position(v0, start.P, turned);
    out.by_place -= n * (along_n * (t2.transpose() * at.N)) / length;
    out.by_v0 = n * (t2.transpose() * start.motion.J()) / length;
    out.by_q += n * (t2.transpose() * turned) / length;
    if (travels) out.by_q -= n * (along_n * (t2.transpose() * at.N0)) / length;
    return;
  }
  if (rows.along_slip) {
    const Vec3 y = at.motion.velocity(v0);
    const double along_n = n.dot(y), length = (y - along_n * n).norm();
    Mat3X turned;
    at.motion.velocity_by_position(v0, at.P, turned);
    out.by_place += n * (t2.transpose() * (turned - along_n * at.N)) / length;
    out.by_v0 = n * (t2.transpose() * at.motion.J()) / length;
    if (travels)
      out.by_q += n * (t2.transpose() * (skew(at.motion.spin(v0)) * at.P0 - along_n * at.N0)) / length;
    return;
  }
  int least = 0;
  (start.R_WB.transpose() * n).cwiseAbs().minCoeff(&least);
  const Vec3 y = start.R_WB.col(least);
  const double along_n = n.dot(y), length = (y - along_n * n).norm();
  out.by_place -= n * (along_n * (t2.transpose() * at.N)) / length;
  out.by_q -= n * (t2.transpose() * skew(y) * start.rotation_b) / length;
  if (travels) out.by_q -= n * (along_n * (t2.transpose() * at.N0)) / length;
}

void rows_by_position(const RowsTrace& rows, const PlacedContact& at, const FrameDerivative& frame,
                      const VecX& x, RowDerivative& out) {
  const long m = at.motion.size();
  const Vec3 velocity = at.motion.velocity(x);
  Mat3X turned;
  at.motion.velocity_by_position(x, at.P, turned);
  for (MatX* matrix : {&out.w_by_q, &out.w_by_place, &out.w_by_v0, &out.J}) matrix->resize(rows.count, m);
  for (int r = 0; r < rows.count; ++r) {
    const Vec3& d = rows.directions[static_cast<std::size_t>(r)];
    const Vec3 c = d.cross(velocity);
    out.J.row(r) = d.transpose() * at.motion.J();
    out.w_by_place.row(r) = c.transpose() * frame.by_place + d.transpose() * turned;
    out.w_by_v0.row(r) = c.transpose() * frame.by_v0;
    out.w_by_q.row(r) = c.transpose() * frame.by_q;
    if (at.P0.cols() > 0) out.w_by_q.row(r) += d.transpose() * skew(at.motion.spin(x)) * at.P0;
  }
}

void force_by_position(const Vec3& F, const PlacedContact& at, const FrameDerivative& frame,
                       RowDerivative& out) {
  const MatX turned = -(at.motion.J().transpose() * skew(F));  // Jᵀ (ρ × F)
  at.motion.force_by_position(F, at.P, out.g_by_place);
  out.g_by_place += turned * frame.by_place;
  out.g_by_v0 = turned * frame.by_v0;
  out.g_by_q = turned * frame.by_q;
  if (at.P0.cols() == 0) return;
  MatX moved;
  at.motion.force_by_point(F, at.P0, moved);
  out.g_by_q += moved;
}

void approach_by_position(const PlacedContact& start, const VecX& v, Eigen::RowVectorXd& by_q,
                          Eigen::RowVectorXd& by_v) {
  Mat3X turned;
  start.motion.velocity_by_position(v, start.P, turned);
  by_v = start.n.transpose() * start.motion.J();
  by_q = start.motion.velocity(v).transpose() * start.N + start.n.transpose() * turned;
}

void slip_at_start_by_position(const RowsTrace& rows, const PlacedContact& start,
                               const FrameDerivative& frame, const VecX& v, SlipDerivative& out) {
  const long m = start.motion.size();
  const Vec3 &n = start.n, &t = rows.directions[1];
  const Vec3 in_plane = t - n.dot(t) * n;
  const double length = in_plane.norm();
  const Vec3 e1 = in_plane / length, e2 = n.cross(e1);
  const double hand = rows.directions[0].cross(t).dot(rows.directions[2]) < 0 ? -1 : 1;
  const int count = rows.count - 1;
  const Vec3 velocity = start.motion.velocity(v);
  Mat3X turned;
  start.motion.velocity_by_position(v, start.P, turned);
  const Eigen::RowVector3d by_turn = t.cross(e2).transpose() / length;
  Mat3X turn = skew(n) * start.N - n * (n.dot(t) / length * (e2.transpose() * start.N));
  turn += n * (by_turn * frame.by_q);
  for (MatX* matrix : {&out.by_q, &out.by_place, &out.by_v0, &out.by_v}) matrix->resize(count, m);
  for (int r = 0; r < count; ++r) {
    const Vec3 e = r == 0 ? e1 : Vec3(hand * e2);
    const Vec3 c = e.cross(velocity);
    out.by_q.row(r) = c.transpose() * turn + e.transpose() * turned;
    out.by_place.row(r) = c.dot(n) * (by_turn * frame.by_place);
    out.by_v0.row(r) = c.dot(n) * (by_turn * frame.by_v0);
    out.by_v.row(r) = e.transpose() * start.motion.J();
  }
}

}  // namespace jade
