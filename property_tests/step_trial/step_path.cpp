#include "step_trial/step_path.h"

#include <algorithm>
#include <cmath>

#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"

namespace jade::step_trial {
namespace {

constexpr int kMostBetween = 1000;  // times between the ends of two parts

}  // namespace

void body_poses(const Model& model, const VecX& q, DynamicsWorkspace& work, std::vector<Transform>& X_WB) {
  update_positions(model, q, work);
  X_WB.resize(model.bodies().size());
  for (std::size_t i = 0; i < X_WB.size(); ++i) {
    const Body& body = model.bodies()[i];
    if (body.link < 0) {
      X_WB[i] = body.X_LB;
      continue;
    }
    const int tree = model.links()[body.link].tree;
    X_WB[i] = Transform{work.R[body.link], work.origin[tree] + work.r[body.link]} * body.X_LB;
  }
}

StepPath::StepPath(const Model& model) : model_(model), work_(model) {}

void StepPath::follow(const State& start, std::vector<PathPiece> pieces, double h) {
  start_ = start.q;
  pieces_ = std::move(pieces);
  h_ = h;
  first_.clear();
  std::size_t next = 0;
  for (std::size_t tree = 0; tree <= model_.trees().size(); ++tree) {
    while (next < pieces_.size() && pieces_[next].tree < static_cast<int>(tree)) ++next;
    first_.push_back(next);
  }
}

const std::vector<double>& StepPath::times(double spacing) {
  ends_ = {h_};
  for (const PathPiece& piece : pieces_) ends_.push_back(std::min(piece.begin + piece.length, h_));
  std::sort(ends_.begin(), ends_.end());
  times_.clear();
  double before = 0;
  for (const double end : ends_) {
    if (!(end > before)) continue;
    // How far anything goes between the two ends, every tree being on one part of its path there.
    double farthest = 0;
    for (std::size_t tree = 0; tree < model_.trees().size(); ++tree) {
      if (first_[tree] == first_[tree + 1]) continue;
      const PathPiece& piece = piece_at(static_cast<int>(tree), before);
      const double fastest = piece.p1.norm() + piece.length * piece.p2.norm();
      if (before < piece.begin + piece.length) farthest = std::max(farthest, (end - before) * fastest);
    }
    const int parts =
        static_cast<int>(std::clamp(std::ceil(farthest / spacing), 1.0, static_cast<double>(kMostBetween)));
    for (int k = 1; k < parts; ++k) times_.push_back(before + (end - before) * k / parts);
    times_.push_back(end);
    before = end;
  }
  return times_;
}

const PathPiece& StepPath::piece_at(int tree, double t) const {
  std::size_t found = first_[tree];
  while (found + 1 < first_[tree + 1] && pieces_[found + 1].begin <= t) ++found;
  return pieces_[found];
}

const VecX& StepPath::coordinates(double t) {
  q_ = start_;
  d_.setZero(model_.nv());
  for (std::size_t tree = 0; tree < model_.trees().size(); ++tree) {
    if (first_[tree] == first_[tree + 1]) continue;
    const PathPiece& piece = piece_at(static_cast<int>(tree), t);
    const Link& base = model_.links()[model_.trees()[tree].first];
    const double sigma = std::clamp(t - piece.begin, 0.0, piece.length);
    q_.segment(base.q, piece.q.size()) = piece.q;
    d_.segment(base.v, piece.p1.size()) = sigma * piece.p1 + (0.5 * sigma * sigma) * piece.p2;
  }
  integrate(model_, VecX(q_), d_, q_);
  return q_;
}

void StepPath::poses(double t, std::vector<Transform>& X_WB) {
  body_poses(model_, coordinates(t), work_, X_WB);
}

}  // namespace jade::step_trial
