#include "jade/gradients/contact_rows.h"

#include <optional>

#include <Eigen/LU>

#include "jade/dynamics/spatial.h"
#include "jade/geometry/contact_features.h"
#include "jade/geometry/point_on_plane.h"
#include "jade/geometry/smooth_normal.h"
#include "jade/math/rotation.h"

namespace jade {
namespace {

using Row6 = Eigen::Matrix<double, 1, 6>;
using Mat3x6 = Eigen::Matrix<double, 3, 6, Eigen::RowMajor>;

/// a × each column.
template <class Matrix>
Mat3x6 cross_columns(const Vec3& a, const Matrix& M) {
  Mat3x6 out;
  out.row(0) = a[1] * M.row(2) - a[2] * M.row(1);
  out.row(1) = a[2] * M.row(0) - a[0] * M.row(2);
  out.row(2) = a[0] * M.row(1) - a[1] * M.row(0);
  return out;
}

/// Whether a feature is the nearest place on a curve, which travels along it.
bool is_on_curve(const Feature& feature) {
  return feature.kind != Feature::Kind::plane && !feature.direction.isZero(0);
}

/// How the tangent of a cylinder's rim turns per length along it, in its shape: −radial / radius. Zero for all other features.
Vec3 curvature_of(const Feature& feature, const PreparedShape& shape) {
  const bool rim = is_on_curve(feature) && feature.radius == 0 && !shape.is_half_space() &&
                   shape.core().kind == ConvexCore::Kind::cylinder;
  if (!rim) return Vec3::Zero();
  const double r = shape.core().half.x();
  return {-feature.point.x() / (r * r), -feature.point.y() / (r * r), 0};
}

/// Where the rim of a cylinder comes nearest to an edge, a corner, a ball or another rim it is seen as its tangent t, which
/// travels along it and turns. With the lengths l that the nearest points of the two curves travel by, D = x_B − x_A = g n
/// between them, radii ρ about them, bodies displaced by u and turned by θ:
///   D·t = 0 of both  ⇒  (δ + t_B l_B − t_A l_A)·t + g n·dt = 0,   dt = θ × t + κ l,   δ = dx_B − dx_A at these points
///   dn = (1 − n nᵀ)(δ + t_B l_B − t_A l_A) / g, of tangents that cross ± (1 − n nᵀ)(dt_A × t_B + t_A × dt_B) / |t_A × t_B|
///   dp = ½ (dx_A + t_A l_A + dx_B + t_B l_B + (ρ_A − ρ_B) dn)
/// A corner has no tangent, and does not travel. Beside a tangent the other one is seen as a point, which does.
struct CurvedSide {
  const Feature& feature;
  const Transform& X_W;
  const Vec3& reference;
  Vec3 curvature_S;
};
void follow_curves(const FeatureContact& at, const CurvedSide (&sides)[2], PlacedContact& out) {
  const Vec3& n = at.normal;
  const double rho[2] = {sides[0].feature.radius, sides[1].feature.radius}, g = at.gap + rho[0] + rho[1];
  const Vec3 x[2] = {at.p_A - rho[0] * n, at.p_B + rho[1] * n};
  Vec3 t[2], curvature[2];
  bool line[2];
  for (int k = 0; k < 2; ++k) {
    line[k] = sides[k].feature.kind == Feature::Kind::line;
    t[k] = sides[k].X_W.R * sides[k].feature.direction;
    curvature[k] = sides[k].X_W.R * sides[k].curvature_S;
    out.on_rim[k] = line[k] && !sides[k].curvature_S.isZero(0);
    out.has_travelled[k] = !line[k] && is_on_curve(sides[k].feature);
  }
  const Vec3 across = t[0].cross(t[1]);
  const double c = t[0].dot(t[1]);
  Eigen::Matrix2d M;
  M << -1 + g * n.dot(curvature[0]), c, -c, 1 + g * n.dot(curvature[1]);
  const Eigen::Matrix2d inverse = M.inverse();
  const double per = line[0] && line[1] ? (across.dot(n) < 0 ? -1 : 1) / across.norm() : 0;
  for (int column = 0; column < 12; ++column) {
    const int side = column / 6, axis = column % 3;
    const bool turns = column % 6 >= 3;
    Vec3 dx[2] = {Vec3::Zero(), Vec3::Zero()}, dt[2] = {Vec3::Zero(), Vec3::Zero()};
    dx[side] = turns ? Vec3(Vec3::Unit(axis).cross(x[side] - sides[side].reference)) : Vec3(Vec3::Unit(axis));
    if (turns) dt[side] = Vec3::Unit(axis).cross(t[side]);
    const Vec3 apart = dx[1] - dx[0];
    const Vec2 l = -(inverse * Vec2(apart.dot(t[0]) + g * n.dot(dt[0]), apart.dot(t[1]) + g * n.dot(dt[1])));
    for (int k = 0; k < 2; ++k) {
      dx[k] += l[k] * t[k];
      dt[k] += l[k] * curvature[k];
      if (out.on_rim[k]) out.tangent_turns[k].col(column) = l[k] * sides[k].curvature_S;
      if (out.has_travelled[k]) out.place_travels[k].col(column) = l[k] * sides[k].feature.direction;
    }
    const Vec3 dn =
        per != 0 ? Vec3(per * (dt[0].cross(t[1]) + t[0].cross(dt[1]))) : Vec3((dx[1] - dx[0]) / g);
    out.N.col(column) = dn - n.dot(dn) * n;
    out.P.col(column) = 0.5 * (dx[0] + dx[1] + (rho[0] - rho[1]) * out.N.col(column));
  }
}

/// From the derivative of the point half-way between the feet to that of where they act, see acting_point:
///   dp += ½ side ((rest − gap) dn − n dgap),   dgap = n·(dx_B − dx_A)
void add_side_of_plane(double side, double depth, PlacedContact& out) {
  if (side == 0) return;
  const Row12 gap = out.along(out.n);
  out.P += (0.5 * side) * (depth * out.N - out.n * gap);
}

}  // namespace

Vec3 LinkPoint::velocity(const Sides& x) const {
  Vec3 out = Vec3::Zero();
  if (moves[1]) out += x.segment<3>(6) + cross3(x.segment<3>(9), arm[1]);
  if (moves[0]) out -= x.segment<3>(0) + cross3(x.segment<3>(3), arm[0]);
  return out;
}

Row12 LinkPoint::along(const Vec3& u) const {
  Row12 out = Row12::Zero();
  if (moves[0]) {
    out.segment<3>(0) = -u;
    out.segment<3>(3) = cross3(u, arm[0]);
  }
  if (moves[1]) {
    out.segment<3>(6) = u;
    out.segment<3>(9) = cross3(arm[1], u);
  }
  return out;
}

void LinkPoint::add_along(const Vec3& u, const Mat3x12& M, Row12& out) const {
  for (int side = 0; side < 2; ++side) {
    if (!moves[side]) continue;
    const auto own = M.middleCols<6>(6 * side);
    out.middleCols<6>(6 * side) += u[0] * own.row(0) + u[1] * own.row(1) + u[2] * own.row(2);
  }
}

/// u·(spin × dp + ω_a × dx_a − ω_b × dx_b)
Row12 PlacedContact::velocity_by_position(const Vec3& u, const Sides& x) const {
  Row12 out = Row12::Zero();
  add_along(cross3(u, spin(x)), P, out);
  if (moves[0]) out.segment<3>(0) += cross3(u, x.segment<3>(3)).transpose();
  if (moves[1]) out.segment<3>(6) -= cross3(u, x.segment<3>(9)).transpose();
  return out;
}

void place_contact(const ContactTrace& contact, const CollisionModel& collision, const SidePoses& poses,
                   const PlacedContact* start, PlacedContact& out) {
  const PreparedShape& shape_a = collision.shapes()[contact.shape_a].geometry;
  const PreparedShape& shape_b = collision.shapes()[contact.shape_b].geometry;
  const auto &X_WA = poses.X_WA, &X_WB = poses.X_WB;
  const Vec3& n = contact.now.normal;
  const bool may_travel = has_travelling_features(shape_a) || has_travelling_features(shape_b);
  Vec3 toward[2] = {Vec3::Zero(), Vec3::Zero()};
  if (may_travel) {
    toward[0] = X_WA.R.transpose() * n;
    toward[1] = -(X_WB.R.transpose() * n);
  }
  // At the start the features are where they were found: the lowest point of a rim is there already.
  std::optional<Feature> moved_a, moved_b;
  std::optional<FeatureContact> moved;
  if (start != nullptr && may_travel) {
    moved_a = followed(contact.a, shape_a, toward[0]);
    moved_b = followed(contact.b, shape_b, toward[1]);
  }
  const Feature &on_a = moved_a ? *moved_a : contact.a, &on_b = moved_b ? *moved_b : contact.b;
  if (start != nullptr) moved = closest_points(on_a, X_WA, on_b, X_WB, n);
  const FeatureContact& at = moved ? *moved : contact.now;
  const double side_of_plane = plane_side(on_a, on_b);
  out.p = acting_point(at, side_of_plane, contact.standoff);
  out.n = at.normal;
  out.R_WB = X_WB.R;
  out.arm[0] = out.p - poses.reference_a;
  out.arm[1] = out.p - poses.reference_b;
  for (int side = 0; side < 2; ++side) {
    out.moves[side] = poses.moves[side];
    out.on_rim[side] = out.has_travelled[side] = false;
    const Feature& plane = side == 0 ? on_a : on_b;
    if (may_travel || poses.moves[side] || plane.kind != Feature::Kind::plane) continue;
    // On the ground: nothing turns, and the point alone moves; it acts at a height of its own, whatever the gap.
    const Vec3 arm =
        side == 0 ? X_WB * on_b.point - poses.reference_b : X_WA * on_a.point - poses.reference_a;
    out.moves[1 - side] = poses.moves[1 - side];
    out.on_rim[1 - side] = out.has_travelled[1 - side] = false;
    out.N.setZero();
    out.P.middleCols<6>(6 * (1 - side)) = foot_by_point(out.n, arm, 1);
    out.turns = out.travels = false;
    return;
  }
  const FeatureContactDerivative derivative =
      closest_points_derivative(on_a, X_WA, on_b, X_WB, n, {poses.reference_a, poses.reference_b});
  out.N = derivative.normal;
  out.P = derivative.midpoint;
  if (start == nullptr && may_travel) {
    const CurvedSide sides[2] = {{on_a, X_WA, poses.reference_a, curvature_of(on_a, shape_a)},
                                 {on_b, X_WB, poses.reference_b, curvature_of(on_b, shape_b)}};
    if (!sides[0].curvature_S.isZero(0) || !sides[1].curvature_S.isZero(0)) follow_curves(at, sides, out);
  }
  out.travels = out.turns = false;
  for (int side = 0; side < 2; ++side) {
    // The normal of a plane is that of its body alone.
    const bool fixed = (side == 0 ? on_b : on_a).kind == Feature::Kind::plane;
    out.turns = out.turns || (out.moves[side] && !fixed && !out.N.middleCols<6>(6 * side).isZero(0));
  }
  add_side_of_plane(side_of_plane, contact.standoff - at.gap, out);
  if (!may_travel) return;

  // The tangent of a rim where that was nearest at the start.
  if (start != nullptr && (start->on_rim[0] || start->on_rim[1])) {
    const LineTurnDerivative by_turns = closest_points_by_turns(on_a, X_WA, on_b, X_WB, n);
    out.N0.setZero();
    out.P0.setZero();
    for (int side = 0; side < 2; ++side) {
      if (!start->on_rim[side]) continue;
      const Mat3x12 turns = (side == 0 ? X_WA.R : X_WB.R) * start->tangent_turns[side];
      out.N0 += by_turns.normal.middleCols<3>(3 * side) * turns;
      out.P0 += by_turns.midpoint.middleCols<3>(3 * side) * turns;
    }
    out.travels = true;
  }

  // A point that travels along its rim: x_S = x_S(toward_S), toward_S = ± Rᵀ n.
  out.climb.setZero();
  out.climb0.setZero();
  for (int side = 0; side < 2; ++side) {
    if (!start && out.has_travelled[side]) continue;  // along its curve, above
    const Feature& feature = side == 0 ? contact.a : contact.b;
    const Mat3 travel = followed_derivative(feature, side == 0 ? shape_a : shape_b, toward[side]);
    const bool kept = travel.isZero(0);
    out.has_travelled[side] = !start && !kept;
    if (kept && !(start && start->has_travelled[side])) continue;
    const Mat3& R = side == 0 ? X_WA.R : X_WB.R;
    const Mat3 along = (side == 0 ? 1.0 : -1.0) * (R * travel * R.transpose());
    const auto by_point_n = derivative.normal.middleCols<3>(6 * side);
    // Over a plane it acts at a height of its own, whatever the gap: half-way between the feet it would follow half of that.
    Mat3 by_point_p = derivative.midpoint.middleCols<3>(6 * side);
    if (side_of_plane != 0) by_point_p -= 0.5 * out.n * out.n.transpose();
    if (!kept) {
      Mat3x12 travelled = Mat3x12::Zero();
      travelled.middleCols<3>(6 * side + 3) = along * skew(n);  // −θ × n
      if (!start) travelled += along * out.N;
      if (!start) out.place_travels[side] = R.transpose() * travelled;
      out.N += by_point_n * travelled;
      out.P += by_point_p * travelled;
      out.climb += (side == 0 ? -1.0 : 1.0) * (out.n.transpose() * travelled);
      out.turns = true;
    }
    if (!start) continue;
    if (!out.travels) {
      out.N0.setZero();
      out.P0.setZero();
    }
    out.travels = true;
    const Mat3x12 by_start = kept ? Mat3x12(R * start->place_travels[side]) : Mat3x12(along * start->N);
    out.climb0 += (side == 0 ? -1.0 : 1.0) * (out.n.transpose() * by_start);
    out.N0 += by_point_n * by_start;
    out.P0 += by_point_p * by_start;
  }
}

void place_smooth_contact(const ContactTrace& contact, const CollisionModel& collision,
                          const SidePoses& poses, const PlacedContact& start, PlacedContact& out) {
  const PlacedShape a{collision.shapes()[contact.shape_a].geometry, poses.X_WA};
  const PlacedShape b{collision.shapes()[contact.shape_b].geometry, poses.X_WB};
  const RotationCentres about{poses.reference_a, poses.reference_b};
  const FeatureContactDerivative derivative =
      closest_points_derivative(contact.a, poses.X_WA, contact.b, poses.X_WB, contact.now.normal, about);
  out = start;
  out.n = smooth_normal(a, contact.a, b, contact.b, contact.now).value_or(start.n);
  out.N = smooth_normal_derivative(a, contact.a, b, contact.b, contact.now, derivative, about);
  out.turns = true;
}

/// u·ρ = (u × n)·dn + (u·n) φ
Row12 FrameDerivative::turn_by_place(const Vec3& u, const PlacedContact& at) const {
  Row12 out = u.dot(n) * by_place;
  if (at.turns) at.add_along(cross3(u, n), at.N, out);
  return out;
}

Row12 FrameDerivative::turn_by_start(const Vec3& u, const PlacedContact& at) const {
  Row12 out = u.dot(n) * by_q;
  if (at.travels) at.add_along(cross3(u, n), at.N0, out);
  return out;
}

void frame_by_normal(const RowsTrace& rows, const PlacedContact& at, FrameDerivative& out) {
  out.n = rows.directions[0];
  out.by_place.setZero();
  out.by_q.setZero();
  out.by_v0.setZero();
  out.q = at.travels;
  out.v0 = false;
}

void frame_by_position(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                       const Sides& v0, FrameDerivative& out) {
  frame_by_normal(rows, at, out);
  if (rows.count < 2) return;
  // The second tangent may be the left-handed one: the frame turns with n × t₁ all the same.
  const Vec3 &n = out.n, t2 = cross3(n, rows.directions[1]);
  Vec3 y = Vec3::Zero();
  if (rows.from_start) {
    y = start.velocity(v0);
    out.by_v0 = start.along(t2);
    out.by_q = start.velocity_by_position(t2, v0);
  } else if (rows.along_slip) {
    y = at.velocity(v0);
    out.by_v0 = at.along(t2);
    out.by_place = at.velocity_by_position(t2, v0);
    if (at.travels) at.add_along(cross3(t2, PlacedContact::spin(v0)), at.P0, out.by_q);
  } else {
    y = start.R_WB.col(tangent_axis(start.R_WB, n));
    if (at.moves[1]) out.by_q.tail<3>() = cross3(y, t2).transpose();  // shape b turns its axes
  }
  out.v0 = rows.from_start || rows.along_slip;
  out.q = out.q || rows.from_start || (!rows.along_slip && at.moves[1]);
  const double along_n = n.dot(y);
  if (at.turns) at.add_along(-along_n * t2, at.N, out.by_place);
  if (at.travels) at.add_along(-along_n * t2, at.N0, out.by_q);
  const double per = 1 / (y - along_n * n).norm();
  out.by_place *= per;
  if (out.q) out.by_q *= per;
  if (out.v0) out.by_v0 *= per;
}

void rows_by_position(const RowsTrace& rows, int count, const PlacedContact& at, const FrameDerivative& frame,
                      const Sides& x, RowDerivative& out) {
  const Vec3 velocity = at.velocity(x);
  for (int r = 0; r < count; ++r) {
    const Vec3& d = rows.directions[static_cast<std::size_t>(r)];
    const Vec3 c = cross3(d, velocity);
    // Normals do not turn about themselves.
    const double about_n = r == 0 ? 0 : c.dot(frame.n);
    out.J.row(r) = at.along(d);
    out.w_by_v0.row(r) = about_n * frame.by_v0;
    Row12 by_place = at.velocity_by_position(d, x) + about_n * frame.by_place;
    if (at.turns) at.add_along(cross3(c, frame.n), at.N, by_place);
    out.w_by_place.row(r) = by_place;
    Row12 by_q = about_n * frame.by_q;
    if (at.travels) {
      at.add_along(cross3(c, frame.n), at.N0, by_q);
      at.add_along(cross3(d, PlacedContact::spin(x)), at.P0, by_q);  // d·(spin × dp)
    }
    out.w_by_q.row(r) = by_q;
  }
}

void ForceDerivative::clear() {
  if (q) by_q.setZero();
  if (place) by_place.setZero();
  if (v0) by_v0.setZero();
  q = place = v0 = false;
}

/// Of the force F on b and −F on a:  dF = ρ × F = (F·n) dn − n (F·dn) − (F × n) φ,  moments (dp − dreference) × F + arm × dF
void add_force_by_position(const Vec3& F, const PlacedContact& at, const FrameDerivative& frame,
                           ForceDerivative& out) {
  if (F.isZero(0)) return;
  const Vec3 &n = frame.n, across = cross3(n, F);
  // By φ: the force turns by `across`, and takes its moments along.
  const Row12 turned = at.along(across);
  const auto add_turn = [&](const Row12& phi, Mat12& to) {
    for (int by = 0; by < 2; ++by)
      for (int side = 0; side < 2; ++side)
        if (at.moves[by] && at.moves[side])
          for (int i = 0; i < 6; ++i)
            to.block<1, 6>(6 * side + i, 6 * by) += turned[6 * side + i] * phi.segment<6>(6 * by);
  };
  const auto add_motion = [&](const Mat3x12* dn, const Mat3x12& dp, Mat12& to) {
    for (int by = 0; by < 2; ++by) {
      if (!at.moves[by]) continue;
      Mat3x6 dF = Mat3x6::Zero();
      if (dn != nullptr) {
        const auto own = dn->middleCols<6>(6 * by);
        const Row6 along = F[0] * own.row(0) + F[1] * own.row(1) + F[2] * own.row(2);
        for (int k = 0; k < 3; ++k) dF.row(k) = F.dot(n) * own.row(k) - n[k] * along;
      }
      const Mat3x6 moment = cross_columns(F, dp.middleCols<6>(6 * by));
      for (int side = 0; side < 2; ++side) {
        if (!at.moves[side]) continue;
        const double sign = side == 0 ? -1 : 1;
        auto own = to.block<6, 6>(6 * side, 6 * by);
        own.bottomRows<3>() -= sign * moment;
        if (dn == nullptr) continue;
        own.topRows<3>() += sign * dF;
        own.bottomRows<3>() += sign * cross_columns(at.arm[side], dF);
      }
    }
  };
  add_turn(frame.by_place, out.by_place);
  add_motion(at.turns ? &at.N : nullptr, at.P, out.by_place);
  if (at.moves[0]) out.by_place.block<3, 3>(3, 0) -= skew(F);
  if (at.moves[1]) out.by_place.block<3, 3>(9, 6) += skew(F);
  out.place = true;
  if (frame.v0) {
    add_turn(frame.by_v0, out.by_v0);
    out.v0 = true;
  }
  if (frame.q) {
    add_turn(frame.by_q, out.by_q);
    if (at.travels) add_motion(&at.N0, at.P0, out.by_q);
    out.q = true;
  }
}

Row12 approach_by_position(const PlacedContact& at, const Sides& v) {
  Row12 out = at.velocity_by_position(at.n, v);
  if (at.turns) at.add_along(at.velocity(v), at.N, out);
  return out;
}

void slip_at_start_by_position(const RowsTrace& rows, const PlacedContact& start, const PlacedContact& at,
                               const FrameDerivative& frame, const Sides& v, SlipDerivative& out) {
  const Vec3 &n = start.n, &t = rows.directions[1];
  const Vec3 in_plane = t - n.dot(t) * n;
  const double length = in_plane.norm();
  const Vec3 e1 = in_plane / length, e2 = cross3(n, e1);
  const double hand = cross3(rows.directions[0], t).dot(rows.directions[2]) < 0 ? -1 : 1;
  const Vec3 velocity = start.velocity(v), by_turn = cross3(t, e2) / length;
  // φ₀
  Row12 turn = frame.turn_by_start(by_turn, at);
  if (start.turns) start.add_along(-n.dot(t) / length * e2, start.N, turn);
  const Row12 by_place = frame.turn_by_place(by_turn, at), by_v0 = by_turn.dot(frame.n) * frame.by_v0;
  for (int r = 1; r < rows.count; ++r) {
    const Vec3 e = r == 1 ? e1 : Vec3(hand * e2);
    const Vec3 c = cross3(e, velocity);
    Row12 by_q = start.velocity_by_position(e, v) + c.dot(n) * turn;
    if (start.turns) start.add_along(cross3(c, n), start.N, by_q);
    out.by_q.row(r) = by_q;
    out.by_place.row(r) = c.dot(n) * by_place;
    out.by_v0.row(r) = c.dot(n) * by_v0;
    out.by_v.row(r) = start.along(e);
  }
}

}  // namespace jade
