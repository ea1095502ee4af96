#include "jade/gradients/island_tape.h"

#include <algorithm>
#include <cmath>

#include "jade/dynamics/kinematics.h"
#include "jade/dynamics/manifold.h"
#include "jade/geometry/contact_features.h"

namespace jade {

IslandTape::IslandTape(std::vector<GradientTree>& trees, const CollisionModel& collision)
    : all_trees_(trees), collision_(collision) {}

/// Trees of the island, rows of the inputs, and where the parameters act.
void IslandTape::begin(const Model& model, const std::vector<ParameterId>& asked) {
  tape.clear();
  parts_.clear();
  uses_.clear();
  nearest = {};
  no_derivative.clear();
  part_of_tree_.assign(all_trees_.size(), -1);
  int nq = 0;
  nv = 0;
  for (const int t : island_->trees) {
    GradientTree& tree = all_trees_[static_cast<std::size_t>(t)];
    tree.begin();
    part_of_tree_[static_cast<std::size_t>(t)] = static_cast<int>(parts_.size());
    parts_.push_back({&tree, nq, nv});
    nq += tree.model.nq();
    nv += tree.model.nv();
  }
  q_in = tape.slot(nv);
  v_in = tape.slot(nv);
  effort_in = tape.slot(nv);
  parameters_in = tape.slot(static_cast<int>(asked.size()));
  step_size_in = -1;
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
      use.link = body.link - part(use.part).tree->first_link;
      use.X_LB = body.X_LB;
    } else if (use.id.kind == ParameterKind::damping || use.id.kind == ParameterKind::stiffness) {
      use.part = part_of_link(model.velocity_link()[static_cast<std::size_t>(use.id.index)]);
      if (use.part < 0) continue;
      use.id.index -= part(use.part).tree->v;
    }
    uses_.push_back(use);
  }
}

void IslandTape::build(const Model& model, const StepTrace& step, const IslandTrace& island,
                       const std::vector<ParameterId>& parameters, bool to_one_side) {
  to_one_side_ = to_one_side;
  step_ = &step;
  island_ = &island;
  begin(model, parameters);
  for (const Use& use : uses_) {
    if (use.id.kind != ParameterKind::step_size) continue;
    if (step_size_in < 0) step_size_in = tape.slot(1);
    tape.add_scaled(step_size_in, use.row, 1, 1);
  }
  q_ = q_in;
  v_ = v_in;
  left_ = step_size_in;
  if (island.hurried) refuse("bodies meet more often in the step than its patience allows");
  if (island.lost_time > 0) refuse("the step ran out of sub-steps: a part of its time is lost");
  for (const SubstepTrace& trace : island.substeps) {
    if (!no_derivative.empty()) break;
    substep(trace);
  }
  q_out = q_;
  v_out = v_;
}

void IslandTape::substep(const SubstepTrace& trace) {
  substep_ = &trace;
  link_slots_.clear();
  solves_.assign(trace.solves.size(), {});
  start_contacts_.resize(std::max(start_contacts_.size(), trace.contacts.size()));
  placed_.assign(trace.contacts.size(), 0);
  start_poses_ = {};
  for (const Part& own : parts_) {
    own.tree->place = trace.q.segment(own.q, own.tree->model.nq());
    own.tree->start.move_to(own.tree->model, own.tree->place);
  }
  if (trace.collides && &trace == &island_->substeps.front()) hit_at_start(trace.collision);
  if (trace.collides) collide(trace.collision);
  if (no_derivative.empty()) move();
}

void IslandTape::add_displacement(const Part& own, int out, int from, int by, double scale) {
  const GradientTree& tree = *own.tree;
  out += own.v, from += own.v, by += own.v;
  if (tree.flat) {
    tape.add_scaled(out, from, tree.model.nv(), 1);
    tape.add_scaled(out, by, tree.model.nv(), scale);
  } else if (tree.alone) {
    tape.add_scaled(out, from, 3, 1);
    tape.add(out + 3, from + 3, tree.turned);
    tape.add_scaled(out, by, 3, scale);
    tape.add(out + 3, by + 3, tree.turned_by, scale);
  } else {
    tape.add(out, from, tree.integration.q);
    tape.add(out, by, tree.integration.d, scale);
  }
}

int IslandTape::length_of(int index) {
  int& s = solves_[static_cast<std::size_t>(index)].s;
  if (s >= 0) return s;
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  double factor = trace.factor;
  int of = -1;
  switch (trace.rule) {
    case SolveTrace::Length::rest:
      of = left_;
      break;
    case SolveTrace::Length::same:
      of = length_of(trace.from);
      break;
    case SolveTrace::Length::swept:
      of = hit_of(trace.from);
      break;
    case SolveTrace::Length::event:
      of = event_of(trace.from);
      factor = 1;
      break;
    case SolveTrace::Length::stopped:
      of = stopped_length_;
      break;
  }
  if (of < 0) return -1;
  s = tape.slot(1);
  tape.add_scaled(s, of, 1, factor);
  return s;
}

const IslandTape::PathEnd& IslandTape::path_end(int index, double sigma) {
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(index)];
  const Solve slots = solve(index);
  const VecX &v = substep_->v, &v_next = trace.v_next;
  const double s = trace.s;
  PathEnd& end = end_;
  end.by_v.setConstant(nv, sigma);
  end.by_next.setZero(nv);
  double by_s = 0;
  switch (step_->integrator) {
    case Integrator::midpoint:
      end.value = sigma * v + (0.5 * sigma * sigma / s) * (v_next - v);
      end.w = v + (sigma / s) * (v_next - v);
      end.by_next.setConstant(0.5 * sigma * sigma / s);
      end.by_v -= end.by_next;
      by_s = -0.5 * sigma * sigma / (s * s);
      break;
    case Integrator::semi_implicit_euler:
      end.value = sigma * v_next;
      end.w = v_next;
      end.by_next = end.by_v;
      end.by_v.setZero();
      break;
    case Integrator::explicit_euler:
      end.value = sigma * v;
      end.w = v;
      break;
  }
  for (const Part& own : parts_)
    for (int k = 0; k < own.tree->model.nv(); ++k) {
      if (!own.tree->model.prescribed(k) || midpoint()) continue;
      const double a = island_->prescribed[own.v + k];
      end.value[own.v + k] = sigma * v[own.v + k] + 0.5 * sigma * sigma * a;
      end.w[own.v + k] = v[own.v + k] + sigma * a;
      end.by_v[own.v + k] = sigma;
      end.by_next[own.v + k] = 0;
    }

  end.q = tape.slot(nv);
  end.displacement = tape.slot(nv);
  end.rate.resize(nv);
  if (by_s != 0) tape.add(end.displacement, slots.s, v_next - v, by_s);
  tape.add_diagonal(end.displacement, v_, end.by_v);
  tape.add_diagonal(end.displacement, slots.v_next, end.by_next);
  for (const Part& own : parts_) {
    GradientTree& tree = *own.tree;
    const Model& model = tree.model;
    const long n = model.nv();
    tree.displacement = end.value.segment(own.v, n);
    tree.update_integration();
    tree.displace(end.w.segment(own.v, n), end.rate.segment(own.v, n));
    add_displacement(own, end.q, q_, end.displacement, 1);
  }
  return end;
}

void IslandTape::place_end() {
  for (const Part& own : parts_) {
    GradientTree& tree = *own.tree;
    tree.from = substep_->q.segment(own.q, tree.model.nq());
    tree.displacement = end_.value.segment(own.v, tree.model.nv());
    integrate(tree.model, tree.from, tree.displacement, tree.place);
    tree.end.move_to(tree.model, tree.place);
  }
}

/// gap + sign d_k(σ) = target
int IslandTape::limit_hit_of(int index, const HitTrace& hit) {
  const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(hit.limit)];
  const double closing = limit.sign * end_.w[limit.velocity];
  const int sigma = tape.slot(1);
  nearest.nearer(
      {.kind = Kink::Kind::grazing,
       .distance = closing < 0 ? -closing / (-closing + std::abs(substep_->v[limit.velocity])) : 0});
  if (!(closing < 0)) {
    refuse("a limit is met without speed: it grazes");
  } else {
    tape.add_scaled(sigma, end_.q + limit.velocity, 1, -limit.sign / closing);
    tape.add_scaled(sigma, q_ + limit.velocity, 1, hit.target_by_gap * limit.sign / closing);
  }
  return solves_[static_cast<std::size_t>(index)].sigma = sigma;
}

/// A pair that is hit at one place meets at others as well where faces or edges are flush, and which of them is the first changes
/// with a nudge: how much later the next one is. What joints keep flush is hit at all of them at once. After place_end.
Kink IslandTape::next_hit(const HitTrace& hit, double closing) {
  constexpr double kSamePlace = 1e-6;  // of its distance from the origin, as hits are polished
  constexpr double kSameRow = 1e-10;   // what no joint lets move against each other
  Kink next;
  const Links links = links_of(hit.shape_a, hit.shape_b);
  const SidePoses at = poses(hit.shape_a, hit.shape_b, Place::end);
  const auto is_curved = [&](int shape) {
    return has_travelling_features(collision_.shapes()[static_cast<std::size_t>(shape)].geometry);
  };
  // Places of rims travel, and are hit wherever they are then.
  if (!(closing < 0) || is_curved(hit.shape_a) || is_curved(hit.shape_b)) return next;
  const auto row_of = [&](const FeatureContact& place, VecX& row) {
    const LinkPoint point = point_between(links, 0.5 * (place.p_A + place.p_B), Place::end);
    row.setZero(nv);
    add_generalised(links, Place::end, point.along(place.normal).transpose(), row);
  };
  const auto for_each_place = [&](auto&& visit) {
    for (const ContactTrace& contact : substep_->contacts)
      if (contact.shape_a == hit.shape_a && contact.shape_b == hit.shape_b)
        visit(closest_points(contact.a, at.X_WA, contact.b, at.X_WB, hit.normal));
  };
  const double size = hit.p_B.norm();
  std::optional<double> lowest;
  for_each_place([&](const FeatureContact& place) {
    if ((place.p_B - hit.p_B).norm() > kSamePlace * size) return;
    lowest = place.gap;
    row_of(place, hit_row_);
  });
  if (!lowest) return next;
  for_each_place([&](const FeatureContact& place) {
    const double later = std::max(0.0, std::abs(place.gap - *lowest) - kGapRounding * size) / -closing;
    const double distance = apart(hit.time + later, hit.time);
    if (distance >= next.distance) return;
    row_of(place, next_row_);
    if ((next_row_ - hit_row_).lpNorm<Eigen::Infinity>() > kSameRow * hit_row_.lpNorm<Eigen::Infinity>())
      next.nearer({Kink::Kind::grazing, distance, hit.shape_a, hit.shape_b});
  });
  return next;
}

int IslandTape::hit_of(int index) {
  if (solve(index).sigma >= 0) return solve(index).sigma;
  const HitTrace& hit = substep_->solves[static_cast<std::size_t>(index)].hit;
  const PathEnd& end = path_end(index, hit.time);
  if (hit.limit >= 0) return limit_hit_of(index, hit);
  place_end();
  const Links links = links_of(hit.shape_a, hit.shape_b);
  const Vec3 p = 0.5 * (hit.p_A + hit.p_B);
  const Sides moving = rates(links, Place::end, end.rate);
  const LinkPoint point = point_between(links, p, Place::end);
  const Row12 row = point.along(hit.normal);
  const double closing = row * moving;
  const int sigma = tape.slot(1);
  const double size = point.velocity(moving).norm();
  nearest.nearer({.kind = Kink::Kind::grazing,
                  .distance = size > 0 && closing < 0 ? -closing / size : 0,
                  .shape_a = hit.shape_a,
                  .shape_b = hit.shape_b});
  nearest.nearer(next_hit(hit, closing));
  if (hit.unsettled || !(closing < -1e-12 * size)) {
    refuse(hit.unsettled ? "a sweep gave up before it found a hit" : "a hit without speed: it grazes");
    return solves_[static_cast<std::size_t>(index)].sigma = sigma;
  }
  add_links(sigma, row, displacements(links, Place::end, end.q), -1 / closing);
  if (hit.target_by_gap != 0) {
    const PlacedContact* contact = hit.gap_of >= 0 ? &start_contact(hit.gap_of) : nullptr;
    const Row12 gap =
        contact != nullptr
            ? Row12(contact->along(contact->n))
            : Row12(
                  point_between(links, 0.5 * (hit.from_A + hit.from_B), Place::start).along(hit.from_normal));
    add_links(sigma, gap, displacements(links, Place::start, q_), hit.target_by_gap / closing);
  }
  return solves_[static_cast<std::size_t>(index)].sigma = sigma;
}

void IslandTape::move() {
  const int last = static_cast<int>(substep_->solves.size()) - 1;
  const SolveTrace& trace = substep_->solves[static_cast<std::size_t>(last)];
  const double sigma = substep_->sigma, s = trace.s;
  if (sigma == 0) {
    const bool stops = substep_ != &island_->substeps.back() && (substep_ + 1)->collision.stops;
    if (stops) stopped_length_ = length_of(last);
    return;
  }
  const bool hits = sigma != s;
  stopped_once_.assign(substep_->contacts.size(), 0);
  for (const SolveTrace& solve : substep_->solves)
    if (solve.judged) stop_slip(solve);
  const int length = hits ? hit_of(last) : solve(last).s;
  const Solve slots = solve(last);
  if (!no_derivative.empty()) return;
  LeverChange levers;
  if (hits && midpoint() && !trace.rows.empty()) levers = lever_change(last);

  const PathEnd& end = path_end(last, sigma);
  tape.add(end.q, length, end.rate);
  int v_next = slots.v_next;
  if (hits) {
    v_next = tape.slot(nv);
    tape.add_scaled(v_next, slots.v_next, nv, sigma / s);
    tape.add_scaled(v_next, v_, nv, 1 - sigma / s);
    tape.add(v_next, length, trace.v_next - substep_->v, 1 / s);
    tape.add(v_next, slots.s, trace.v_next - substep_->v, -sigma / (s * s));
  }
  if (levers.v >= 0) {
    const double part = sigma / s, share = part * (1 - part), by_part = 1 - 2 * part;
    tape.add_scaled(v_next, levers.v, nv, share);
    tape.add_scaled(v_next, slots.v_next, nv, -share);
    tape.add(v_next, length, levers.value, by_part / s);
    tape.add(v_next, slots.s, levers.value, -by_part * part / s);
  }
  q_ = end.q;
  v_ = v_next;
  pass_time(length);
}

void IslandTape::pass_time(int length) {
  if (left_ < 0 && length < 0) return;
  const int left = tape.slot(1);
  tape.add_scaled(left, left_, 1, 1);
  tape.add_scaled(left, length, 1, -1);
  left_ = left;
}

}  // namespace jade
