#include "jade/contact/constraint_rows.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "jade/dynamics/forward_dynamics.h"
#include "jade/math/wide_loops.h"

namespace jade {
namespace {

/// Four columns of four numbers.
struct Square {
  Four column[4];
};

/// J_l (M⁻¹ J_rᵀ) for four rows each: `kNv` velocities, or `nv` if that is 0.
template <int kNv>
JADE_INSIDE_LOOPS void product_of_fours(int nv, const double* J, const double* MJ, Square& out) {
  if constexpr (kNv > 0) nv = kNv;
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) out.column[j] = MJ[j] * four_at(J);
#pragma GCC unroll 7
  for (int k = 1; k < nv; ++k) {
    const Four x = four_at(J + 4 * k);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) out.column[j] += MJ[4 * k + j] * x;
  }
}

JADE_INSIDE_LOOPS void transpose(const Square& s, Square& out) {
  const Four a = __builtin_shufflevector(s.column[0], s.column[1], 0, 4, 2, 6),
             b = __builtin_shufflevector(s.column[0], s.column[1], 1, 5, 3, 7),
             c = __builtin_shufflevector(s.column[2], s.column[3], 0, 4, 2, 6),
             d = __builtin_shufflevector(s.column[2], s.column[3], 1, 5, 3, 7);
  out.column[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  out.column[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  out.column[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  out.column[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/// A tree of one body that nothing holds: its velocities are those of its reference and of its turn.
bool is_single_body(const RowTree& tree) {
  return tree.model->links().size() == 1 && tree.model->links()[0].motion == LinkMotion::free;
}

/// Rows of such a body along directions at p, from number `first` on.
void add_single_body(const RowTree& tree, double sign, const Vec3& p, std::span<const Vec3> directions,
                     int first, double* J) {
  const Vec3 arm = p - tree.work->origin[0];
  double* row = J + first / 4 * 24 + first % 4;
  for (const Vec3& direction : directions) {
    const Vec3 d = sign * direction, n = cross3(arm, d);
    row[0] = d[0], row[4] = d[1], row[8] = d[2];
    row[12] = n[0], row[16] = n[1], row[20] = n[2];
    row += ++first % 4 == 0 ? 21 : 1;
  }
}

/// Of three numbers.
double length(const double* x) { return std::sqrt((x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]); }

/// Of four vectors that lie side by side.
JADE_INSIDE_LOOPS void lengths_of_fours(const double* J, Four& out) {
  const Four x = four_at(J), y = four_at(J + 4), z = four_at(J + 8), squares = (x * x + y * y) + z * z;
  for (int i = 0; i < 4; ++i) out[i] = std::sqrt(squares[i]);
}

/// Puts the mirror of its upper half into the lower.
JADE_INSIDE_LOOPS void mirror_upper_half(Square& s) {
  Square t;
  transpose(s, t);
  s.column[0] = __builtin_shufflevector(s.column[0], t.column[0], 0, 5, 6, 7);
  s.column[1] = __builtin_shufflevector(s.column[1], t.column[1], 0, 1, 6, 7);
  s.column[2] = __builtin_shufflevector(s.column[2], t.column[2], 0, 1, 2, 7);
}

}  // namespace

void ConstraintRows::clear() { rows_ = trees_ = 0; }

void ConstraintRows::reserve(std::size_t trees) {
  constexpr std::size_t kRows = 24;
  of_tree_.reserve(trees);
  while (of_tree_.size() < trees) {
    TreeRows& rows = of_tree_.emplace_back();
    rows.row.resize(kRows);
    rows.J.reserve(6 * kRows);
    rows.MJ.reserve(6 * kRows);
  }
  velocities_.reserve(trees);
}

void ConstraintRows::begin(const std::vector<RowTree>& trees) {
  trees_ = static_cast<int>(trees.size());
  reserve(trees.size());
  for (int t = 0; t < trees_; ++t) {
    of_tree_[t].nv = of_tree_[t].width = trees[t].model->nv();
    of_tree_[t].single = is_single_body(trees[t]);
    of_tree_[t].link = -1;
    of_tree_[t].count = 0;
  }
}

/// Makes room for the next rows of the problem; returns the number of the first among those of the tree.
inline int ConstraintRows::add_rows(TreeRows& rows, int count) const {
  const int first = rows.count, before = rows.fours(), four = kLanes * rows.width;
  rows.count += count;
  if (rows.row.size() < static_cast<std::size_t>(rows.count)) rows.row.resize(2 * rows.count);
  for (int r = 0; r < count; ++r) rows.row[first + r] = rows_ + r;
  if (rows.fours() == before) return first;
  const std::size_t after = static_cast<std::size_t>(rows.fours()) * four;
  if (rows.J.size() < after) rows.J.resize(after);
  std::fill(rows.J.data() + static_cast<std::size_t>(before) * four, rows.J.data() + after, 0.0);
  return first;
}

/// The first rows of a tree are taken to be all on their link, if that makes them shorter.
void ConstraintRows::hold_on_link(const RowTree& tree, int link, TreeRows& rows) {
  const Model& model = *tree.model;
  if (rows.nv <= 6) return;
  rows.link = link;
  rows.width = 6;
  rows.S.assign(rows.nv, Vec6::Zero());
  for (int l = link; l >= 0; l = model.links()[l].parent) {
    const Link& at = model.links()[l];
    for (int k = at.v; k < at.v + at.nv; ++k) rows.S[k] = tree.work->S[k];
  }
}

/// J = D S where they are not.
void ConstraintRows::spread_over_velocities(TreeRows& rows) {
  if (rows.link < 0) return;
  const int nv = rows.nv;
  rows.MJ.assign(static_cast<std::size_t>(rows.fours()) * kLanes * nv, 0.0);
  for (int f = 0; f < rows.fours(); ++f) {
    const double* D = rows.J.data() + static_cast<std::size_t>(f) * kLanes * 6;
    double* J = rows.MJ.data() + static_cast<std::size_t>(f) * kLanes * nv;
    for (int k = 0; k < nv; ++k)
      for (int c = 0; c < 6; ++c)
        for (int i = 0; i < kLanes; ++i) J[kLanes * k + i] += D[kLanes * c + i] * rows.S[k][c];
  }
  std::swap(rows.J, rows.MJ);
  rows.link = -1;
  rows.width = nv;
}

/// A force along d at the arm has the moment n = arm × d about the origin; its power with a motion (ω; v) is d·v + n·ω.
JADE_WIDE_LOOPS void ConstraintRows::add_side(const RowTree& tree, int link, double sign, const Vec3& p,
                                              const Vec3* directions, int count, TreeRows& rows, int first) {
  const Model& model = *tree.model;
  const DynamicsWorkspace& work = *tree.work;
  const double ax = p.x() - work.origin[0].x(), ay = p.y() - work.origin[0].y(),
               az = p.z() - work.origin[0].z();
  const auto place = [&](int r) {
    const int i = first + r;
    return rows.J.data() + i / kLanes * kLanes * rows.width + i % kLanes;
  };
  if (rows.link >= 0) {
#pragma GCC unroll 1
    for (int r = 0; r < count; ++r) {
      const double *d = directions[r].data(), x = sign * d[0], y = sign * d[1], z = sign * d[2];
      double* D = place(r);
      D[0] = ay * z - az * y, D[4] = az * x - ax * z, D[8] = ax * y - ay * x;
      D[12] = x, D[16] = y, D[20] = z;
    }
    return;
  }
  // One coordinate of all directions each; what is not asked for goes nowhere.
  double along[12] = {};
  std::vector<double>& nowhere = rows.MJ;
  if (nowhere.size() < static_cast<std::size_t>(kLanes * rows.nv)) nowhere.resize(kLanes * rows.nv);
  double* J[3] = {nowhere.data(), nowhere.data(), nowhere.data()};
#pragma GCC unroll 1
  for (int r = 0; r < count; ++r) {
    J[r] = place(r);
    for (int c = 0; c < 3; ++c) along[4 * c + r] = sign * directions[r][c];
  }
  const Four dx = four_at(along), dy = four_at(along + 4), dz = four_at(along + 8);
  const Four nx = ay * dz - az * dy, ny = az * dx - ax * dz, nz = ax * dy - ay * dx;
  double *first_row = J[0], *second_row = J[1], *third_row = J[2];
  for (int l = link; l >= 0; l = model.links()[l].parent) {
    const Link& at = model.links()[l];
    for (int k = at.v; k < at.v + at.nv; ++k) {
      const double* S = work.S[k].data();
      const Four power = ((S[0] * nx + S[1] * ny) + (S[2] * nz + S[3] * dx)) + (S[4] * dy + S[5] * dz);
      first_row[4 * k] += power[0];
      second_row[4 * k] += power[1];
      third_row[4 * k] += power[2];
    }
  }
}

/// One side of a contact whose other side is on another tree, or on none.
inline void ConstraintRows::add_end(const std::vector<RowTree>& trees, const Anchor& on, double sign,
                                    const Vec3& p, const Vec3* directions, int count) {
  TreeRows& rows = rows_of(trees, on.tree);
  const RowTree& tree = trees[on.tree];
  if (rows.single) {
    const int first = add_rows(rows, count);
    add_single_body(tree, sign, p, {directions, static_cast<std::size_t>(count)}, first, rows.J.data());
    return;
  }
  if (rows.count == 0) hold_on_link(tree, on.link, rows);
  if (rows.link != on.link) spread_over_velocities(rows);
  add_side(tree, on.link, sign, p, directions, count, rows, add_rows(rows, count));
}

int ConstraintRows::add_contact(const std::vector<RowTree>& trees, Anchor a, Anchor b, const Vec3& p,
                                const Vec3* directions, int count) {
  if (a.tree >= 0 && a.tree == b.tree) {
    // Two links of one tree share their rows: their motions partly cancel.
    TreeRows& rows = rows_of(trees, a.tree);
    spread_over_velocities(rows);
    const int first = add_rows(rows, count);
    add_side(trees[a.tree], a.link, -1, p, directions, count, rows, first);
    add_side(trees[b.tree], b.link, 1, p, directions, count, rows, first);
  } else {
    if (a.tree >= 0) add_end(trees, a, -1, p, directions, count);
    if (b.tree >= 0) add_end(trees, b, 1, p, directions, count);
  }
  rows_ += count;
  return rows_ - count;
}

int ConstraintRows::add_coordinate(const std::vector<RowTree>& trees, int tree, int velocity, double sign) {
  TreeRows& rows = rows_of(trees, tree);
  spread_over_velocities(rows);
  const int i = add_rows(rows, 1);
  rows.J[static_cast<std::size_t>(i / kLanes) * kLanes * rows.nv + kLanes * velocity + i % kLanes] = sign;
  return rows_++;
}

void ConstraintRows::solve_columns(const std::vector<RowTree>& trees) {
  for (int t = 0; t < trees_; ++t)
    if (of_tree_[t].count > 0) solve_tree(trees[t], of_tree_[t]);
}

/// A tree with more rows than velocities is asked for its whole M⁻¹ once; J M⁻¹ is then cheaper than a sweep a row.
void ConstraintRows::solve_tree(const RowTree& tree, TreeRows& rows) {
  const int nv = rows.nv;
  const bool many = rows.count > nv || nv == 6;
  // Six forces on a link cost as much as two rows.
  if (rows.count < 3) spread_over_velocities(rows);
  const int four = kLanes * rows.width;
  const std::size_t size = static_cast<std::size_t>(rows.fours()) * four;
  if (rows.MJ.size() < size) rows.MJ.resize(size);
  if (rows.link >= 0) return solve_link(tree, rows);
  if (many) {
    inverse_.resize(nv * nv);
    inverse_articulated(*tree.model, *tree.work, inverse_.data());
    return apply_inverse(inverse_.data(), rows);
  }
  std::fill(rows.MJ.data(), rows.MJ.data() + size, 0.0);
  one_row_.resize(nv);
  for (int i = 0; i < rows.count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i / kLanes) * four + i % kLanes;
    for (int k = 0; k < nv; ++k) one_row_[k] = rows.J[at + kLanes * k];
    solve_articulated_rows(*tree.model, *tree.work, one_row_.data(), 1, one_row_.data());
    for (int k = 0; k < nv; ++k) rows.MJ[at + kLanes * k] = one_row_[k];
  }
}

/// S M⁻¹ Sᵀ of the link, and its products with all forces on it.
void ConstraintRows::solve_link(const RowTree& tree, TreeRows& rows) {
  Mat6 on_link;
  rows.response.resize(rows.nv);
  link_response(*tree.model, rows.link, *tree.work, rows.response.data(), on_link);
  apply_inverse(on_link.data(), rows);
}

template <int kNv>
JADE_INSIDE_LOOPS void ConstraintRows::apply_inverse(const double* inverse, TreeRows& rows) {
  const int nv = kNv > 0 ? kNv : rows.width;
  const double* J = rows.J.data();
  double* MJ = rows.MJ.data();
  for (int f = 0; f < rows.fours(); ++f, J += 4 * nv, MJ += 4 * nv)
#pragma GCC unroll 1
    for (int k = 0; k < nv; ++k) {
      Four sum = inverse[k * nv] * four_at(J);
#pragma GCC unroll 7
      for (int j = 1; j < nv; ++j) sum += inverse[k * nv + j] * four_at(J + 4 * j);
      four_at(MJ + 4 * k) = sum;
    }
}

JADE_WIDE_LOOPS void ConstraintRows::apply_inverse(const double* inverse, TreeRows& rows) {
  // The body alone in the air whose reference is its centre of mass: translation and rotation do not mix.
  bool apart = rows.width == 6;
  for (int k = 0; apart && k < 3; ++k)
    apart = inverse[6 * k + 3] == 0 && inverse[6 * k + 4] == 0 && inverse[6 * k + 5] == 0 &&
            inverse[6 * k + (k + 1) % 3] == 0 && inverse[6 * k + (k + 2) % 3] == 0;
  if (!apart && rows.width == 6) return apply_inverse<6>(inverse, rows);
  if (!apart) return rows.width == 7 ? apply_inverse<7>(inverse, rows) : apply_inverse<0>(inverse, rows);
  const double* J = rows.J.data();
  double* MJ = rows.MJ.data();
  for (int f = 0; f < rows.fours(); ++f, J += 24, MJ += 24) {
    const Four x = four_at(J + 12), y = four_at(J + 16), z = four_at(J + 20);
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      const double* turning = inverse + 6 * (k + 3) + 3;
      four_at(MJ + 4 * k) = inverse[7 * k] * four_at(J + 4 * k);
      four_at(MJ + 4 * (k + 3)) = (turning[0] * x + turning[1] * y) + turning[2] * z;
    }
  }
}

void ConstraintRows::form_A(MatX& A) const {
  // One tree fills all of A.
  int with_rows = 0;
  for (int t = 0; t < trees_; ++t) with_rows += of_tree_[t].count > 0;
  A.resize(rows_, rows_);
  if (with_rows > 1) A.setZero();
  for (int t = 0; t < trees_; ++t)
    if (of_tree_[t].count > 0) add_tree(of_tree_[t], with_rows == 1, A.data());
}

/// Adds J M⁻¹ Jᵀ of one tree to A, or sets it where there is no other. Exactly symmetric: the upper half is computed, the
/// lower is its mirror.
template <int kNv>
JADE_INSIDE_LOOPS void ConstraintRows::add_products(const TreeRows& rows, bool alone, double* A) const {
  const std::ptrdiff_t n = rows_;
  const int count = rows.count, fours = rows.fours(), step = 4 * rows.width;
  for (int right = 0; right < fours; ++right)
    for (int left = 0; left <= right; ++left) {
      Square sum;
      product_of_fours<kNv>(rows.width, &rows.J[left * step], &rows.MJ[right * step], sum);
      const int *from = &rows.row[4 * left], *to = &rows.row[4 * right];
      if (rows.are_neighbours(left) && rows.are_neighbours(right)) {
        double *upper = A + to[0] * n + from[0], *lower = A + from[0] * n + to[0];
        if (left == right) mirror_upper_half(sum);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          if (!alone) sum.column[j] += four_at(upper + j * n);
          four_at(upper + j * n) = sum.column[j];
        }
        if (left == right) continue;
        Square mirror;
        transpose(sum, mirror);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) four_at(lower + i * n) = mirror.column[i];
        continue;
      }
      double values[16];
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) four_at(values + 4 * j) = sum.column[j];
      const int columns = std::min(4, count - 4 * right);
#pragma GCC unroll 1
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < (left == right ? j + 1 : 4); ++i) {
          double& value = A[to[j] * n + from[i]];
          value = alone ? values[4 * j + i] : value + values[4 * j + i];
          A[from[i] * n + to[j]] = value;
        }
    }
}

JADE_WIDE_LOOPS void ConstraintRows::add_tree(const TreeRows& rows, bool alone, double* A) const {
  if (rows.width == 6)
    add_products<6>(rows, alone, A);
  else if (rows.width == 7)
    add_products<7>(rows, alone, A);
  else
    add_products<0>(rows, alone, A);
}

void ConstraintRows::begin_product() const {
  velocities_.resize(trees_);
  std::size_t most = 0;
  for (int t = 0; t < trees_; ++t) most += static_cast<std::size_t>(2 * of_tree_[t].nv + 12);
  if (room_.size() < most) room_.resize(most);
  room_used_ = 0;
}

double* ConstraintRows::room(int count) const {
  room_used_ += static_cast<std::size_t>(count);
  return room_.data() + room_used_ - count;
}

/// The velocity of a tree as its rows want it, v or v + u: of the link, if they are all on one.
void ConstraintRows::set_factor(int tree, const double* v, const double* u) const {
  const TreeRows& rows = of_tree_[tree];
  const int nv = rows.nv;
  const double* sum = v;
  double* size = room(nv);
  for (int k = 0; k < nv; ++k) size[k] = std::abs(v[k]);
  if (u) {
    double* both = room(nv);
    for (int k = 0; k < nv; ++k) {
      both[k] = v[k] + u[k];
      size[k] += std::abs(u[k]);
    }
    sum = both;
  }
  velocities_[tree] = {sum, size};
  if (rows.single) {
    size[0] = length(v) + (u ? length(u) : 0);
    size[1] = length(v + 3) + (u ? length(u + 3) : 0);
  }
  if (rows.link < 0) return;
  double *V = room(12), *terms = V + 6;
  Vec6 motion = Vec6::Zero(), measure = Vec6::Zero();
  for (int k = 0; k < nv; ++k) {
    motion += rows.S[k] * sum[k];
    measure += (rows.S[k] * size[k]).cwiseAbs();
  }
  Eigen::Map<Vec6> of_link(V), of_terms(terms);
  of_link = motion;
  of_terms = measure;
  velocities_[tree] = {V, terms};
}

/// out += J v and, if asked for, size += |J||v|.
JADE_WIDE_LOOPS void ConstraintRows::multiply(double* out, double* size) const {
  for (int t = 0; t < trees_; ++t) {
    const TreeRows& rows = of_tree_[t];
    const double *v = velocities_[t].v, *measure = velocities_[t].size, *J = rows.J.data();
    const int nv = rows.width, count = rows.count;
    for (int f = 0; 4 * f < count; ++f, J += 4 * nv) {
      Four sum{}, terms{};
#pragma GCC unroll 6
      for (int k = 0; k < nv; ++k) sum += v[k] * four_at(J + 4 * k);
      if (size && rows.single) {
        Four along, around;
        lengths_of_fours(J, along);
        lengths_of_fours(J + 12, around);
        terms = measure[0] * along + measure[1] * around;
      } else if (size) {
#pragma GCC unroll 6
        for (int k = 0; k < nv; ++k) add_size(measure[k] * four_at(J + 4 * k), terms);
      }
      const int* row = &rows.row[4 * f];
      if (rows.are_neighbours(f)) {
        four_at(out + row[0]) += sum;
        if (size) four_at(size + row[0]) += terms;
        continue;
      }
      double sums[8];
      four_at(sums) = sum;
      four_at(sums + 4) = terms;
#pragma GCC unroll 1
      for (int i = 0; i < std::min(4, count - 4 * f); ++i) {
        out[row[i]] += sums[i];
        if (size) size[row[i]] += sums[4 + i];
      }
    }
  }
}

JADE_WIDE_LOOPS void ConstraintRows::add_impulses(const TreeRows& rows, const double* f, double* v) {
  // Through the link: the sum of all forces on it first.
  double force[6] = {};
  const bool on_link = rows.link >= 0;
  const int nv = rows.width, count = rows.count;
  const double* MJ = on_link ? rows.J.data() : rows.MJ.data();
  double* out = on_link ? force : v;
  for (int four = 0; 4 * four < count; ++four, MJ += 4 * nv) {
    const int* row = &rows.row[4 * four];
    Four impulse{};
    if (rows.are_neighbours(four)) {
      impulse = four_at(f + row[0]);
    } else {
#pragma GCC unroll 1
      for (int i = 0; i < std::min(4, count - 4 * four); ++i) impulse[i] = f[row[i]];
    }
    for (int k = 0; k < nv; ++k) {
      const Four change = impulse * four_at(MJ + 4 * k);
      out[k] += (change[0] + change[2]) + (change[1] + change[3]);
    }
  }
  for (int k = 0; on_link && k < rows.nv; ++k) v[k] += rows.response[k].dot(Eigen::Map<const Vec6>(force));
}

}  // namespace jade
