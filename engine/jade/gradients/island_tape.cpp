#include "jade/gradients/island_tape.h"

#include <cmath>

#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"

namespace jade {

GradientTree::GradientTree(const Model& whole, int tree)
    : model(whole.tree_alone(tree)),
      q(whole.links()[static_cast<std::size_t>(whole.trees()[static_cast<std::size_t>(tree)].first)].q),
      v(whole.links()[static_cast<std::size_t>(whole.trees()[static_cast<std::size_t>(tree)].first)].v),
      first_link(whole.trees()[static_cast<std::size_t>(tree)].first),
      start(model),
      middle(model),
      end(model),
      derivative(model) {}

IslandTape::IslandTape(std::vector<GradientTree>& trees, const CollisionModel& collision,
                       const StepTrace& step, const IslandTrace& island, const Model& model,
                       const std::vector<ParameterId>& asked)
    : all_trees_(trees), collision_(collision), step_(step), island_(island) {
  part_of_tree_.assign(trees.size(), -1);
  int nq = 0;
  for (const int t : island.trees) {
    GradientTree& tree = trees[static_cast<std::size_t>(t)];
    part_of_tree_[static_cast<std::size_t>(t)] = static_cast<int>(parts_.size());
    parts_.push_back({&tree, nq, nv});
    nq += tree.model.nq();
    nv += tree.model.nv();
    row_trees_start_.push_back({&tree.model, &tree.start});
    row_trees_middle_.push_back({&tree.model, &tree.middle});
    row_trees_end_.push_back({&tree.model, &tree.end});
  }
  q_in = tape.slot(nv);
  v_in = tape.slot(nv);
  effort_in = tape.slot(nv);
  parameters_in = tape.slot(static_cast<int>(asked.size()));
  step_size_in = tape.slot(1);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Use use{.id = asked[i], .row = parameters_in + static_cast<int>(i)};
    const auto part_of_link = [&](int link) {
      return part_of_tree_[static_cast<std::size_t>(model.links()[static_cast<std::size_t>(link)].tree)];
    };
    if (use.id.kind == ParameterKind::inertia) {
      const Body& body = model.bodies()[static_cast<std::size_t>(use.id.index)];
      if (body.link < 0) continue;
      use.part = part_of_link(body.link);
      if (use.part < 0) continue;
      use.link = body.link - parts_[static_cast<std::size_t>(use.part)].tree->first_link;
      use.X_LB = body.X_LB;
    } else if (use.id.kind == ParameterKind::damping || use.id.kind == ParameterKind::stiffness) {
      use.part = part_of_link(model.velocity_link()[static_cast<std::size_t>(use.id.index)]);
      if (use.part < 0) continue;
      use.id.index -= parts_[static_cast<std::size_t>(use.part)].tree->v;
    }
    uses_.push_back(use);
  }
}

void IslandTape::build() {
  for (const Use& use : uses_)
    if (use.id.kind == ParameterKind::step_size) tape.add_scaled(step_size_in, use.row, 1, 1);
  q_ = q_in;
  v_ = v_in;
  left_ = tape.slot(1);
  tape.add_scaled(left_, step_size_in, 1, 1);
  if (island_.hurried) refuse("bodies meet more often in the step than its patience allows");
  if (island_.lost_time > 0) refuse("the step ran out of sub-steps: a part of its time is lost");
  for (const SubstepTrace& trace : island_.substeps) {
    if (!no_derivative.empty()) break;
    substep(trace);
  }
  q_out = q_;
  v_out = v_;
}

void IslandTape::substep(const SubstepTrace& trace) {
  substep_ = &trace;
  solves_.assign(trace.solves.size(), {});
  start_contacts_.resize(std::max(start_contacts_.size(), trace.contacts.size()));
  placed_.assign(trace.contacts.size(), 0);
  for (const Part& part : parts_)
    update_positions(part.tree->model, trace.q.segment(part.q, part.tree->model.nq()), part.tree->start);
  if (trace.collides && &trace == &island_.substeps.front()) hit_at_start(trace.collision);
  if (trace.collides) collide(trace.collision);
  if (no_derivative.empty()) move();
}

Anchor IslandTape::anchor(int shape) const {
  const Anchor& at = collision_.shapes()[static_cast<std::size_t>(shape)].anchor;
  return at.tree < 0 ? at : Anchor{part_of_tree_[static_cast<std::size_t>(at.tree)], at.link};
}

ShapePoses IslandTape::poses(int shape_a, int shape_b, const std::vector<RowTree>& trees) const {
  const auto pose = [&](int shape) -> Transform {
    const CollisionShape& s = collision_.shapes()[static_cast<std::size_t>(shape)];
    const Anchor on = anchor(shape);
    if (on.tree < 0) return s.X_LS;
    const DynamicsWorkspace& work = *trees[static_cast<std::size_t>(on.tree)].work;
    const std::size_t link = static_cast<std::size_t>(on.link);
    return Transform{work.R[link], work.origin[0] + work.r[link]} * s.X_LS;
  };
  return {pose(shape_a), pose(shape_b)};
}

const PlacedContact& IslandTape::start_contact(int contact) {
  const std::size_t c = static_cast<std::size_t>(contact);
  const ContactTrace& trace = substep_->contacts[c];
  if (!placed_[c])
    place_contact(trace, collision_, row_trees_start_, anchor(trace.shape_a), anchor(trace.shape_b),
                  poses(trace.shape_a, trace.shape_b, row_trees_start_), nullptr, start_contacts_[c]);
  placed_[c] = 1;
  return start_contacts_[c];
}

Eigen::RowVectorXd IslandTape::gap_row(const ContactMotion& motion, const Vec3& n) const {
  return n.transpose() * motion.J();
}

void IslandTape::add_columns(int out, int in, const ContactMotion& motion, const MatX& M, double scale) {
  for (int i = 0; i < motion.parts(); ++i) {
    const ContactMotion::Part& part = motion.part(i);
    tape.add(out, in + parts_[static_cast<std::size_t>(part.tree)].v, M.middleCols(part.first, part.count),
             scale);
  }
}

void IslandTape::add_rows(int out, const ContactMotion& motion, const VecX& column, int in, double scale) {
  for (int i = 0; i < motion.parts(); ++i) {
    const ContactMotion::Part& part = motion.part(i);
    tape.add(out + parts_[static_cast<std::size_t>(part.tree)].v, in, column.segment(part.first, part.count),
             scale);
  }
}

void IslandTape::add_both(int out, int in, const ContactMotion& motion, const MatX& M, double scale) {
  for (int i = 0; i < motion.parts(); ++i) {
    const ContactMotion::Part& part = motion.part(i);
    add_columns(out + parts_[static_cast<std::size_t>(part.tree)].v, in, motion,
                M.middleRows(part.first, part.count), scale);
  }
}

VecX IslandTape::local(const ContactMotion& motion, const VecX& stacked) const {
  VecX x(motion.size());
  for (int i = 0; i < motion.parts(); ++i) {
    const ContactMotion::Part& part = motion.part(i);
    x.segment(part.first, part.count) =
        stacked.segment(parts_[static_cast<std::size_t>(part.tree)].v, part.count);
  }
  return x;
}

/// Contact forces do not move prescribed coordinates.
void IslandTape::clear_prescribed(const ContactMotion& motion, MatX& M) const {
  for (int i = 0; i < motion.parts(); ++i) {
    const ContactMotion::Part& part = motion.part(i);
    const Model& model = parts_[static_cast<std::size_t>(part.tree)].tree->model;
    for (int k = 0; k < part.count; ++k)
      if (model.prescribed(k)) M.row(part.first + k).setZero();
  }
}

/// x_out += (q ⊕ d)' : Jq x_from + scale Jd x_by.
void IslandTape::add_displacement(int out, int from, int by, double scale, const VecX& displacement) {
  for (const Part& part : parts_) {
    const Model& model = part.tree->model;
    const VecX d = displacement.segment(part.v, model.nv());
    const IntegrationJacobians J = integration_jacobians(model, d);
    tape.add(out + part.v, from + part.v, J.q);
    tape.add(out + part.v, by + part.v, J.d, scale);
  }
}

int IslandTape::length_of(int index) {
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  const int s = tape.slot(1);
  switch (trace.rule) {
    case SolveTrace::Length::rest:
      tape.add_scaled(s, left_, 1, trace.factor);
      break;
    case SolveTrace::Length::same:
      tape.add_scaled(s, solve(trace.from).s, 1, trace.factor);
      break;
    case SolveTrace::Length::swept:
      tape.add_scaled(s, hit_of(trace.from), 1, trace.factor);
      break;
    case SolveTrace::Length::event:
      tape.add_scaled(s, event_of(trace.from), 1, 1);
      break;
  }
  return s;
}

IslandTape::PathEnd IslandTape::path_end(int index, double sigma) {
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  const Solve slots = solve(index);
  const VecX &v = substep_->v, &v_next = trace.v_next;
  const double s = trace.s;
  PathEnd end;
  VecX by_v = VecX::Constant(nv, sigma), by_next = VecX::Zero(nv);
  double by_s = 0;
  switch (step_.integrator) {
    case Integrator::midpoint:
      end.value = sigma * v + (0.5 * sigma * sigma / s) * (v_next - v);
      end.w = v + (sigma / s) * (v_next - v);
      by_next.setConstant(0.5 * sigma * sigma / s);
      by_v -= by_next;
      by_s = -0.5 * sigma * sigma / (s * s);
      break;
    case Integrator::semi_implicit_euler:
      end.value = sigma * v_next;
      end.w = v_next;
      by_next = by_v;
      by_v.setZero();
      break;
    case Integrator::explicit_euler:
      end.value = sigma * v;
      end.w = v;
      break;
  }
  for (const Part& part : parts_)
    for (int k = 0; k < part.tree->model.nv(); ++k) {
      if (!part.tree->model.prescribed(k) || midpoint()) continue;
      const double a = island_.prescribed[part.v + k];
      end.value[part.v + k] = sigma * v[part.v + k] + 0.5 * sigma * sigma * a;
      end.w[part.v + k] = v[part.v + k] + sigma * a;
      by_v[part.v + k] = sigma;
      by_next[part.v + k] = 0;
    }

  end.q = tape.slot(nv);
  end.displacement = tape.slot(nv);
  end.rate.resize(nv);
  if (by_s != 0) tape.add(end.displacement, slots.s, v_next - v, by_s);
  for (const Part& part : parts_) {
    const Model& model = part.tree->model;
    const long n = model.nv();
    tape.add(end.displacement + part.v, v_ + part.v, MatX(by_v.segment(part.v, n).asDiagonal()));
    tape.add(end.displacement + part.v, slots.v_next + part.v, MatX(by_next.segment(part.v, n).asDiagonal()));
    const IntegrationJacobians J = integration_jacobians(model, end.value.segment(part.v, n));
    end.rate.segment(part.v, n) = J.d * end.w.segment(part.v, n);
    const VecX q_start = substep_->q.segment(part.q, model.nq());
    update_positions(model, integrate(model, q_start, end.value.segment(part.v, n)), part.tree->end);
  }
  add_displacement(end.q, q_, end.displacement, 1, end.value);
  return end;
}

int IslandTape::hit_of(int index) {
  if (solve(index).sigma >= 0) return solve(index).sigma;
  const HitTrace& hit = substep_->solves[static_cast<std::size_t>(index)].hit;
  const PathEnd end = path_end(index, hit.time);
  if (hit.limit >= 0) {
    // gap + sign d_k(σ) = target
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(hit.limit)];
    const double closing = limit.sign * end.w[limit.velocity];
    const int sigma = tape.slot(1);
    nearest.nearer(
        {.kind = Kink::Kind::grazing,
         .distance = closing < 0 ? -closing / (-closing + std::abs(substep_->v[limit.velocity])) : 0});
    if (!(closing < 0)) {
      refuse("a limit is met without speed: it grazes");
    } else {
      tape.add_scaled(sigma, end.q + limit.velocity, 1, -limit.sign / closing);
      tape.add_scaled(sigma, q_ + limit.velocity, 1, hit.target_by_gap * limit.sign / closing);
    }
    return solves_[static_cast<std::size_t>(index)].sigma = sigma;
  }
  ContactMotion motion;
  motion.place(row_trees_end_, anchor(hit.shape_a), anchor(hit.shape_b), 0.5 * (hit.p_A + hit.p_B));
  const Eigen::RowVectorXd row = gap_row(motion, hit.normal);
  const VecX moving = local(motion, end.rate);
  const double closing = row * moving;
  const int sigma = tape.slot(1);
  const double size = (motion.J() * moving).norm();
  nearest.nearer({.kind = Kink::Kind::grazing,
                  .distance = size > 0 && closing < 0 ? -closing / size : 0,
                  .shape_a = hit.shape_a,
                  .shape_b = hit.shape_b});
  if (hit.unsettled || !(closing < -1e-12 * size)) {
    refuse(hit.unsettled ? "a sweep gave up before it found a hit" : "a hit without speed: it grazes");
    return solves_[static_cast<std::size_t>(index)].sigma = sigma;
  }
  add_columns(sigma, end.q, motion, row, -1 / closing);
  if (hit.half_gap && hit.half_of >= 0) {
    const PlacedContact& from = start_contact(hit.half_of);
    add_columns(sigma, q_, from.motion, gap_row(from.motion, from.n), 0.5 / closing);
  }
  return solves_[static_cast<std::size_t>(index)].sigma = sigma;
}

void IslandTape::move() {
  const int last = static_cast<int>(substep_->solves.size()) - 1;
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(last)];
  const double sigma = substep_->sigma, s = trace.s;
  if (sigma == 0) return;
  const bool hits = sigma != s;
  stop_slip(trace);
  const int length = hits ? hit_of(last) : solve(last).s;
  const Solve slots = solve(last);
  if (!no_derivative.empty()) return;

  const PathEnd end = path_end(last, sigma);
  tape.add(end.q, length, end.rate);
  const int v_next = tape.slot(nv);
  const VecX gained = trace.v_next - substep_->v;
  tape.add_scaled(v_next, slots.v_next, nv, sigma / s);
  if (hits) {
    tape.add_scaled(v_next, v_, nv, 1 - sigma / s);
    tape.add(v_next, length, gained, 1 / s);
    tape.add(v_next, slots.s, gained, -sigma / (s * s));
  }
  const int left = tape.slot(1);
  tape.add_scaled(left, left_, 1, 1);
  tape.add_scaled(left, length, 1, -1);
  q_ = end.q;
  v_ = v_next;
  left_ = left;
}

}  // namespace jade
