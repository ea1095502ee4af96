#include "jade/lcp/contact_doubts.h"

#include <bit>
#include <cstdint>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {
namespace {

constexpr int kRowsOfAContact = 3;

/// Bits instead of comparisons, which have to think of NaN. −0 is in doubt: it hardly ever comes.

/// x − y is +0, which has no bit set, for equal finite numbers and for nothing else.
JADE_INSIDE_LOOPS std::uint64_t difference(double x, double y) { return std::bit_cast<std::uint64_t>(x - y); }
JADE_INSIDE_LOOPS std::uint64_t any_bit(const FourBits& x) {
  return static_cast<std::uint64_t>(x[0] | x[1] | x[2] | x[3]);
}

bool have_sound_dimensions(const LcpProblem& p) {
  const long n = p.b.size(), betas = p.beta.size();
  long different = (p.A.rows() ^ n) | (p.A.cols() ^ n) | (static_cast<long>(p.rows.size()) ^ n);
  different |= betas == 0 ? 0 : betas ^ n;
  if (p.factors) {
    const ContactFactors& c = *p.factors;
    const long nv = c.u.size();
    different |= (c.J.rows() ^ n) | (c.J.cols() ^ nv) | (c.inverse_mass.rows() ^ nv) |
                 (c.inverse_mass.cols() ^ nv) | (c.bias.size() ^ n);
  }
  return different == 0;
}

/// Rows [begin, n) of the lower triangle against the upper one.
JADE_INSIDE_LOOPS std::uint64_t asymmetry_from(int begin, int n, const double* a) {
  const std::ptrdiff_t stride = n;
  std::uint64_t different = 0;
  for (int j = begin; j < n; ++j) {
    for (int i = 0; i <= j; ++i) different |= difference(a[j * stride + i], a[i * stride + j]);
  }
  return different;
}

/// In one pass over blocks of 4 × 4.
JADE_INSIDE_LOOPS std::uint64_t asymmetry(int n, const double* a) {
  const std::ptrdiff_t stride = n;
  FourBits different{};
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    const double *column = a + j * stride, *row = a + j;
    for (int i = 0; i <= j; i += 4, row += 4 * stride) {
      const Four r0 = four_at(row), r1 = four_at(row + stride), r2 = four_at(row + 2 * stride),
                 r3 = four_at(row + 3 * stride);
      const Four even_low = __builtin_shufflevector(r0, r1, 0, 4, 2, 6),
                 odd_low = __builtin_shufflevector(r0, r1, 1, 5, 3, 7),
                 even_high = __builtin_shufflevector(r2, r3, 0, 4, 2, 6),
                 odd_high = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);
      const double* c = column + i;
      collect_bits(four_at(c) - __builtin_shufflevector(even_low, even_high, 0, 1, 4, 5), different);
      collect_bits(four_at(c + stride) - __builtin_shufflevector(odd_low, odd_high, 0, 1, 4, 5), different);
      collect_bits(four_at(c + 2 * stride) - __builtin_shufflevector(even_low, even_high, 2, 3, 6, 7),
                   different);
      collect_bits(four_at(c + 3 * stride) - __builtin_shufflevector(odd_low, odd_high, 2, 3, 6, 7),
                   different);
    }
  }
  return any_bit(different) | asymmetry_from(j, n, a);
}

JADE_INSIDE_LOOPS bool numbers_in_doubt(int n, const double* b, int betas, const double* beta) {
  FourBits infinite{}, negative{};
  std::uint64_t rest = 0, sign = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) collect_bits(four_at(b + i) - four_at(b + i), infinite);
  for (; i < n; ++i) rest |= difference(b[i], b[i]);
  for (i = 0; i + 4 <= betas; i += 4) {
    collect_bits(four_at(beta + i) - four_at(beta + i), infinite);
    collect_bits(four_at(beta + i), negative);
  }
  for (; i < betas; ++i) {
    rest |= difference(beta[i], beta[i]);
    sign |= std::bit_cast<std::uint64_t>(beta[i]);
  }
  return (any_bit(infinite) | rest | ((any_bit(negative) | sign) >> 63)) != 0;
}

JADE_INSIDE_LOOPS bool rows_in_doubt(int n, const double* A, const LcpRow* rows) {
  static_assert(RowKind{} == RowKind::normal);
  // A number that is not finite has all bits of its exponent set; one more there then carries into the sign.
  constexpr std::uint64_t one_more = 0x0010000000000000;
  std::uint64_t negative = 0;
  int not_normal = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t diagonal = std::bit_cast<std::uint64_t>(A[static_cast<std::ptrdiff_t>(i) * (n + 1)]);
    negative |= diagonal | (diagonal + one_more);
    if (rows[i].kind != RowKind::tangent) continue;
    if (static_cast<unsigned>(rows[i].normal) >= static_cast<unsigned>(n)) return true;
    not_normal |= static_cast<int>(rows[rows[i].normal].kind);
    const std::uint64_t mu = std::bit_cast<std::uint64_t>(rows[i].mu);
    negative |= mu | (mu + one_more);
  }
  return (not_normal != 0) | (negative >> 63 != 0);
}

/// `kRows` is the number of rows where it is known to the compiler, 0 where it is not.
template <int kRows>
JADE_INSIDE_LOOPS Doubts doubts_about_rows(const LcpProblem& p) {
  const int n = kRows > 0 ? kRows : p.size();
  return {.matrix = asymmetry(n, p.A.data()) != 0,
          .numbers = numbers_in_doubt(n, p.b.data(), static_cast<int>(p.beta.size()), p.beta.data()),
          .rows = rows_in_doubt(n, p.A.data(), p.rows.data())};
}

JADE_WIDE_LOOPS Doubts doubts_about_any(const LcpProblem& p) { return doubts_about_rows<0>(p); }
JADE_WIDE_LOOPS Doubts doubts_about_box(const LcpProblem& p) { return doubts_about_rows<kRowsOfABox>(p); }

JADE_WIDE_LOOPS bool formed_in_doubt(const LcpProblem& p) {
  const int n = p.size();
  return numbers_in_doubt(n, p.b.data(), static_cast<int>(p.beta.size()), p.beta.data()) ||
         rows_in_doubt(n, p.A.data(), p.rows.data());
}

/// The same for three rows, known to the compiler.
Doubts doubts_about_one(const LcpProblem& p) {
  constexpr int n = kRowsOfAContact;
  return {.matrix = asymmetry_from(0, n, p.A.data()) != 0,
          .numbers = numbers_in_doubt(n, p.b.data(), p.beta.size() > 0 ? n : 0, p.beta.data()),
          .rows = rows_in_doubt(n, p.A.data(), p.rows.data())};
}

}  // namespace

Doubts doubts_about_contacts(const LcpProblem& problem) {
  if (!have_sound_dimensions(problem)) return {.dimensions = true};
  switch (problem.size()) {
    case kRowsOfAContact:
      return doubts_about_one(problem);
    case kRowsOfABox:
      return doubts_about_box(problem);
    default:
      return doubts_about_any(problem);
  }
}

bool formed_is_in_doubt(const LcpProblem& problem) {
  return !have_sound_dimensions(problem) || formed_in_doubt(problem);
}

}  // namespace jade::lcp
