#pragma once

#include "jade/math/types.h"

namespace jade {

/// The working set of the GJK algorithm: up to four points of the difference B − A of two convex sets, each with
/// the points of A and B it came from.
struct Simplex {
  int count = 0;
  Vec3 w[4];  ///< b − a
  Vec3 a[4], b[4];
  double weight[4] = {};  ///< of the point nearest to the origin; set by `reduce`, positive, sum 1

  void add(const Vec3& on_a, const Vec3& on_b) {
    a[count] = on_a;
    b[count] = on_b;
    w[count] = on_b - on_a;
    ++count;
  }
  Vec3 witness_a() const { return combine(a); }
  Vec3 witness_b() const { return combine(b); }

 private:
  Vec3 combine(const Vec3 (&x)[4]) const {
    Vec3 sum = weight[0] * x[0];
    for (int i = 1; i < count; ++i) sum += weight[i] * x[i];
    return sum;
  }
};

/// Reduces the simplex to the smallest face that holds its point v nearest to the origin, sets the weights and
/// returns v; v = 0 with four points left when the origin is inside.
///
/// The face is found by signs of areas and volumes seen from the origin (M. Montanari, N. Petrinic,
/// E. Barbieri, "Improving the GJK algorithm for faster and more reliable distance queries between convex
/// objects", ACM TOG 36(3), 2017). v is then formed from the normal of the face or of the edge, not as a weighted
/// sum of points: at a gap of 1e-6 between shapes of a metre the sum would lose ten digits of its direction.
Vec3 reduce(Simplex& simplex);

}  // namespace jade
