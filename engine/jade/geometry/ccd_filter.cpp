#include "jade/geometry/ccd_filter.h"

#include <algorithm>
#include <cmath>

#include "jade/geometry/exact_ccd.h"

// Rounding. Let ε = 2^-53 and U_k the largest |x_i − x₀| in coordinate k at t = 0 and 1.
//   u = x_i − x₀ carries a relative error ε.
//   A Bernstein coefficient of a weight in direction e_k is a sum of at most twelve products of two such u and is
//   bounded by 6 V with V = U_{k+1} U_{k+2}: its error is below 40 ε V. Halving a quadratic adds at most
//   2 ε · 6 V per level, 16 levels 192 ε V: together below 256 ε V.
//   A Bernstein coefficient of the cubic is bounded by 6 V with V = U_x U_y U_z; its error is below 70 ε V. Halving
//   adds 3 ε · 6 V per level, 16 levels 288 ε V, a final cut at any point 54 ε V: together below 512 ε V.
// Underflow adds at most a few 2^-1075 U_k to any of these; `kUnderflow` covers that for U_k ≤ kLargest, and
// nothing overflows there.

namespace jade {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr double kNarrowest = 0x1p-16;  // reached at kMaxDepth
constexpr double kWeightError = 0x1p-45;
constexpr double kCubicError = 0x1p-44;
constexpr double kLargest = 1e60;
constexpr double kUnderflow = 1e-240;

/// Some coordinate keeps the features strictly apart at both ends, hence always.
bool axis_separates(const CcdQuery& query) {
  const auto& s = query.start;
  const auto& e = query.end;
  for (Eigen::Index k = 0; k < 3; ++k) {
    if (query.kind == CcdKind::vertex_face) {
      const double s_low = std::min({s[1][k], s[2][k], s[3][k]}),
                   s_high = std::max({s[1][k], s[2][k], s[3][k]});
      const double e_low = std::min({e[1][k], e[2][k], e[3][k]}),
                   e_high = std::max({e[1][k], e[2][k], e[3][k]});
      if ((s[0][k] < s_low && e[0][k] < e_low) || (s[0][k] > s_high && e[0][k] > e_high)) return true;
    } else {
      const bool below = std::max(s[0][k], s[1][k]) < std::min(s[2][k], s[3][k]) &&
                         std::max(e[0][k], e[1][k]) < std::min(e[2][k], e[3][k]);
      const bool above = std::min(s[0][k], s[1][k]) > std::max(s[2][k], s[3][k]) &&
                         std::min(e[0][k], e[1][k]) > std::max(e[2][k], e[3][k]);
      if (below || above) return true;
    }
  }
  return false;
}

/// A moving vector by its ends, and a quadratic vector by its Bernstein coefficients.
struct Linear {
  Vec3 at_start, at_end;
};
struct Quadratic {
  Vec3 c[3];
};

Quadratic cross(const Linear& a, const Linear& b) {
  return {{a.at_start.cross(b.at_start), 0.5 * (a.at_start.cross(b.at_end) + a.at_end.cross(b.at_start)),
           a.at_end.cross(b.at_end)}};
}

using Cubic = std::array<double, 4>;

Cubic dot(const Linear& u, const Quadratic& n) {
  constexpr double third = 1.0 / 3;
  return {u.at_start.dot(n.c[0]), third * (u.at_end.dot(n.c[0]) + 2 * u.at_start.dot(n.c[1])),
          third * (2 * u.at_end.dot(n.c[1]) + u.at_start.dot(n.c[2])), u.at_end.dot(n.c[2])};
}

/// +1 or −1 if all values are certainly on that side of zero, else 0.
template <typename Values>
int sign_of_all(const Values& values, double error) {
  bool positive = true, negative = true;
  for (const double value : values) {
    positive &= value > error;
    negative &= value < -error;
  }
  return positive ? 1 : negative ? -1 : 0;
}

/// The polynomials on the piece [low, low + width] of the motion.
struct Piece {
  double low = 0;
  double width = 1;
  Cubic cubic;
  std::array<Quadratic, 4>
      weights;  ///< signed so that contact means: no two of opposite sign in any component
};

struct Errors {
  double cubic;
  Vec3 weight;
};

enum class Outcome { free, hit, open };

Outcome judge(const Piece& piece, const Errors& errors) {
  if (sign_of_all(piece.cubic, errors.cubic) != 0) return Outcome::free;
  bool agree = false;
  for (Eigen::Index k = 0; k < 3; ++k) {
    int positive = 0, negative = 0;
    for (const Quadratic& w : piece.weights) {
      const int sign = sign_of_all(std::array{w.c[0][k], w.c[1][k], w.c[2][k]}, errors.weight[k]);
      positive += sign > 0;
      negative += sign < 0;
    }
    if (positive > 0 && negative > 0) return Outcome::free;
    agree |= positive == 4 || negative == 4;
  }
  const int at_low = sign_of_all(std::array{piece.cubic[0]}, errors.cubic);
  const int at_high = sign_of_all(std::array{piece.cubic[3]}, errors.cubic);
  return agree && at_low * at_high < 0 ? Outcome::hit : Outcome::open;
}

/// De Casteljau's halving: `piece` becomes its left half, the right half is returned.
Piece split(Piece& piece) {
  Piece right;
  right.width = piece.width *= 0.5;
  right.low = piece.low + piece.width;
  {
    const auto [a, b, c, d] = piece.cubic;
    const double ab = 0.5 * (a + b), bc = 0.5 * (b + c), cd = 0.5 * (c + d);
    const double abc = 0.5 * (ab + bc), bcd = 0.5 * (bc + cd), middle = 0.5 * (abc + bcd);
    piece.cubic = {a, ab, abc, middle};
    right.cubic = {middle, bcd, cd, d};
  }
  for (std::size_t i = 0; i < 4; ++i) {
    auto& left = piece.weights[i].c;
    auto& other = right.weights[i].c;
    const Vec3 ab = 0.5 * (left[0] + left[1]), bc = 0.5 * (left[1] + left[2]);
    const Vec3 middle = 0.5 * (ab + bc);
    other[0] = middle, other[1] = bc, other[2] = left[2];
    left[1] = ab, left[2] = middle;
  }
  return right;
}

/// For a piece on which contact means a root of the cubic and which has one: a time proven to be before the first
/// root and close to it, if it can be proven.
std::optional<double> time_before_root(const Piece& piece, const Errors& errors) {
  const double a = piece.cubic[0], b = piece.cubic[1], c = piece.cubic[2], d = piece.cubic[3];
  const auto value_at = [&](double s) {
    const double r = 1 - s;
    return r * r * (r * a + 3 * s * b) + s * s * (3 * r * c + s * d);
  };
  // Newton from the chord's root, halving whenever it would leave the bracket. A guess: proven below.
  double low = 0, high = 1, guess = a / (a - d);
  for (int round = 0; round < 20; ++round) {
    const double value = value_at(guess);
    ((value > 0) == (a > 0) ? low : high) = guess;
    const double r = 1 - guess;
    const double slope = 3 * (r * r * (b - a) + 2 * r * guess * (c - b) + guess * guess * (d - c));
    const double next = guess - value / slope;
    if (std::abs(next - guess) < 1e-14) break;
    guess = next > low && next < high ? next : 0.5 * (low + high);
  }
  const double s = std::max(0.0, guess - 0.25 * kExactCcdTimeTolerance / piece.width);
  // The cubic on [0, s]: free of roots if its Bernstein coefficients agree.
  const double ab = a + s * (b - a), bc = b + s * (c - b), cd = c + s * (d - c);
  const double abc = ab + s * (bc - ab), bcd = bc + s * (cd - bc);
  if (sign_of_all(Cubic{a, ab, abc, abc + s * (bcd - abc)}, errors.cubic) == 0) return std::nullopt;
  // A sign change within the tolerance shows that the root is not far.
  const double end = std::min(1.0, s + 0.5 * kExactCcdTimeTolerance / piece.width);
  const double beyond = value_at(end);
  if (sign_of_all(std::array{beyond}, errors.cubic) * (a > 0 ? 1 : -1) >= 0) return std::nullopt;
  return piece.low + s * piece.width;
}

std::optional<CcdResult> subdivide(const Piece& whole, const Errors& errors) {
  std::array<Piece, kMaxDepth + 1> stack;
  std::size_t size = 0;
  stack[size++] = whole;
  while (size > 0) {
    Piece& piece = stack[size - 1];
    switch (judge(piece, errors)) {
      case Outcome::free:
        --size;
        break;
      case Outcome::hit:
        // Everything to the left is free, so this piece holds the first contact.
        if (const auto time = time_before_root(piece, errors)) {
          return CcdResult{.hit = true, .time_of_impact = *time, .path = CcdPath::subdivision};
        }
        return std::nullopt;
      case Outcome::open:
        if (piece.width <= kNarrowest) return std::nullopt;
        // The left half goes on top: pieces are judged in the order of time.
        Piece left = piece;
        stack[size - 1] = split(left);
        stack[size++] = left;
        break;
    }
  }
  return CcdResult{.path = CcdPath::subdivision};
}

}  // namespace

std::optional<CcdResult> filter_ccd(const CcdQuery& query) {
  if (axis_separates(query)) return CcdResult{.path = CcdPath::axis};

  std::array<Linear, 3> u;
  Vec3 extent = Vec3::Zero();
  for (std::size_t i = 0; i < 3; ++i) {
    u[i] = {query.start[i + 1] - query.start[0], query.end[i + 1] - query.end[0]};
    extent = extent.cwiseMax(u[i].at_start.cwiseAbs()).cwiseMax(u[i].at_end.cwiseAbs());
  }
  if (!(extent.maxCoeff() <= kLargest)) return std::nullopt;
  const double volume = extent[0] * extent[1] * extent[2];
  const Vec3 area{extent[1] * extent[2], extent[2] * extent[0], extent[0] * extent[1]};
  const Errors errors{kCubicError * volume + kUnderflow, kWeightError * area + Vec3::Constant(kUnderflow)};

  Piece whole;
  whole.weights[1] = cross(u[1], u[2]);
  whole.cubic = dot(u[0], whole.weights[1]);
  if (sign_of_all(whole.cubic, errors.cubic) != 0) return CcdResult{.path = CcdPath::coplanarity};

  whole.weights[2] = cross(u[2], u[0]);
  whole.weights[3] = cross(u[0], u[1]);
  for (int j = 0; j < 3; ++j) {
    // Weight 0 is minus the sum of the others, and the weights of the first feature change sign.
    whole.weights[0].c[j] = whole.weights[1].c[j] + whole.weights[2].c[j] + whole.weights[3].c[j];
    if (query.kind == CcdKind::edge_edge) whole.weights[1].c[j] = -whole.weights[1].c[j];
  }
  return subdivide(whole, errors);
}

}  // namespace jade
