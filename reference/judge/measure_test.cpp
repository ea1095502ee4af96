#include "reference/judge/measure.h"

#include <random>

#include <gtest/gtest.h>

#include "jade/math/rotation.h"
#include "reference/judge/voxels.h"

namespace jade::judge {
namespace {

WidePose at(const Vec3& p, const Mat3& R = Mat3::Identity()) { return {R.cast<Real>(), p.cast<Real>()}; }

/// Measured both ways round: the answer must not depend on the order.
Measurement measured(const Shape& a, const WidePose& X_a, const Shape& b, const WidePose& X_b) {
  Solid s(a, "a"), t(b, "b");
  s.place(X_a);
  t.place(X_b);
  const Measurement m = measure(s, t), swapped = measure(t, s);
  EXPECT_EQ(m.relation, swapped.relation);
  // The search starts elsewhere when swapped; both brackets hold the same truth.
  EXPECT_LE(m.separation.lower, swapped.separation.upper);
  EXPECT_LE(swapped.separation.lower, m.separation.upper);
  return m;
}

void expect_separation(const Measurement& m, double truth, double width, const std::string& what) {
  EXPECT_LE(m.separation.lower, truth) << what;
  EXPECT_GE(m.separation.upper, truth) << what;
  EXPECT_LE(m.separation.upper - m.separation.lower, width) << what;
}

// Widths of brackets: twice to four times 5·2⁻⁵³ of coordinates below 18 m, and what is stated for cylinders' depth.
constexpr double kRounding = 4e-14, kPrism = 1.3e-3;

const Box kCube{Vec3(1, 1, 1)};

// ---- hand-made configurations ---------------------------------------------------------------------------------------

struct Configuration {
  const char* name;
  Shape a, b;
  Vec3 p_b;
  Relation relation;
  double separation;
};

std::vector<Configuration> configurations() {
  using R = Relation;
  const TriangleMesh hoop = mesh_of(ring());  // hole: 1 < x, y < 2, height 0 to 1
  const ConvexHull tetrahedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  return {
      {"faces touch", kCube, kCube, {1, 0, 0}, R::intersecting, 0},
      {"faces touch, shifted", kCube, kCube, {1, 0.25, 0.5}, R::intersecting, 0},
      {"edges touch", kCube, kCube, {1, 1, 0.125}, R::intersecting, 0},
      {"corners touch", kCube, kCube, {1, 1, 1}, R::intersecting, 0},
      {"same place", kCube, kCube, {0, 0, 0}, R::intersecting, -1},
      {"box in box", kCube, Box{Vec3(0.5, 0.25, 0.25)}, {0.125, 0, 0}, R::contained, -0.625},
      {"box in box, faces touch", kCube, Box{Vec3(0.5, 0.5, 0.5)}, {0.25, 0, 0}, R::intersecting, -0.5},
      {"box apart", kCube, kCube, {0, 0, 1.5}, R::separated, 0.5},
      {"boxes apart at a corner", kCube, kCube, {1.5, 1.5, 1.5}, R::separated, std::sqrt(0.75)},
      {"corner of a tetrahedron on a face", kCube, tetrahedron, {0.5, 0, 0}, R::intersecting, 0},
      {"shared vertex of tetrahedra", tetrahedron, tetrahedron, {0, 0, 1}, R::intersecting, 0},
      {"tetrahedron apart from a face",
       tetrahedron,
       tetrahedron,
       {0.75, 0.75, 0.75},
       R::separated,
       1.25 / std::sqrt(3)},
      {"tetrahedron apart from an edge", tetrahedron, tetrahedron, {1, 1, 0}, R::separated, std::sqrt(0.5)},
      {"bar through a ring", hoop, Box{Vec3(0.5, 0.5, 8)}, {1.5, 1.5, 0}, R::separated, 0.25},
      {"bar through a ring touches", hoop, Box{Vec3(0.5, 0.5, 8)}, {1.75, 1.5, 0}, R::intersecting, 0},
      {"ball in the hole", hoop, Sphere{0.25}, {1.5, 1.5, 0.5}, R::separated, 0.25},
      {"ball in the rim", hoop, Sphere{0.25}, {0.5, 1.5, 0.5}, R::contained, -0.75},
      {"capsule through a ring", hoop, Capsule{0.25, 4}, {1.5, 1.5, 0}, R::separated, 0.25},
      {"cylinder through a ring", hoop, Cylinder{0.25, 4}, {1.5, 1.5, 0}, R::separated, 0.25},
      {"ball on ball", Sphere{1}, Sphere{0.5}, {0, 0, 2}, R::separated, 0.5},
      {"ball in ball", Sphere{1}, Sphere{0.25}, {0, 0.5, 0}, R::contained, -0.75},
      {"balls overlap", Sphere{1}, Sphere{0.5}, {1.25, 0, 0}, R::intersecting, -0.25},
      {"ball over a box", kCube, Sphere{0.25}, {0, 0, 1}, R::separated, 0.25},
      {"ball beside an edge", kCube, Sphere{0.25}, {1, 0, 1}, R::separated, std::sqrt(0.5) - 0.25},
      {"ball in a box", kCube, Sphere{0.125}, {0.25, 0, 0}, R::contained, -0.375},
      {"ball through a face", kCube, Sphere{0.25}, {0.625, 0, 0}, R::intersecting, -0.125},
      {"ball through a face from inside", kCube, Sphere{0.25}, {0.375, 0, 0}, R::intersecting, -0.375},
      {"box in a ball", Sphere{2}, kCube, {0.5, 0, 0}, R::contained, -2},
      {"capsule over a box", kCube, Capsule{0.25, 1}, {0, 0, 2}, R::separated, 0.25},
      {"capsule stuck in a box", kCube, Capsule{0.25, 1}, {0, 0, 1}, R::intersecting, -0.75},
      {"capsules side by side", Capsule{0.25, 1}, Capsule{0.5, 1}, {1, 0, 0.5}, R::separated, 0.25},
      {"capsules end to end", Capsule{0.25, 1}, Capsule{0.5, 1}, {0, 0, 3}, R::separated, 0.25},
      {"capsule in a capsule", Capsule{0.5, 1}, Capsule{0.25, 0.5}, {0, 0, 0.25}, R::contained, -0.75},
      {"ball in a cylinder", Cylinder{1, 1}, Sphere{0.25}, {0.25, 0, 0}, R::contained, -1},
      {"ball above a cylinder", Cylinder{1, 1}, Sphere{0.25}, {0.25, 0.5, 1.5}, R::separated, 0.25},
      {"ball beside a rim", Cylinder{1, 1}, Sphere{0.25}, {0, 1.5, 1.5}, R::separated, std::sqrt(0.5) - 0.25},
      {"cylinder on a box", kCube, Cylinder{0.25, 0.5}, {0, 0, 1.25}, R::separated, 0.25},
      {"cylinder in a box", kCube, Cylinder{0.125, 0.25}, {0.125, 0, 0}, R::contained, -0.5},
      {"cylinder through a box top", kCube, Cylinder{0.125, 0.5}, {0, 0, 0.875}, R::intersecting, -0.125},
      {"cylinders side by side", Cylinder{0.5, 1}, Cylinder{0.25, 1}, {0.6, 0.8, 0.5}, R::separated, 0.25},
      {"cylinder in a cylinder", Cylinder{1, 1}, Cylinder{0.25, 0.5}, {0.5, 0, 0}, R::contained, -0.75},
      {"box over ground", HalfSpace{}, kCube, {3, 4, 0.75}, R::separated, 0.25},
      {"box on ground", HalfSpace{}, kCube, {3, 4, 0.5}, R::intersecting, 0},
      {"box in ground", HalfSpace{}, kCube, {3, 4, 0.25}, R::intersecting, -0.25},
      {"box under ground", HalfSpace{}, kCube, {3, 4, -0.75}, R::contained, -1.25},
      {"ball over ground", HalfSpace{}, Sphere{0.25}, {3, 4, 0.5}, R::separated, 0.25},
      {"capsule in ground", HalfSpace{}, Capsule{0.25, 1}, {3, 4, 1}, R::intersecting, -0.25},
      {"cylinder under ground", HalfSpace{}, Cylinder{0.25, 1}, {3, 4, -2}, R::contained, -3},
  };
}

TEST(Measure, KnowsHandMadeConfigurations) {
  // Touching stays touching when everything is moved by numbers that doubles hold exactly.
  for (const Vec3& shift : {Vec3(0, 0, 0), Vec3(0.5, -16, 0.125), Vec3(0x1p-10, 3, 1)})
    for (const auto& [name, a, b, p_b, relation, separation] : configurations()) {
      const Measurement m = measured(a, at(shift), b, at(p_b + shift));
      EXPECT_EQ(m.relation, relation) << name << ": " << name_of(m.relation);
      const bool cylinder_depth =
          separation < 0 && (std::holds_alternative<Cylinder>(a) || std::holds_alternative<Cylinder>(b)) &&
          !std::holds_alternative<HalfSpace>(a);
      const bool mesh_depth = separation <= 0 && std::holds_alternative<TriangleMesh>(a);
      expect_separation(m, separation, mesh_depth ? 4 : cylinder_depth ? kPrism : kRounding, name);
    }
}

TEST(Measure, SaysWhenRoundShapesTouchToWithinRounding) {
  EXPECT_EQ(measured(Sphere{1}, at({0, 0, 0}), Sphere{0.5}, at({0, 1.5, 0})).relation, Relation::undecided);
  EXPECT_EQ(measured(kCube, at({0, 0, 0}), Capsule{0.5, 1}, at({0, 0, 2})).relation, Relation::undecided);
}

TEST(Measure, DecidesTheLastBitOfBoxesOnTheGround) {
  EXPECT_EQ(measured(HalfSpace{}, at({0, 0, 0}), kCube, at({0, 0, std::nextafter(0.5, 1)})).relation,
            Relation::separated);
  EXPECT_EQ(measured(HalfSpace{}, at({0, 0, 0}), kCube, at({0, 0, std::nextafter(0.5, 0)})).relation,
            Relation::intersecting);
  EXPECT_EQ(measured(kCube, at({0, 0, 0}), kCube, at({std::nextafter(1.0, 2), 0, 0})).relation,
            Relation::separated);
}

// ---- solids of grid cells: everything is known in whole numbers --------------------------------------------------

TEST(Measure, AgreesWithGridCells) {
  const Cells u = without(block({0, 0, 0}, {3, 2, 3}), block({1, 0, 1}, {2, 2, 3}));
  const Cells bar = block({0, 0, 0}, {1, 1, 4}),
              step = without(block({0, 0, 0}, {2, 2, 2}), block({1, 0, 1}, {2, 2, 2}));
  const std::vector<Cells> solids{ring(), u, bar, step};
  std::mt19937 random(8);
  std::uniform_int_distribution<int> pick(0, 3), quarter(-14, 14);
  int meeting = 0, apart = 0;
  for (int i = 0; i < 400; ++i) {
    const Cells &a = solids[pick(random)], &b = solids[pick(random)];
    const Vec3 shift = 0.25 * Vec3(quarter(random), quarter(random), quarter(random));
    const double truth = distance_of(a, b, shift);
    const Measurement m = measured(mesh_of(a), at({0, 0, 0}), mesh_of(b), at(shift));
    ASSERT_EQ(overlap(m.relation), truth == 0) << i << " " << shift.transpose();
    (truth == 0 ? meeting : apart)++;
    if (truth > 0) expect_separation(m, truth, kRounding, "cells");
    EXPECT_LE(m.separation.upper, truth + kRounding);
  }
  EXPECT_GT(meeting, 50);
  EXPECT_GT(apart, 50);
}

TEST(Measure, FindsASolidInTheHollowOfAnother) {
  const TriangleMesh shell = mesh_of(without(block({0, 0, 0}, {5, 5, 5}), block({1, 1, 1}, {4, 4, 4})));
  // In the hollow it is free; in the wall it is contained.
  EXPECT_EQ(measured(shell, at({0, 0, 0}), kCube, at({2.5, 2.5, 2.5})).relation, Relation::separated);
  EXPECT_EQ(measured(shell, at({0, 0, 0}), Box{Vec3(0.5, 0.5, 0.5)}, at({0.5, 2.5, 2.5})).relation,
            Relation::contained);
  EXPECT_EQ(measured(shell, at({0, 0, 0}), Cylinder{0.25, 0.25}, at({0.5, 2.5, 2.5})).relation,
            Relation::contained);
  EXPECT_EQ(measured(shell, at({0, 0, 0}), Cylinder{1, 1}, at({2.5, 2.5, 2.5})).relation,
            Relation::separated);
  EXPECT_EQ(measured(shell, at({0, 0, 0}), Sphere{8}, at({2.5, 2.5, 2.5})).relation, Relation::contained);
}

TEST(Measure, CatchesAnEdgeThatPassesThroughACylinder) {
  // Neither has a vertex or a centre inside the other.
  const TriangleMesh u = mesh_of(without(block({0, 0, 0}, {3, 2, 3}), block({1, 0, 1}, {2, 2, 3})));
  const Mat3 R = rotation_exp(Vec3(0, 0, M_PI / 4));
  const Measurement m = measured(u, at({0, 0, 0}), Cylinder{0.125, 4}, at({-0.05, -0.05, 0}, R));
  EXPECT_EQ(m.relation, Relation::intersecting);
  EXPECT_LT(m.separation.upper, -0.05);
}

// ---- closed forms over random placements --------------------------------------------------------------------------

struct RandomPlacement {
  std::mt19937 random{9};
  std::uniform_real_distribution<double> unit{-1, 1};
  Vec3 vector() { return {unit(random), unit(random), unit(random)}; }
  double length() { return 0.1 + 0.4 * (unit(random) + 1); }
};

TEST(Clearance, IsNeverLargerThanTheTrueOneForBallsAndBoxes) {
  RandomPlacement r;
  for (int i = 0; i < 2000; ++i) {
    const double r1 = r.length(), r2 = r.length();
    const Vec3 p = 2 * r.vector(), q = 2 * r.vector(), size_1 = Vec3(r.length(), r.length(), r.length()),
               size_2 = Vec3(r.length(), r.length(), r.length());
    const Vec3l d = (q.cast<Real>() - p.cast<Real>()).cwiseAbs();

    const Real balls = d.norm() - r1 - r2;
    const Measurement ball_ball = measured(Sphere{r1}, at(p), Sphere{r2}, at(q));
    EXPECT_LE(ball_ball.separation.lower, balls);
    EXPECT_GE(ball_ball.separation.upper, balls);

    // Boxes along the axes: gaps per axis; overlapping ones part along the axis of least overlap.
    const Vec3l gap = d - (size_1.cast<Real>() + size_2.cast<Real>()) / 2;
    const Real boxes = gap.maxCoeff() > 0 ? gap.cwiseMax(0).norm() : gap.maxCoeff();
    const Measurement box_box = measured(Box{size_1}, at(p), Box{size_2}, at(q));
    EXPECT_LE(box_box.separation.lower, boxes) << i;
    EXPECT_GE(box_box.separation.upper, boxes) << i;
    EXPECT_LE(box_box.separation.upper - box_box.separation.lower, kRounding) << i;

    const Vec3l above = d - size_1.cast<Real>() / 2;
    const Real ball_in_box = (above.maxCoeff() > 0 ? above.cwiseMax(0).norm() : above.maxCoeff()) - r2;
    const Measurement box_ball = measured(Box{size_1}, at(p), Sphere{r2}, at(q));
    EXPECT_LE(box_ball.separation.lower, ball_in_box) << i;
    EXPECT_GE(box_ball.separation.upper, ball_in_box) << i;
    EXPECT_LE(box_ball.separation.upper - box_ball.separation.lower, kRounding) << i;
  }
}

TEST(Clearance, IsTheSameInEveryFrame) {
  RandomPlacement r;
  const std::vector<Shape> shapes{Sphere{0.3},
                                  Capsule{0.2, 0.4},
                                  kCube,
                                  Cylinder{0.3, 0.5},
                                  ConvexHull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}},
                                  mesh_of(ring())};
  for (int i = 0; i < 600; ++i) {
    const Shape &a = shapes[i % 6], &b = shapes[i / 6 % 6];
    const Mat3 R_a = rotation_exp(2 * r.vector()), R_b = rotation_exp(2 * r.vector()),
               Q = rotation_exp(3 * r.vector());
    const Vec3 p = 2 * r.vector(), q = 2 * r.vector(), shift = r.vector();
    const Measurement m = measured(a, at(p, R_a), b, at(q, R_b));
    const Measurement n = measured(a, at(Q * p + shift, Q * R_a), b, at(Q * q + shift, Q * R_b));
    EXPECT_EQ(overlap(m.relation), overlap(n.relation)) << i;
    // The frames' own rotations are rounded: 1e-15 of a few metres. Depth directions of a mesh are the same set.
    // A cylinder's clearance is a bracket: its search ends among slivers of √(5e-20) of the radii.
    const bool cylinder = std::holds_alternative<Cylinder>(a) || std::holds_alternative<Cylinder>(b);
    const double bracket = !cylinder ? 0 : overlap(m.relation) ? kPrism : 2e-10;
    EXPECT_NEAR(m.separation.upper, n.separation.upper, 4e-14 + bracket)
        << i << " " << a.index() << " " << b.index();
    EXPECT_NEAR(m.separation.lower, n.separation.lower, 4e-14 + bracket)
        << i << " " << a.index() << " " << b.index();
  }
}

/// Smallest value of a convex function on [−1, 1], by thirds.
template <class Function>
Real smallest(const Function& f) {
  Real low = -1, high = 1;
  for (int i = 0; i < 150; ++i) {
    const Real a = low + (high - low) / 3, b = high - (high - low) / 3;
    (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
  }
  return f((low + high) / 2);
}

Real point_box(const Vec3l& p, const Vec3l& centre, const Vec3l& half) {
  return ((p - centre).cwiseAbs() - half).cwiseMax(0).norm();
}

TEST(Clearance, OfACapsuleIsTheSmallestAlongItsAxis) {
  RandomPlacement r;
  int apart = 0;
  for (int i = 0; i < 300; ++i) {
    const Vec3 p = Vec3(1.5, 1.5, 0.5) + 3 * r.vector(), theta = 2 * r.vector();
    const Mat3 R = rotation_exp(theta);
    const double radius = 0.1 * r.length(), half = 2 * r.length();
    const auto on_axis = [&](Real s) -> Vec3l { return p.cast<Real>() + s * half * R.col(2).cast<Real>(); };
    const Capsule capsule{radius, half};

    // A distance to a convex set is convex along the axis; the ring is a union of cells.
    const Vec3l cell = Vec3l::Constant(0.5L);
    const auto cube = [&](Real s) { return point_box(on_axis(s), Vec3l::Zero(), cell); };
    const auto drum = [&](Real s) {
      const Vec3l x = on_axis(s);
      return std::hypot(std::max<Real>(0, std::hypot(x.x(), x.y()) - 0.75L),
                        std::max<Real>(0, std::abs(x.z()) - 0.5L));
    };
    Real ring_distance = 1e9L;
    for (const Cell& c : ring()) {
      const Vec3l centre = Vec3l(c[0], c[1], c[2]) + cell;
      ring_distance =
          std::min(ring_distance, smallest([&](Real s) { return point_box(on_axis(s), centre, cell); }));
    }

    const struct {
      Shape shape;
      Real distance;
      double width;
    } expected[] = {{kCube, smallest(cube), kRounding},
                    {Cylinder{0.75, 0.5}, smallest(drum), 2e-10},
                    {mesh_of(ring()), ring_distance, kRounding}};
    for (const auto& [shape, distance, width] : expected) {
      if (distance < radius + 1e-6) continue;
      ++apart;
      const Measurement m = measured(shape, at({0, 0, 0}), capsule, at(p, R));
      EXPECT_EQ(m.relation, Relation::separated) << i;
      // Thirds find the least value to √ of rounding where it is a corner: 1e-17 of a few metres.
      EXPECT_LE(m.separation.lower, distance - radius + 1e-16L) << i << " " << shape.index();
      EXPECT_GE(m.separation.upper, distance - radius - 1e-16L) << i << " " << shape.index();
      EXPECT_LE(m.separation.upper - m.separation.lower, width) << i << " " << shape.index();
    }
  }
  EXPECT_GT(apart, 300);
}

TEST(Clearance, OfCrossedCapsulesAndCylindersIsTheClosedForm) {
  const Mat3 lying = rotation_exp(Vec3(0, M_PI / 2, 0));
  for (const double gap : {1e-9, 1e-5, 0.01, 1.0}) {
    // The lower one along x, the upper one along y: their round sides face each other.
    const Mat3 across = rotation_exp(Vec3(M_PI / 2, 0, 0));
    const Vec3 up(0.1, 0.2, 0.75 + gap);
    // up.z is rounded to 2⁻⁵³ and the frames to 1e-16.
    EXPECT_NEAR(
        measured(Capsule{0.5, 1}, at({0, 0, 0}, lying), Capsule{0.25, 1}, at(up, across)).separation.lower,
        gap, 1e-14);
    const Measurement m = measured(Cylinder{0.5, 1}, at({0, 0, 0}, lying), Cylinder{0.25, 1}, at(up, across));
    EXPECT_EQ(m.relation, Relation::separated) << gap;
    // Where two round sides face each other the search ends among slivers of √(5e-20) of the radii.
    expect_separation(m, up.z() - 0.75, 2e-10, "crossed cylinders");
  }
}

TEST(Measure, CatchesAShallowCutIntoACylinder) {
  // Far less than what prisms of 64 sides resolve, seen between two of their edges.
  const Mat3 R = rotation_exp(Vec3(0, 0, 0.05));
  for (const double depth : {1e-12, 1e-9, 1e-6, 1e-4}) {
    const Measurement box = measured(Cylinder{0.5, 1}, at({0, 0, 0}, R), kCube, at({1 - depth, 0, 0}));
    EXPECT_EQ(box.relation, Relation::intersecting) << depth;
    EXPECT_LE(-box.separation.upper, depth * (1 + 1e-6) + kRounding) << depth;
    EXPECT_GE(-box.separation.lower, depth - kRounding) << depth;
    const Measurement pair =
        measured(Cylinder{0.5, 1}, at({0, 0, 0}, R), Cylinder{0.25, 1}, at({0.75 - depth, 0, 0}));
    EXPECT_EQ(pair.relation, Relation::intersecting) << depth;
  }
}

TEST(Measure, CatchesEveryStateMovedIntoOverlap) {
  RandomPlacement r;
  const std::vector<Shape> shapes{Sphere{0.3}, Capsule{0.2, 0.4}, kCube, Cylinder{0.3, 0.5}, mesh_of(ring())};
  int moved = 0;
  for (int i = 0; i < 75; ++i) {
    const Shape &a = shapes[i % 5], &b = shapes[i / 5 % 5];
    Solid s(a, "a"), t(b, "b");
    const Mat3 R_a = rotation_exp(2 * r.vector()), R_b = rotation_exp(2 * r.vector());
    s.place(at(Vec3::Zero(), R_a));
    const Vec3 from = 4 * r.vector().normalized();
    // Bisection on the path to the centre, by the relation alone: the clearance must vanish where it changes.
    double clear = 1, meet = 0;
    const auto measure_at = [&](double part) {
      t.place(at(part * from, R_b));
      return measure(s, t);
    };
    if (measure_at(clear).relation != Relation::separated || !overlap(measure_at(meet).relation)) continue;
    while (clear - meet > 1e-7) {
      const double middle = (clear + meet) / 2;
      (overlap(measure_at(middle).relation) ? meet : clear) = middle;
    }
    ++moved;
    EXPECT_LE(measure_at(clear).separation.lower, 4.1e-7) << i;  // moved by 4e-7 at most from there
    EXPECT_GE(measure_at(meet).separation.upper, -4.1e-7) << i;
  }
  EXPECT_GT(moved, 50);
}

}  // namespace
}  // namespace jade::judge
