#include "jade/lcp/contact_island.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "jade/lcp/dense_kernels.h"

namespace jade::lcp {
namespace {

/// The power of two nearest to a^(-1/2) from above or below: a · scale² lies in [½, 2) for normal numbers.
double power_of_two_scale(double a) {
  const int exponent =
      std::clamp(static_cast<int>((std::bit_cast<std::uint64_t>(a) >> 52) & 0x7ff), 1, 2046) - 1023;
  const int half = (exponent + 1) >> 1;
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 - half) << 52);
}

std::uint64_t mix(std::uint64_t x) {  // the finaliser of splitmix64: every input bit reaches every output bit
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x + 0.0); }  // −0 and 0 are one number

}  // namespace

int IslandSplitter::split(const LcpProblem& p) {
  const int n = p.size();
  const double* A = p.A.data();
  const LcpRow* rows = p.rows.data();
  first_tangent_.assign(n, -1);
  next_tangent_.resize(n);
  unvisited_.resize(n);
  queue_.resize(n);
  int *first = first_tangent_.data(), *next = next_tangent_.data(), *unvisited = unvisited_.data();
  // Only unilateral rows are searched; each brings its tangents along.
  int left = 0, found = 0;
  has_inert_rows_ = false;
  for (int i = n - 1; i >= 0; --i) {
    if (!(A[static_cast<std::ptrdiff_t>(i) * (n + 1)] > 0)) {
      has_inert_rows_ = true;
      continue;
    }
    if (rows[i].kind == RowKind::tangent) {
      next[i] = first[rows[i].normal];
      first[rows[i].normal] = i;
    } else {
      unvisited[left++] = i;
    }
  }
  island_begin_.assign(1, 0);
  const auto touches = [&](const double* column, int i) {
    if (column[i] != 0) return true;
    for (int t = first[i]; t >= 0; t = next[t]) {
      if (column[t] != 0) return true;
    }
    return false;
  };
  const auto take_those_that_touch = [&](int c) {
    const double* column = A + static_cast<std::ptrdiff_t>(c) * n;
    int kept = 0;
    for (int u = 0; u < left; ++u) {
      const int i = unvisited[u];
      const bool touched = touches(column, i);
      queue_[found] = unvisited[kept] = i;
      found += touched;
      kept += !touched;
    }
    left = kept;
  };
  while (left > 0) {
    int head = found;
    queue_[found++] = unvisited[--left];
    for (; head < found && left > 0; ++head) {
      take_those_that_touch(queue_[head]);
      for (int t = first[queue_[head]]; t >= 0 && left > 0; t = next[t]) take_those_that_touch(t);
    }
    island_begin_.push_back(found);
  }
  return static_cast<int>(island_begin_.size()) - 1;
}

bool IslandSplitter::needs_force(const LcpProblem& p, int k) const {
  for (int q = island_begin_[k]; q < island_begin_[k + 1]; ++q) {
    if (p.b[queue_[q]] < 0) return true;
  }
  return false;
}

std::optional<SingleContact> IslandSplitter::single_contact(const LcpProblem& p, int k) const {
  if (island_begin_[k + 1] - island_begin_[k] != 1) return std::nullopt;
  SingleContact contact{.normal = queue_[island_begin_[k]]};
  for (int t = first_tangent_[contact.normal]; t >= 0; t = next_tangent_[t]) {
    if (contact.tangents == 2) return std::nullopt;
    contact.tangent[contact.tangents++] = t;
  }
  contact.order_tangents(p);
  return contact;
}

/// The order by content where b alone decides it; false, and nothing done, where anything ties.
/// Ranks are counted, not compared and moved: no branch depends on the numbers.
bool IslandSplitter::order_by_velocity(const LcpProblem& p, int begin, int end) {
  constexpr int kFew = 16;
  const int m = end - begin;
  if (m > kFew) return false;
  const double* b = p.b.data();
  int *rows = queue_.data() + begin, *first = first_tangent_.data(), *next = next_tangent_.data();
  double key[kFew];
  int row[kFew];
  bool ties = false;
  for (int i = 0; i < m; ++i) {
    row[i] = rows[i];
    key[i] = b[row[i]];
    const int s = first[row[i]], t = s >= 0 ? next[s] : -1;
    if (t < 0) continue;
    if (next[t] >= 0) return false;
    ties |= b[s] == b[t];
  }
  int rank[kFew] = {};
  for (int i = 1; i < m; ++i) {
    for (int j = 0; j < i; ++j) {
      const bool before = key[j] < key[i];
      rank[i] += before;
      rank[j] += !before;
      ties |= key[j] == key[i];
    }
  }
  if (ties) return false;
  for (int i = 0; i < m; ++i) {
    rows[rank[i]] = row[i];
    const int s = first[row[i]], t = s >= 0 ? next[s] : -1;
    if (t < 0) continue;
    const bool swapped = b[t] < b[s];
    first[row[i]] = swapped ? t : s;
    next[swapped ? t : s] = swapped ? s : t;
    next[swapped ? s : t] = -1;
  }
  return true;
}

/// Sorts the unilateral rows queue_[begin, end) by content: b, A_ii, then their tangents, then (only when two rows
/// agree in all of that) a colour that tells apart how they are connected.
void IslandSplitter::order_by_content(const LcpProblem& p, int begin, int end) {
  has_colours_ = false;
  const auto tangent_less = [&](int s, int t) {
    if (p.b[s] != p.b[t]) return p.b[s] < p.b[t];
    if (p.A(s, s) != p.A(t, t)) return p.A(s, s) < p.A(t, t);
    if (p.rows[s].mu != p.rows[t].mu) return p.rows[s].mu < p.rows[t].mu;
    if (has_colours_ && colour_[s] != colour_[t]) return colour_[s] < colour_[t];
    return false;
  };
  // −1, 0, 1 as i comes before, ties with, comes after j.
  const auto compare = [&](int i, int j) {
    if (p.b[i] != p.b[j]) return p.b[i] < p.b[j] ? -1 : 1;
    if (p.A(i, i) != p.A(j, j)) return p.A(i, i) < p.A(j, j) ? -1 : 1;
    int s = first_tangent_[i], t = first_tangent_[j];
    for (; s >= 0 && t >= 0; s = next_tangent_[s], t = next_tangent_[t]) {
      if (tangent_less(s, t)) return -1;
      if (tangent_less(t, s)) return 1;
    }
    if ((s >= 0) != (t >= 0)) return t >= 0 ? -1 : 1;
    if (has_colours_ && colour_[i] != colour_[j]) return colour_[i] < colour_[j] ? -1 : 1;
    return 0;
  };
  const auto sort_tangents = [&](int i) {
    // Insertion into a linked list: a contact has two tangents, rarely more.
    int sorted = -1;
    for (int t = first_tangent_[i]; t >= 0;) {
      const int after = next_tangent_[t];
      int* link = &sorted;
      while (*link >= 0 && tangent_less(*link, t)) link = &next_tangent_[*link];
      next_tangent_[t] = *link;
      *link = t;
      t = after;
    }
    first_tangent_[i] = sorted;
  };
  const auto rows_begin = queue_.begin() + begin, rows_end = queue_.begin() + end;
  const auto sort_rows = [&] {
    for (auto i = rows_begin; i != rows_end; ++i) sort_tangents(*i);
    std::sort(rows_begin, rows_end, [&](int i, int j) {
      const int order = compare(i, j);
      return order != 0 ? order < 0 : i < j;
    });
  };
  // Rows that tie with their neighbour in the order: contacts with each other, tangents of one contact among themselves.
  const auto collect_ties = [&] {
    tying_.clear();
    bool before = false;  // whether a contact ties with the one before
    for (auto i = rows_begin; i != rows_end; ++i) {
      const bool after = i + 1 < rows_end && compare(*i, *(i + 1)) == 0;
      if (before || after) tying_.push_back(*i);
      before = after;
      bool last = false;
      for (int s = first_tangent_[*i]; s >= 0; s = next_tangent_[s]) {
        const int t = next_tangent_[s];
        const bool next = t >= 0 && !tangent_less(s, t) && !tangent_less(t, s);
        if (last || next) tying_.push_back(s);
        last = next;
      }
    }
    return !tying_.empty();
  };
  sort_rows();
  if (!collect_ties()) return;
  begin_colours(p, begin, end);
  has_colours_ = true;
  // Mostly those that tie differ in what they are connected with, if not, in what that is connected with.
  refine_colours(p, tying_);
  sort_rows();
  if (!collect_ties()) return;
  refine_colours(p, coloured_);
  refine_colours(p, tying_);
  sort_rows();
}

/// Colour refinement (Weisfeiler and Leman): a row's colour becomes a hash of its own and of the multiset of
/// (entry of A, colour) over the other rows. Sums of hashes do not depend on the order. Entries are taken relative
/// to the largest diagonal, so that the colours do not depend on units either. At first it tells what the row is.
void IslandSplitter::begin_colours(const LcpProblem& p, int begin, int end) {
  coloured_.clear();
  for (int k = begin; k < end; ++k) {
    coloured_.push_back(queue_[k]);
    for (int t = first_tangent_[queue_[k]]; t >= 0; t = next_tangent_[t]) coloured_.push_back(t);
  }
  colour_.resize(p.size());
  next_colour_.resize(p.size());
  double largest = 0, fastest = 0;
  for (const int i : coloured_) {
    largest = std::max(largest, p.A(i, i));
    fastest = std::max(fastest, std::abs(p.b[i]));
  }
  colour_unit_ = 1 / largest;
  const double b_unit = fastest > 0 ? 1 / fastest : 0;
  for (const int i : coloured_) {
    const bool tangent = p.rows[i].kind == RowKind::tangent;
    colour_[i] = mix(bits(p.b[i] * b_unit) ^
                     mix(bits(p.A(i, i) * colour_unit_) ^ mix(bits(tangent ? p.rows[i].mu : -1))));
  }
}

void IslandSplitter::refine_colours(const LcpProblem& p, const std::vector<int>& rows) {
  for (const int i : rows) {
    const double* column = p.A.data() + static_cast<std::ptrdiff_t>(i) * p.size();
    std::uint64_t sum = 0;
    for (const int j : coloured_) {
      if (column[j] != 0) sum += mix(bits(column[j] * colour_unit_) + colour_[j]);
    }
    const LcpRow& row = p.rows[i];
    if (row.kind == RowKind::tangent) sum += mix(colour_[row.normal] + 1);
    next_colour_[i] = mix(sum ^ mix(colour_[i]));
  }
  for (const int i : rows) colour_[i] = next_colour_[i];
}

void IslandSplitter::extract(const LcpProblem& p, int k, ContactIsland& island) {
  const int begin = island_begin_[k], end = island_begin_[k + 1];
  if (!order_by_velocity(p, begin, end)) order_by_content(p, begin, end);

  const int m = end - begin;
  const int rows = p.size();
  island.m = m;
  if (static_cast<int>(island.row.size()) < rows + 3) {
    island.row.resize(rows + 3);
    island.tangent_begin.resize(rows + 1);
  }
  int* row = island.row.data();
  int n = m;
  for (int i = 0; i < m; ++i) {
    row[i] = queue_[begin + i];
    island.tangent_begin[i] = n;
    for (int t = first_tangent_[row[i]]; t >= 0; t = next_tangent_[t]) row[n++] = t;
  }
  island.tangent_begin[m] = n;
  island.n = n;
  const int stride = (n + 3) / 4 * 4;
  island.stride = stride;
  if (static_cast<int>(island.diagonal.size()) < stride) {
    for (auto* v : {&island.diagonal, &island.b, &island.beta, &island.mu, &island.scale, &island.d})
      v->resize(stride);
    island.normal.resize(stride);
  }
  const std::size_t entries = static_cast<std::size_t>(n) * stride;
  if (island.A.size() < entries) island.A.resize(entries);
  if (static_cast<int>(island.copied.size()) < n) island.copied.resize(n);
  ++island.extraction;
  island.source = p.A.data();
  island.source_rows = rows;

  const double *A = p.A.data(), *b = p.b.data(), *beta = p.beta.size() > 0 ? p.beta.data() : b;
  double *scale = island.scale.data(), *diagonal = island.diagonal.data(), *mu = island.mu.data();
  double *scaled_b = island.b.data(), *scaled_beta = island.beta.data();
  int* normal = island.normal.data();
  for (int i = 0; i < n; ++i) {
    const int r = row[i];
    const double a = A[static_cast<std::ptrdiff_t>(r) * (rows + 1)], unit = power_of_two_scale(a);
    scale[i] = unit;
    diagonal[i] = a * (unit * unit);
    scaled_b[i] = unit * b[r];
    scaled_beta[i] = unit * std::abs(beta[r]);
  }
  for (int i = n; i < stride; ++i) {
    row[i] = 0;
    scale[i] = scaled_b[i] = scaled_beta[i] = 0;
  }
  for (int i = m; i < stride; ++i) island.d[i] = 0;
  for (int i = 0; i < m; ++i) {
    normal[i] = i;
    mu[i] = 0;
    island.d[i] = scale[i];
    for (int t = island.tangent_begin[i]; t < island.tangent_begin[i + 1]; ++t) {
      normal[t] = i;
      mu[t] = p.rows[row[t]].mu * scale[i] / scale[t];
    }
  }
}

JADE_WIDE_LOOPS void ContactIsland::copy_column(int j) const {
  const double factor = scale[j];
  const double* from = source + static_cast<std::ptrdiff_t>(row[j]) * source_rows;
  double* to = A.data() + static_cast<std::ptrdiff_t>(j) * stride;
  const int* rows = row.data();
  const double* scales = scale.data();
  for (int i = 0; i < stride; i += 4) {
    const Four entries{from[rows[i]], from[rows[i + 1]], from[rows[i + 2]], from[rows[i + 3]]};
    four_at(to + i) = entries * (four_at(scales + i) * factor);
  }
  copied[static_cast<std::size_t>(j)] = extraction;
}

}  // namespace jade::lcp
