#include "jade/stepping/crowd.h"

#include <algorithm>
#include <cmath>

#include "jade/dynamics/forward_dynamics.h"

namespace jade {
namespace {

// Of its own mobility: keeps a block regular that a mechanism lets move along fewer than three directions.
constexpr double kRegular = 1e-9;
// For a slip whose direction turns with its force.
constexpr int kSlipPasses = 4;
// A force that is this near to the cone's surface is on it.
constexpr double kOnCone = 1e-9;

}  // namespace

void Crowd::clear() {
  sources_.clear();
  trees_.clear();
  blocks_.clear();
  velocities_.clear();
  matrices_.clear();
}

void Crowd::add_tree(const RowTree& source, const VecX& v) {
  Tree tree;
  tree.first = static_cast<int>(velocities_.size());
  tree.nv = source.model->nv();
  velocities_.insert(velocities_.end(), v.data(), v.data() + v.size());
  tree.inverse = static_cast<int>(matrices_.size());
  matrices_.resize(matrices_.size() + tree.nv * tree.nv);
  double* inverse = matrices_.data() + tree.inverse;
  inverse_articulated(*source.model, *source.work, inverse);
  tree.free = source.model->links().size() == 1 && source.model->links()[0].motion == LinkMotion::free &&
              inverse[0] == inverse[7] && inverse[0] == inverse[14];
  for (int i = 0; tree.free && i < 3; ++i)
    for (int j = 0; j < 6; ++j) tree.free = tree.free && (i == j || inverse[6 * i + j] == 0);
  if (tree.free) {
    tree.inverse_mass = inverse[0];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) tree.inverse_inertia(i, j) = inverse[6 * (i + 3) + j + 3];
    matrices_.resize(tree.inverse);
  }
  sources_.push_back(source);
  trees_.push_back(tree);
}

/// J of a side that is no free body, and M⁻¹Jᵀ; what another side on the same tree has put there stays.
void Crowd::add_rows(Block& block, Side& side, const RowTree& source, int link, const Vec3& point) {
  const Tree& tree = trees_[side.tree];
  const bool is_first = side.rows < 0;
  if (is_first) {
    side.rows = static_cast<int>(matrices_.size());
    matrices_.resize(matrices_.size() + 6 * tree.nv);
  }
  double *J = matrices_.data() + side.rows, *MJ = J + 3 * tree.nv;
  const auto& links = source.model->links();
  const Vec3 arm = point - source.work->origin[0];
  for (int l = link; l >= 0; l = links[l].parent)
    for (int k = links[l].v; k < links[l].v + links[l].nv; ++k) {
      const Vec6& S = source.work->S[k];
      const Vec3 moved = side.sign * (S.tail<3>() + cross3(S.head<3>(), arm));
      for (int r = 0; r < 3; ++r) J[r * tree.nv + k] += block.axes.col(r).dot(moved);
    }
  const double* inverse = matrices_.data() + tree.inverse;
  for (int r = 0; r < 3; ++r)
    for (int i = 0; i < tree.nv; ++i) {
      double sum = 0;
      for (int k = 0; k < tree.nv; ++k) sum += inverse[i * tree.nv + k] * J[r * tree.nv + k];
      MJ[r * tree.nv + i] = sum;
    }
}

/// What a side adds to W: axesᵀ (1/m − [arm] I⁻¹ [arm]) axes of a free body.
Mat3 Crowd::mobility(const Block& block, const Side& side) const {
  const Tree& tree = trees_[side.tree];
  Mat3 W;
  if (!tree.free) {
    const double *J = matrices_.data() + side.rows, *MJ = J + 3 * tree.nv;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        double sum = 0;
        for (int k = 0; k < tree.nv; ++k) sum += J[i * tree.nv + k] * MJ[j * tree.nv + k];
        W(i, j) = sum;
      }
    return W;
  }
  std::array<Vec3, 3> moment, turned;
  for (int i = 0; i < 3; ++i) {
    moment[i] = cross3(side.arm, block.axes.col(i));
    turned[i] = tree.inverse_inertia * moment[i];
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) W(i, j) = moment[i].dot(turned[j]);
  W.diagonal().array() += tree.inverse_mass;
  return W;
}

/// Everything of a block that its forces do not change; then its first guess moves the bodies.
void Crowd::finish(Block& block) {
  block.W.setZero();
  for (const Side& side : block.sides)
    if (side.tree >= 0) block.W += mobility(block, side);
  block.held = !(block.W(0, 0) > kRegular * block.W.trace());
  if (block.rows == 3 && !block.held) {
    Mat3 regular = block.W;
    regular.diagonal().array() += kRegular * block.W.trace();
    block.inverse = regular.inverse();
    block.step = 1 / (block.W(1, 1) + block.W(2, 2));
  }
  if (block.held) block.f.setZero();
  push(block, block.f);
}

void Crowd::add_contact(const Contact& contact) {
  Block& block = blocks_.emplace_back();
  block.friction = contact.friction;
  block.bias = contact.bias;
  for (int r = 0; r < 3; ++r) block.axes.col(r) = contact.directions[r];
  block.f = contact.impulse;
  const Anchor anchors[2] = {contact.a, contact.b};
  const bool within = contact.a.tree >= 0 && contact.a.tree == contact.b.tree;
  for (int i = 0; i < 2; ++i) {
    if (anchors[i].tree < 0) continue;
    // Two links of one tree share their rows.
    Side& side = block.sides[within ? 0 : i];
    side.tree = anchors[i].tree;
    side.sign = i == 0 ? -1 : 1;
    const RowTree& source = sources_[side.tree];
    if (trees_[side.tree].free)
      side.arm = contact.point - source.work->origin[0];
    else
      add_rows(block, side, source, anchors[i].link, contact.point);
  }
  finish(block);
}

void Crowd::add_limit(int tree, int velocity, double sign, double bias, double impulse) {
  Block& block = blocks_.emplace_back();
  block.rows = 1;
  block.bias = bias;
  block.f = Vec3(impulse, 0, 0);
  Side& side = block.sides[0];
  side.tree = tree;
  const int nv = trees_[tree].nv;
  side.rows = static_cast<int>(matrices_.size());
  matrices_.resize(matrices_.size() + 6 * nv);
  double* J = matrices_.data() + side.rows;
  J[velocity] = sign;
  for (int i = 0; i < nv; ++i) J[3 * nv + i] = sign * matrices_[trees_[tree].inverse + i * nv + velocity];
  finish(block);
}

Vec3 Crowd::velocity(std::size_t index) const {
  const Block& block = blocks_[index];
  Vec3 world = Vec3::Zero(), w(block.bias, 0, 0);
  for (const Side& side : block.sides) {
    if (side.tree < 0) continue;
    const Tree& tree = trees_[side.tree];
    const double* v = velocities_.data() + tree.first;
    if (tree.free) {
      world += side.sign * (Vec3(v[0], v[1], v[2]) + cross3(Vec3(v[3], v[4], v[5]), side.arm));
      continue;
    }
    const double* J = matrices_.data() + side.rows;
    for (int r = 0; r < block.rows; ++r)
      for (int k = 0; k < tree.nv; ++k) w[r] += J[r * tree.nv + k] * v[k];
  }
  return w + block.axes.transpose() * world;
}

void Crowd::push(const Block& block, const Vec3& df) {
  const Vec3 world = block.axes * df;
  for (const Side& side : block.sides) {
    if (side.tree < 0) continue;
    const Tree& tree = trees_[side.tree];
    double* v = velocities_.data() + tree.first;
    if (tree.free) {
      const Vec3 shift = (side.sign * tree.inverse_mass) * world;
      const Vec3 turn = tree.inverse_inertia * (side.sign * cross3(side.arm, world));
      for (int k = 0; k < 3; ++k) v[k] += shift[k], v[k + 3] += turn[k];
      continue;
    }
    const double* MJ = matrices_.data() + side.rows + 3 * tree.nv;
    for (int r = 0; r < block.rows; ++r)
      for (int k = 0; k < tree.nv; ++k) v[k] += MJ[r * tree.nv + k] * df[r];
  }
}

/// The forces of one contact whose velocity without them is b. It leaves, sticks, or slips; in the last case normal and
/// friction are found in turn, friction by projection on the disc that the normal allows.
Vec3 Crowd::local_forces(const Block& block, const Vec3& b) {
  if (b[0] >= 0 || block.held) return Vec3::Zero();
  if (block.rows == 1 || block.friction == 0) return {-b[0] / block.W(0, 0), 0, 0};
  Vec3 f = -(block.inverse * b);
  const auto across = [](const Vec3& x) { return std::sqrt(x[1] * x[1] + x[2] * x[2]); };
  if (f[0] >= 0 && across(f) <= block.friction * f[0]) return f;
  const Mat3& W = block.W;
  f = block.f;
  for (int pass = 0; pass < kSlipPasses; ++pass) {
    f[0] = std::max(0.0, -(b[0] + W(0, 1) * f[1] + W(0, 2) * f[2]) / W(0, 0));
    const double s1 = b[1] + W(1, 0) * f[0] + W(1, 1) * f[1] + W(1, 2) * f[2];
    const double s2 = b[2] + W(2, 0) * f[0] + W(2, 1) * f[1] + W(2, 2) * f[2];
    f[1] -= block.step * s1;
    f[2] -= block.step * s2;
    const double size = across(f), most = block.friction * f[0];
    if (size > most) f[1] *= most / size, f[2] *= most / size;
  }
  return f;
}

void Crowd::visit(Block& block) {
  const Vec3 w = velocity(static_cast<std::size_t>(&block - blocks_.data()));
  const Vec3 f = local_forces(block, w - block.W * block.f);
  const Vec3 df = f - block.f;
  if (df.isZero(0)) return;
  push(block, df);
  block.f = f;
}

bool Crowd::sticks(std::size_t index) const {
  const Block& block = blocks_[index];
  const double size = std::sqrt(block.f[1] * block.f[1] + block.f[2] * block.f[2]);
  return block.rows == 3 && size < (1 - kOnCone) * block.friction * block.f[0];
}

double Crowd::residual() const {
  double worst = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const Vec3 w = velocity(i);
    const double missed = block.f[0] > 0 ? std::abs(w[0]) : std::max(0.0, -w[0]);
    worst = std::max(worst, missed);
    if (block.rows == 1 || block.friction == 0 || block.f[0] == 0) continue;
    const double slip = std::sqrt(w[1] * w[1] + w[2] * w[2]);
    if (sticks(i)) {
      worst = std::max(worst, slip);
      continue;
    }
    // What is not opposite to friction.
    const double size = std::sqrt(block.f[1] * block.f[1] + block.f[2] * block.f[2]);
    const double x = block.f[1] / size, y = block.f[2] / size;
    const double against = std::max(0.0, -(w[1] * x + w[2] * y));
    const double r1 = w[1] + against * x, r2 = w[2] + against * y;
    worst = std::max(worst, std::sqrt(r1 * r1 + r2 * r2));
  }
  return worst;
}

/// Sweeps to and fro. What one of them changes is a direction of descent, and those of earlier ones are carried on with the
/// ratio of their squares, as conjugate gradients do (Silcowitz, Niebe and Erleben, "A nonsmooth nonlinear conjugate gradient
/// method for interactive contact force problems", 2010); forgotten where the changes grow. Velocities are linear in the
/// forces, so that theirs are carried on along with them.
Crowd::Outcome Crowd::solve(const Settings& settings) {
  Outcome outcome{.residual = residual()};
  Eigen::Map<VecX> v(velocities_.data(), static_cast<long>(velocities_.size()));
  v_direction_.setZero(v.size());
  double before = 0;
  while (outcome.residual > settings.tolerance && outcome.iterations < settings.most_iterations) {
    v_start_ = v;
    for (Block& block : blocks_) block.f_start = block.f;
    for (std::size_t i = 0; i < blocks_.size(); ++i) visit(blocks_[i]);
    for (std::size_t i = blocks_.size(); i-- > 0;) visit(blocks_[i]);
    outcome.iterations += 2;
    outcome.residual = residual();
    // What the sweep leaves is the answer: no force is beyond its cone.
    if (outcome.residual <= settings.tolerance || outcome.iterations >= settings.most_iterations) break;

    double now = 0;
    for (const Block& block : blocks_) now += (block.f - block.f_start).squaredNorm();
    const double share = now < before ? now / before : 0;
    before = now;
    for (Block& block : blocks_) {
      const Vec3 further = share * block.direction;
      block.direction = further + (block.f - block.f_start);
      block.f += further;
    }
    v_direction_ *= share;
    v_start_ = v - v_start_;
    v += v_direction_;
    v_direction_ += v_start_;
  }
  return outcome;
}

void Crowd::get(int tree, VecX& v) const {
  const Tree& from = trees_[tree];
  v = Eigen::Map<const VecX>(velocities_.data() + from.first, from.nv);
}

}  // namespace jade
