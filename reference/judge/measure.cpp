#include "reference/judge/measure.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace jade::judge {
namespace {

using Kind = Solid::Kind;
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr int kPrismSides = 64;

Real largest_coordinate(const Solid& s) {
  if (s.kind() == Kind::half_space) return s.plane_point().lpNorm<Eigen::Infinity>();
  return std::max(s.bounds().low.lpNorm<Eigen::Infinity>(), s.bounds().high.lpNorm<Eigen::Infinity>());
}

/// Rounding of the placed coordinates: each is off by 2⁻⁵³ of itself, a point by √3 times that, two points by twice
/// that; extended precision adds three orders less.
Real slack_of(const Solid& a, const Solid& b) {
  return 5 * 0x1p-53L * std::max(largest_coordinate(a), largest_coordinate(b));
}

Bracket widened(Real lower, Real upper, Real slack) {
  return {round_down(lower - slack), round_up(upper + slack)};
}

/// The relation of solids of which one is round: decided where the bracket excludes 0.
Relation relation_of(const Bracket& separation, bool nested) {
  if (separation.lower > 0) return Relation::separated;
  if (separation.upper >= 0) return Relation::undecided;
  return nested ? Relation::contained : Relation::intersecting;
}

/// Does the convex solid `outer` hold all of the convex hull of `inner`? Faces are compared by support; a round solid
/// holds a hull iff it holds the points that span it, each with the rounding around it.
bool holds(Solid& outer, const Solid& inner) {
  const Core core = outer.core();
  const Real r = inner.radius();
  if (outer.kind() == Kind::polyhedron) {
    const Polytope faces = outer.polyhedron().polytope();
    return std::all_of(faces.normals.begin(), faces.normals.end(),
                       [&](const Vec3l& n) { return extent(inner.core(), n) + r < extent(core, n); });
  }
  const std::vector<Vec3> points = inner.core_points();
  if (outer.kind() == Kind::rounded)
    return std::all_of(points.begin(), points.end(), [&](const Vec3& p) {
      return std::sqrt(squared_distance_point_segment(p, core.points.front(), core.points.back())) + r <
             outer.radius();
    });
  return std::all_of(points.begin(), points.end(), [&](const Vec3& p) {
    const Vec3l d = p.cast<Real>() - core.centre;
    const Real along = core.axis.dot(d);
    return std::abs(along) + r < core.half_length && (d - along * core.axis).norm() + r < core.radius;
  });
}

/// Faces and edges of a solid's core; of a cylinder those of a prism inside or around it.
Polytope polytope_of(Solid& s, bool around) {
  if (s.kind() == Kind::polyhedron) return s.polyhedron().polytope();
  if (s.kind() == Kind::cylinder) return prism_of(s.core(), kPrismSides, around);
  Polytope p{.points = s.core_points(), .normals = {}, .edges = {}};
  if (p.points.size() == 2 && p.points[0] != p.points[1]) {
    const Vec3l from = p.points[0].cast<Real>(), to = p.points[1].cast<Real>();
    p.edges.push_back({from, (to - from).normalized(), Vec3l::Zero(), Vec3l::Zero(), false});
  }
  return p;
}

struct RealBracket {
  Real lower = 0, upper = 0;
};

/// Depth of a core below the surface of a cylinder: the largest σ, to 1e-6 of the cylinder, for which it still reaches
/// the cylinder shrunk by σ on all sides. 0 when that is less than `least`.
template <class Reaches>
Real depth_in_cylinder(const Core& cylinder, Real least, const Reaches& reaches) {
  const auto shrunk = [&](Real sigma) {
    Core core = cylinder;
    core.radius -= sigma;
    core.half_length -= sigma;
    return core;
  };
  Real proven = least, open = std::min(cylinder.radius, cylinder.half_length);
  if (least >= open || !reaches(shrunk(least))) return 0;
  for (int i = 0; i < 20; ++i) {
    const Real middle = (proven + open) / 2;
    (reaches(shrunk(middle)) ? proven : open) = middle;
  }
  return proven;
}

/// Depth of overlapping cores. A set inside has the smaller depth and one around it the larger; the direction found
/// for the latter is then bettered with the true round sides. Prisms inside that do not even meet prove nothing: then
/// the depth of a point of one core in the other is asked for.
RealBracket core_depth(Solid& a, Solid& b, Real slack) {
  const bool round = a.kind() == Kind::cylinder || b.kind() == Kind::cylinder;
  const Depth outer = translation(polytope_of(a, true), polytope_of(b, true));
  if (!round) return {outer.length, outer.length};
  Real inner = translation(polytope_of(a, false), polytope_of(b, false)).length;
  for (const auto& [cylinder, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
    if (inner <= 4 * slack && cylinder->kind() == Kind::cylinder)
      inner = std::max(inner,
                       depth_in_cylinder(cylinder->core(), 4 * slack, [&, solid = other](const Core& shrunk) {
                         return core_distance(shrunk, solid->core()).upper == 0;
                       }));
  return {inner, std::max(inner, refined_overlap(a.core(), b.core(), outer.direction))};
}

// ---- half-space -------------------------------------------------------------------------------------------------

Measurement measure_on_plane(const Solid& ground, Solid& s) {
  const Vec3l n = ground.plane_normal().cast<Real>().normalized();
  const Core core = s.core();
  const Vec3l origin = ground.plane_point().cast<Real>();
  const Real height = -extent(core, -n) - n.dot(origin) - s.radius();
  const Real top = extent(core, n) - n.dot(origin) + s.radius();
  // The plane's normal is rounded too: that tilts it by 2⁻⁵³ over the distance from its origin.
  Measurement m{.separation = widened(height, height, 2 * slack_of(ground, s))};
  if (s.kind() != Kind::polyhedron) {
    m.relation = relation_of(m.separation, top < 0);
    return m;
  }
  bool all_below = true, all_above = true;
  for (const Vec3& p : s.polyhedron().points()) {
    const int side = side_of_plane(p, ground.plane_point(), ground.plane_normal());
    all_below &= side < 0;
    all_above &= side > 0;
  }
  m.relation = all_above ? Relation::separated : all_below ? Relation::contained : Relation::intersecting;
  return m;
}

// ---- polyhedra --------------------------------------------------------------------------------------------------

bool holds_a_surface_of(Polyhedron& outer, const Polyhedron& inner) {
  const auto& vertices = inner.representatives();
  return std::any_of(vertices.begin(), vertices.end(),
                     [&](int v) { return contains(outer, inner.points()[v]); });
}

Relation exact_relation(Polyhedron& a, Polyhedron& b) {
  if (!a.bounds().meets(b.bounds())) return Relation::separated;
  if (surfaces_meet(a, b)) return Relation::intersecting;
  return holds_a_surface_of(a, b) || holds_a_surface_of(b, a) ? Relation::contained : Relation::separated;
}

/// Distance from the surface of the deepest vertex of `inner` inside `outer`.
Real deepest_vertex(Polyhedron& outer, const Polyhedron& inner) {
  Real deepest = 0;
  for (const Vec3& p : inner.points())
    if (contains(outer, p)) deepest = std::max(deepest, surface_distance(outer, p, p, kInfinity));
  return deepest;
}

Measurement measure_polyhedra(Solid& a, Solid& b, double beyond) {
  const Real slack = slack_of(a, b);
  const Real enough = beyond + 2 * slack;
  Polyhedron &p = a.polyhedron(), &q = b.polyhedron();
  const bool convex = p.is_convex() && q.is_convex();
  Bracket distance{0, std::numeric_limits<double>::infinity()};
  if (convex) {
    // A separating plane with a margin above rounding is a proof; all else is decided by exact predicates.
    distance = core_distance(a.core(), b.core(), round_up(enough));
    const bool tight = distance.upper - distance.lower <= slack || distance.lower > enough;
    if (distance.lower > slack && tight)
      return {Relation::separated, widened(distance.lower, distance.upper, slack)};
  }

  const Relation relation = exact_relation(p, q);
  if (relation == Relation::separated) {
    const Real d = surface_distance(p, q, enough);
    return {relation, widened(std::min(d, enough), std::min<Real>(d, distance.upper), slack)};
  }
  const Real upper = translation(p.polytope(), q.polytope()).length;
  const Real lower = convex ? upper : std::max(deepest_vertex(p, q), deepest_vertex(q, p));
  return {relation, widened(-upper, -lower, slack)};
}

// ---- non-convex polyhedron and round solid ------------------------------------------------------------------------

/// Distance between the surface and a segment or a cylinder within `bounds`; both ends 0 when they meet.
RealBracket surface_core_distance(Polyhedron& mesh, const Core& core, const Bounds& bounds, Real beyond) {
  if (!core.is_cylinder) {
    const Real d = surface_distance(mesh, core.points.front(), core.points.back(), beyond);
    return {std::min(d, beyond), d};
  }
  RealBracket best{beyond, kInfinity};
  visit_near(
      mesh, bounds, [&] { return best.lower; },
      [&](int t) {
        const Triangle corners = mesh.triangle(t);
        const Bracket d = core_distance({.points = corners}, core, round_up(best.upper));
        best.lower = std::min<Real>(best.lower, d.lower);
        best.upper = std::min<Real>(best.upper, d.upper);
      });
  return best;
}

/// Depth that is certain: of a point of the surface in the round solid, or of a point of its core in the mesh.
Real proven_depth(Polyhedron& mesh, const Solid& s, const RealBracket& distance, Real slack) {
  Real depth = std::max<Real>(0, s.radius() - distance.upper);
  if (s.kind() == Kind::cylinder && distance.upper == 0)

    depth = depth_in_cylinder(s.core(), 4 * slack, [&](const Core& shrunk) {
      return surface_core_distance(mesh, shrunk, s.bounds(), kInfinity).upper == 0;
    });
  std::vector<Vec3> inner;
  if (s.kind() == Kind::cylinder)
    inner = prism_of(s.core(), kPrismSides, false).points;
  else
    inner = s.core_points();
  for (const Vec3& p : inner)
    if (contains(mesh, p)) depth = std::max(depth, surface_distance(mesh, p, p, kInfinity) + s.radius());
  return depth;
}

Measurement measure_mesh_with_round(Solid& a, Solid& b, double beyond) {
  Polyhedron& mesh = a.polyhedron();
  const Real slack = slack_of(a, b), r = b.radius();
  const Vec3 middle =
      b.kind() == Kind::cylinder ? Vec3(b.core().centre.cast<double>()) : b.core().points.front();
  const RealBracket d = surface_core_distance(mesh, b.core(), b.bounds(), beyond + r + 2 * slack);
  const bool swallowed = d.lower > 0 && contains(mesh, middle);
  if (!swallowed && d.lower > r + slack)
    return {Relation::separated, widened(d.lower - r, d.upper - r, slack)};

  const Real lower = proven_depth(mesh, b, d, slack);
  const Real upper = translation(mesh.polytope(), polytope_of(b, true)).length + r;
  const bool nested = (swallowed && d.lower > r) || holds(b, a);
  Measurement m{.separation = widened(-std::max(lower, upper), -lower, slack)};
  if (!swallowed && d.upper > r) m.separation = widened(d.lower - r, d.upper - r, slack);
  m.relation = relation_of(m.separation, nested);
  return m;
}

// ---- convex solids, at least one of them round --------------------------------------------------------------------

Measurement measure_convex(Solid& a, Solid& b, double beyond) {
  const Real slack = slack_of(a, b), r = static_cast<Real>(a.radius()) + b.radius();
  RealBracket core;
  if (a.kind() == Kind::rounded && b.kind() == Kind::rounded) {
    const auto p = a.core().points, q = b.core().points;
    core.lower = core.upper = std::sqrt(squared_distance_segments(p.front(), p.back(), q.front(), q.back()));
  } else {
    const Bracket d = core_distance(a.core(), b.core(), round_up(beyond + r + 2 * slack));
    core = {d.lower, d.upper};
    // A search that ended early by rounding is replaced by the closed form over all faces.
    const bool loose = d.upper > 0 && d.upper - d.lower > slack && d.lower <= beyond + r;
    for (const auto& [solid, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
      if (loose && solid->kind() == Kind::polyhedron && other->kind() == Kind::rounded)
        core = surface_core_distance(solid->polyhedron(), other->core(), other->bounds(), kInfinity);
  }
  Measurement m;
  if (core.upper > 0) {
    m.separation = widened(core.lower - r, core.upper - r, slack);
  } else {
    const RealBracket depth = core_depth(a, b, slack);
    m.separation = widened(-depth.upper - r, -depth.lower - r, slack);
  }
  m.relation = relation_of(m.separation, m.separation.upper < 0 && (holds(a, b) || holds(b, a)));
  return m;
}

}  // namespace

const char* name_of(Relation relation) {
  switch (relation) {
    case Relation::separated:
      return "separated";
    case Relation::undecided:
      return "undecided";
    case Relation::intersecting:
      return "intersecting";
    case Relation::contained:
      return "contained";
  }
  return "unknown";
}

Measurement measure(Solid& a, Solid& b, double beyond) {
  if (a.kind() == Kind::half_space) return measure_on_plane(a, b);
  if (b.kind() == Kind::half_space) return measure_on_plane(b, a);
  if (a.kind() == Kind::polyhedron && b.kind() == Kind::polyhedron) return measure_polyhedra(a, b, beyond);
  if (!a.is_convex()) return measure_mesh_with_round(a, b, beyond);
  if (!b.is_convex()) return measure_mesh_with_round(b, a, beyond);
  return measure_convex(a, b, beyond);
}

}  // namespace jade::judge
