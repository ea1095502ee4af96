#include "jade/geometry/integer_polynomial.h"

#include <cmath>
#include <utility>

namespace jade {
namespace {

/// Both numbers over the larger of the two denominators.
void share_exponent(Dyadic& a, Dyadic& b) {
  const unsigned exponent = std::max(a.exponent, b.exponent);
  for (Dyadic* value : {&a, &b}) {
    value->numerator <<= exponent - value->exponent;
    value->exponent = exponent;
  }
}

unsigned bit_length(const Integer& value) {
  return value.is_zero() ? 0 : msb(boost::multiprecision::abs(value)) + 1;
}

/// The leading 53 bits of |value|, with sign, in units of 2^shift; truncated.
double leading_bits(const Integer& value, unsigned shift) {
  return static_cast<double>(static_cast<long long>(Integer(boost::multiprecision::abs(value) >> shift))) *
         value.sign();
}

/// A floating-point guess at the root of p between low and high, where p has sign `sign_low` at low. Only a guess:
/// whoever uses it verifies signs exactly.
double guess_root(const Polynomial& p, double low, double high, int sign_low) {
  unsigned bits = 0;
  for (int i = 0; i <= p.degree(); ++i) bits = std::max(bits, bit_length(p[i]));
  const unsigned shift = bits > 62 ? bits - 62 : 0;
  std::array<double, Polynomial::kMaxDegree + 1> c{};
  for (int i = 0; i <= p.degree(); ++i) c[static_cast<std::size_t>(i)] = leading_bits(p[i], shift);
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    double value = 0;
    for (int i = p.degree(); i >= 0; --i) value = value * middle + c[static_cast<std::size_t>(i)];
    (value * sign_low > 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Appends the roots of p in the open interval (low, high), p ≠ 0 at both ends.
void isolate(const Polynomial& p, const RemainderSequence& sturm, Dyadic low, Dyadic high,
             std::vector<RootTime>& roots) {
  const int count = sturm.sign_changes_at(low) - sturm.sign_changes_at(high);
  if (count == 0) return;
  if (count == 1) {
    roots.emplace_back(p, std::move(low), std::move(high));
    return;
  }
  // Any interior point that is no root will do.
  share_exponent(low, high);
  Dyadic middle{low.numerator + high.numerator, low.exponent + 1};
  while (p.sign_at(middle) == 0) {
    // Step a quarter of what is left towards the upper end.
    Dyadic end = high;
    share_exponent(middle, end);
    middle = {3 * middle.numerator + end.numerator, middle.exponent + 2};
  }
  isolate(p, sturm, low, middle, roots);
  isolate(p, sturm, middle, high, roots);
}

}  // namespace

double round_down(const Dyadic& value) {
  const unsigned bits = bit_length(value.numerator);
  const unsigned shift = bits > 53 ? bits - 53 : 0;
  Integer head = boost::multiprecision::abs(value.numerator) >> shift;
  if (value.numerator.sign() < 0) {
    if ((head << shift) != boost::multiprecision::abs(value.numerator)) ++head;
    head = -head;
  }
  return std::ldexp(static_cast<double>(static_cast<long long>(head)),
                    static_cast<int>(shift) - static_cast<int>(value.exponent));
}

Polynomial Polynomial::through(const Integer& at_zero, const Integer& at_one) {
  Polynomial p;
  p.set(0, at_zero);
  p.set(1, at_one - at_zero);
  return p;
}

void Polynomial::set(int i, Integer value) {
  const bool zero = value.is_zero();
  coefficients_[static_cast<std::size_t>(i)] = std::move(value);
  if (!zero && i > degree_) degree_ = i;
  while (degree_ >= 0 && coefficients_[static_cast<std::size_t>(degree_)].is_zero()) --degree_;
}

Polynomial Polynomial::derivative() const {
  Polynomial result;
  for (int i = degree_; i >= 1; --i) result.set(i - 1, (*this)[i] * i);
  return result;
}

Polynomial Polynomial::operator-() const {
  Polynomial result;
  for (int i = degree_; i >= 0; --i) result.set(i, -(*this)[i]);
  return result;
}

/// Horner's rule on numerators: 2^{kn} p(a / 2^k) = Σ c_i aⁱ 2^{k(n−i)}.
int Polynomial::sign_at(const Dyadic& t) const {
  if (is_zero()) return 0;
  Integer value = leading();
  for (int i = degree_ - 1; i >= 0; --i) {
    value *= t.numerator;
    if (!(*this)[i].is_zero()) value += (*this)[i] << (t.exponent * static_cast<unsigned>(degree_ - i));
  }
  return value.sign();
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (int i = std::max(a.degree_, b.degree_); i >= 0; --i) result.set(i, a[i] + b[i]);
  return result;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (int i = std::max(a.degree_, b.degree_); i >= 0; --i) result.set(i, a[i] - b[i]);
  return result;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  if (a.is_zero() || b.is_zero()) return result;
  for (int n = a.degree_ + b.degree_; n >= 0; --n) {
    Integer sum = 0;
    for (int i = std::max(0, n - b.degree_); i <= std::min(n, a.degree_); ++i) sum += a[i] * b[n - i];
    result.set(n, std::move(sum));
  }
  return result;
}

Polynomial remainder(Polynomial a, const Polynomial& b, Polynomial* quotient) {
  const Integer scale = boost::multiprecision::abs(b.leading());
  if (quotient) *quotient = Polynomial{};
  while (a.degree() >= b.degree()) {
    const int shift = a.degree() - b.degree();
    const Integer factor = b.leading().sign() > 0 ? a.leading() : Integer(-a.leading());
    if (quotient) {
      for (int i = 0; i <= quotient->degree(); ++i) quotient->set(i, (*quotient)[i] * scale);
      quotient->set(shift, factor);
    }
    // The leading term cancels; written from the top so that the degree falls at once.
    const int top = a.degree();
    a.set(top, 0);
    for (int i = top - 1; i >= 0; --i) {
      Integer value = a[i] * scale;
      if (i >= shift) value -= factor * b[i - shift];
      a.set(i, std::move(value));
    }
  }
  return a;
}

RemainderSequence::RemainderSequence(const Polynomial& p, const Polynomial& r) {
  terms_.reserve(Polynomial::kMaxDegree + 2);
  terms_.push_back(p);
  if (r.is_zero()) return;
  // An r of higher degree than p is reduced first: at the roots of p nothing changes.
  terms_.push_back(r.degree() < p.degree() ? r : remainder(r, p));
  while (!terms_.back().is_zero()) {
    const std::size_t n = terms_.size();
    terms_.push_back(-remainder(terms_[n - 2], terms_[n - 1]));
  }
  terms_.pop_back();
}

int RemainderSequence::sign_changes_at(const Dyadic& t) const {
  int changes = 0;
  int previous = 0;
  for (const Polynomial& term : terms_) {
    const int current = term.sign_at(t);
    if (current == 0) continue;
    if (previous != 0 && current != previous) ++changes;
    previous = current;
  }
  return changes;
}

RootTime::RootTime(Dyadic t) : low_(t), high_(std::move(t)) {}

RootTime::RootTime(const Polynomial& p, Dyadic low, Dyadic high)
    : polynomial_(&p), sign_low_(p.sign_at(low)), low_(std::move(low)), high_(std::move(high)) {
  share_exponent(low_, high_);
}

void RootTime::become(Dyadic t) {
  polynomial_ = nullptr;
  low_ = t;
  high_ = std::move(t);
}

void RootTime::halve() {
  Dyadic middle{low_.numerator + high_.numerator, low_.exponent + 1};
  const int sign_middle = polynomial_->sign_at(middle);
  if (sign_middle == 0) return become(std::move(middle));
  (sign_middle == sign_low_ ? low_ : high_) = std::move(middle);
  share_exponent(low_, high_);
}

/// Tries the interval of two cells of the grid 2^-bits around a floating-point guess.
void RootTime::jump_to_width(unsigned bits) {
  const double guess = guess_root(*polynomial_, round_down(low_), round_down(high_), sign_low_);
  const auto cell = static_cast<long long>(std::floor(std::ldexp(guess, static_cast<int>(bits))));
  for (long long offset = -1; offset <= 2; ++offset) {
    if (is_dyadic()) return;
    Dyadic candidate{Integer(cell + offset), bits};
    Dyadic low = low_, high = high_;
    Dyadic same = candidate;
    share_exponent(low, candidate);
    share_exponent(high, same);
    if (low.numerator >= candidate.numerator || high.numerator <= same.numerator) continue;
    const int sign_here = polynomial_->sign_at(candidate);
    if (sign_here == 0) return become(std::move(candidate));
    (sign_here == sign_low_ ? low_ : high_) = std::move(candidate);
    share_exponent(low_, high_);
  }
}

void RootTime::narrow_to(unsigned bits) {
  const auto too_wide = [&] {
    return !is_dyadic() && ((high_.numerator - low_.numerator) << bits) > (Integer(1) << low_.exponent);
  };
  if (!too_wide()) return;
  jump_to_width(std::min(bits, 52U));
  while (too_wide()) halve();
}

/// First by bounds: the Bernstein coefficients of q on the interval. When they disagree on a narrow interval, q
/// probably vanishes, and the Tarski query decides.
int RootTime::sign_of(const Polynomial& q) {
  if (q.is_zero()) return 0;
  for (const unsigned bits : {0U, 20U, 44U}) {
    if (bits > 0) narrow_to(bits);
    if (is_dyadic()) return q.sign_at(low_);
    const int at_low = q.sign_at(low_);
    if (at_low == 0 || at_low != q.sign_at(high_)) continue;
    const unsigned k = low_.exponent;
    const Integer middle = (q[0] << (2 * k + 1)) + ((q[1] * (low_.numerator + high_.numerator)) << k) +
                           2 * q[2] * low_.numerator * high_.numerator;
    if (middle.sign() == at_low) return at_low;
  }
  const RemainderSequence tarski(*polynomial_, polynomial_->derivative() * q);
  return tarski.sign_changes_at(low_) - tarski.sign_changes_at(high_);
}

Polynomial interior_factor(const Polynomial& p) {
  Polynomial result = p;
  const Polynomial common = RemainderSequence(p, p.derivative()).last();
  if (common.degree() > 0) (void)remainder(p, common, &result);
  // Synthetic division by t and by t − 1; both roots are simple by now.
  Polynomial factor = Polynomial::through(0, 1);
  for (const Dyadic& end : {Dyadic{0, 0}, Dyadic{1, 0}}) {
    if (result.sign_at(end) == 0) {
      Polynomial quotient;
      (void)remainder(result, factor, &quotient);
      result = quotient;
    }
    factor = Polynomial::through(-1, 0);
  }
  return result;
}

std::vector<RootTime> roots_inside_unit_interval(const Polynomial& p) {
  std::vector<RootTime> roots;
  if (p.degree() > 0) isolate(p, RemainderSequence(p, p.derivative()), Dyadic{0, 0}, Dyadic{1, 0}, roots);
  return roots;
}

}  // namespace jade
