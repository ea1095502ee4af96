#pragma once

#include <array>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

namespace jade {

// Exact real roots of small polynomials, for decisions that must not depend on rounding. Internal to the library:
// this header is not installed.

/// Integers without limit; the first 1024 bits need no allocation, which covers ordinary queries.
using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<1024>,
                                              boost::multiprecision::et_off>;

inline int sign(const Integer& value) { return value.sign(); }

/// numerator / 2^exponent.
struct Dyadic {
  Integer numerator;
  unsigned exponent = 0;
};

/// A double not above `value` and within one unit in the last place of it.
double round_down(const Dyadic& value);

/// c₀ + c₁ t + … + c_n tⁿ with integer coefficients.
class Polynomial {
 public:
  static constexpr int kMaxDegree = 5;

  Polynomial() = default;
  /// The linear polynomial with the given values at t = 0 and t = 1.
  static Polynomial through(const Integer& at_zero, const Integer& at_one);

  int degree() const { return degree_; }  ///< −1 for the zero polynomial
  bool is_zero() const { return degree_ < 0; }
  const Integer& operator[](int i) const { return coefficients_[static_cast<std::size_t>(i)]; }
  const Integer& leading() const { return (*this)[degree_]; }
  void set(int i, Integer value);

  Polynomial derivative() const;
  Polynomial operator-() const;
  int sign_at(const Dyadic& t) const;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);

 private:
  std::array<Integer, kMaxDegree + 1> coefficients_;
  int degree_ = -1;
};

/// A positive multiple of the remainder of a divided by b ≠ 0; `quotient`, if given, gets the same multiple of the
/// quotient.
Polynomial remainder(Polynomial a, const Polynomial& b, Polynomial* quotient = nullptr);

/// The signed remainder sequence p, r, −(p mod r), … up to positive factors. Its sign changes at a minus those at b
/// count, for r = p′q, the roots of p in (a, b) with q > 0 minus those with q < 0 (Sturm and Tarski; p(a), p(b) ≠ 0).
/// See Basu, Pollack, Roy, "Algorithms in Real Algebraic Geometry", theorem 2.73.
class RemainderSequence {
 public:
  RemainderSequence(const Polynomial& p, const Polynomial& r);
  int sign_changes_at(const Dyadic& t) const;
  const Polynomial& last() const { return terms_.back(); }

 private:
  std::vector<Polynomial> terms_;
};

/// A time in [0, 1]: either a dyadic number, or the only root of a square-free polynomial in an open interval.
class RootTime {
 public:
  explicit RootTime(Dyadic t);
  /// The only root of `p` between the two ends, at which p has opposite signs. `p` must outlive this object.
  RootTime(const Polynomial& p, Dyadic low, Dyadic high);

  /// The sign of q at this time, for q of degree at most 2. May narrow the interval.
  int sign_of(const Polynomial& q);

  /// Narrows the interval to a width of at most 2^-bits.
  void narrow_to(unsigned bits);
  const Dyadic& lower() const { return low_; }

 private:
  bool is_dyadic() const { return polynomial_ == nullptr; }
  void become(Dyadic t);
  void halve();
  void jump_to_width(unsigned bits);

  const Polynomial* polynomial_ = nullptr;
  int sign_low_ = 0;
  Dyadic low_, high_;
};

/// `p` ≠ 0 without repeated factors and without roots at 0 and 1: the same roots inside (0, 1), all simple.
Polynomial interior_factor(const Polynomial& p);

/// The roots in (0, 1), ascending, of a `p` that `interior_factor` returned and that must outlive them.
std::vector<RootTime> roots_inside_unit_interval(const Polynomial& p);

}  // namespace jade
