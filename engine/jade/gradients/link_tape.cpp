#include <algorithm>

#include "jade/gradients/island_tape.h"

namespace jade {

bool IslandTape::Links::operator==(const Links& o) const {
  for (int side = 0; side < 2; ++side)
    if (on[side].tree != o.on[side].tree || on[side].link != o.on[side].link) return false;
  return true;
}

int IslandTape::part_of_velocity(int velocity) const {
  int found = 0;
  while (found + 1 < static_cast<int>(parts_.size()) && part(found + 1).v <= velocity) ++found;
  return found;
}

PlacedTree& IslandTape::placed(int index, Place at) const {
  GradientTree& tree = *part(index).tree;
  return at == Place::start ? tree.start : at == Place::middle ? tree.middle : tree.end;
}

IslandTape::Links IslandTape::links_of(int shape_a, int shape_b) const {
  const auto anchor = [&](int shape) {
    const Anchor& at = collision_.shapes()[static_cast<std::size_t>(shape)].anchor;
    return at.tree < 0 ? at : Anchor{part_of_tree_[static_cast<std::size_t>(at.tree)], at.link};
  };
  return {{anchor(shape_a), anchor(shape_b)}};
}

SidePoses IslandTape::poses(int shape_a, int shape_b, Place at) const {
  const Links links = links_of(shape_a, shape_b);
  SidePoses out;
  for (int side = 0; side < 2; ++side) {
    const CollisionShape& shape =
        collision_.shapes()[static_cast<std::size_t>(side == 0 ? shape_a : shape_b)];
    Transform& pose = side == 0 ? out.X_WA : out.X_WB;
    const Anchor& on = links.on[side];
    if (on.tree < 0) {
      pose = shape.X_LS;
      continue;
    }
    const PlacedTree& tree = placed(on.tree, at);
    const std::size_t link = static_cast<std::size_t>(on.link);
    pose = Transform{tree.work.R[link], tree.work.origin[0] + tree.work.r[link]} * shape.X_LS;
    out.moves[side] = true;
    (side == 0 ? out.reference_a : out.reference_b) = tree.reference(on.link);
  }
  return out;
}

const PlacedContact& IslandTape::start_contact(int contact) {
  const std::size_t c = static_cast<std::size_t>(contact);
  const ContactTrace& trace = substep_->contacts[c];
  if (placed_[c]) return start_contacts_[c];
  // Contacts of the same two shapes follow each other.
  if (start_poses_.shape_a != trace.shape_a || start_poses_.shape_b != trace.shape_b)
    start_poses_ = {trace.shape_a, trace.shape_b, poses(trace.shape_a, trace.shape_b, Place::start)};
  place_contact(trace, collision_, start_poses_.at, nullptr, start_contacts_[c]);
  placed_[c] = 1;
  return start_contacts_[c];
}

LinkPoint IslandTape::point_between(const Links& links, const Vec3& p, Place at) const {
  LinkPoint out{.p = p};
  for (int side = 0; side < 2; ++side) {
    const Anchor& on = links.on[side];
    out.moves[side] = on.tree >= 0;
    if (out.moves[side]) out.arm[side] = p - placed(on.tree, at).reference(on.link);
  }
  return out;
}

Sides IslandTape::rates(const Links& links, Place at, const VecX& x) {
  Sides out = Sides::Zero();
  for (int side = 0; side < 2; ++side) {
    const Anchor& on = links.on[side];
    if (on.tree < 0) continue;
    const GradientTree& tree = *part(on.tree).tree;
    const auto own = x.segment(part(on.tree).v, tree.model.nv());
    if (tree.alone)
      out.segment<6>(6 * side) = own;
    else
      out.segment<6>(6 * side).noalias() = placed(on.tree, at).motion(tree.model, on.link).lazyProduct(own);
  }
  return out;
}

IslandTape::LinkRows IslandTape::displacements(const Links& links, Place at, int place) {
  return rates(links, at, place, VecX(), place, -1);
}

/// d(J x) = J dx + (∂J/∂q dq) x
IslandTape::LinkRows IslandTape::rates(const Links& links, Place at, int place, const VecX& x, int in,
                                       int use) {
  LinkRows out;
  for (int side = 0; side < 2; ++side) {
    const Anchor& on = links.on[side];
    if (on.tree < 0) continue;
    const Part& own = part(on.tree);
    const Model& model = own.tree->model;
    if (own.tree->alone) {
      out.row[side] = in < 0 ? -1 : in + own.v;
      continue;
    }
    const auto known = std::find_if(link_slots_.begin(), link_slots_.end(), [&](const LinkSlot& slot) {
      return slot.in == in && slot.use == use && slot.place == place && slot.link == on.link &&
             slot.part == on.tree;
    });
    if (known != link_slots_.end()) out.row[side] = known->row;
    if (out.row[side] >= 0) continue;
    out.row[side] = tape.slot(6);
    if (in >= 0) tape.add(out.row[side], in + own.v, placed(on.tree, at).motion(model, on.link));
    // What the place alone changes may stand there already.
    int by_place = -1;
    for (const LinkSlot& slot : link_slots_)
      if (slot.part == on.tree && slot.link == on.link && slot.place == place && slot.in < 0 &&
          slot.x == x.data())
        by_place = slot.row;
    if (x.size() > 0 && by_place >= 0) {
      tape.add_scaled(out.row[side], by_place, 6, 1);
    } else if (x.size() > 0) {
      own.tree->one = x.segment(own.v, model.nv());
      placed(on.tree, at).motion_by_position(model, on.link, own.tree->one, by_position_);
      tape.add(out.row[side], place + own.v, by_position_);
    }
    // Velocities of the trace stay where they are; other rates are known by their use alone.
    const double* held = x.data() == substep_->v.data() ? x.data() : nullptr;
    link_slots_.push_back({on.tree, on.link, place, in, use, out.row[side], held});
  }
  return out;
}

void IslandTape::begin_forces(int out, int place, Place at) {
  forces_out_ = out;
  forces_place_ = place;
  forces_at_ = at;
  link_forces_.clear();
}

int IslandTape::force_row(const Anchor& on) {
  if (part(on.tree).tree->alone) return forces_out_ + part(on.tree).v;
  for (const LinkForce& force : link_forces_)
    if (force.on.tree == on.tree && force.on.link == on.link) return force.row;
  link_forces_.push_back({on, tape.slot(6), Vec6::Zero()});
  return link_forces_.back().row;
}

void IslandTape::note_force(const Links& links, const Sides& force, double scale) {
  for (int side = 0; side < 2; ++side) {
    const Anchor& on = links.on[side];
    if (on.tree < 0 || part(on.tree).tree->alone) continue;
    static_cast<void>(force_row(on));
    for (LinkForce& known : link_forces_)
      if (known.on.tree == on.tree && known.on.link == on.link)
        known.total += scale * force.segment<6>(6 * side);
  }
}

void IslandTape::add_force_by(const Links& links, const ForceDerivative& by, const LinkRows& q,
                              const LinkRows& place, const LinkRows& v0) {
  for (int side = 0; side < 2; ++side) {
    if (links.on[side].tree < 0) continue;
    const int out = force_row(links.on[side]);
    add_links(out, by.by_place.middleRows<6>(6 * side), place, 1);
    if (by.q) add_links(out, by.by_q.middleRows<6>(6 * side), q, 1);
    if (by.v0) add_links(out, by.by_v0.middleRows<6>(6 * side), v0, 1);
  }
}

void IslandTape::end_forces() {
  for (const LinkForce& force : link_forces_) {
    const Part& own = part(force.on.tree);
    const Model& model = own.tree->model;
    PlacedTree& tree = placed(force.on.tree, forces_at_);
    const Mat6X& J = tree.motion(model, force.on.link);
    tree.force_by_position(model, force.on.link, force.total, square_);
    // Contact forces do not move prescribed coordinates.
    for (int k = 0, end = 0; k < model.nv(); k = end + 1) {
      for (end = k; end < model.nv() && !model.prescribed(end);) ++end;
      if (end == k) continue;
      tape.add(forces_out_ + own.v + k, force.row, J.middleCols(k, end - k).transpose());
      tape.add(forces_out_ + own.v + k, forces_place_ + own.v, square_.middleRows(k, end - k));
    }
  }
}

void IslandTape::add_generalised(const Links& links, Place at, const Sides& force, VecX& out) {
  for (int side = 0; side < 2; ++side) {
    const Anchor& on = links.on[side];
    if (on.tree < 0) continue;
    const GradientTree& tree = *part(on.tree).tree;
    auto own = out.segment(part(on.tree).v, tree.model.nv());
    if (tree.alone)
      own += force.segment<6>(6 * side);
    else
      own += placed(on.tree, at).motion(tree.model, on.link).transpose() * force.segment<6>(6 * side);
  }
}

void IslandTape::add_problem(const std::vector<RowsTrace>& rows, const std::vector<LimitRowTrace>& limits,
                             const std::vector<RowClass>& row_classes, const VecX* f, Place at,
                             ClassSolve& classes) {
  classes.rows.resize(row_classes.size());
  const auto set = [&](int row, int normal, double friction) {
    ClassSolve::Row& own = classes.rows[static_cast<std::size_t>(row)];
    own = {row_classes[static_cast<std::size_t>(row)], normal, friction};
    if (f != nullptr)
      own.margin = normal < 0 || normal == row ? (*f)[row] : friction * (*f)[normal] - std::abs((*f)[row]);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowsTrace& of = rows[i];
    if (contacts_[i] == nullptr) continue;
    for (int row = of.first; row < of.first + of.count; ++row)
      set(row, of.first, substep_->contacts[static_cast<std::size_t>(of.contact)].friction);
  }
  for (const LimitRowTrace& of : limits) set(of.row, -1, 0);
  if (!classes.slips()) add_patches(rows, classes);
  classes.choose_free_rows();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (contacts_[i] != nullptr) add_blocks(rows[i], at, *contacts_[i], classes);
  // The row of a limit is ± v of its coordinate.
  for (const LimitRowTrace& of : limits) {
    const LimitTrace& limit = substep_->limits[static_cast<std::size_t>(of.limit)];
    const int own = part_of_velocity(limit.velocity);
    if (classes.acts(of.row)) classes.add_block(of.row, 1, own)(0, limit.velocity - part(own).v) = limit.sign;
  }
}

void IslandTape::add_blocks(const RowsTrace& rows, Place at, const PlacedContact& contact,
                            ClassSolve& classes) {
  const Links links = links_of(substep_->contacts[static_cast<std::size_t>(rows.contact)]);
  for (int r = 0; r < rows.count; ++r) {
    if (!classes.acts(rows.first + r)) continue;
    const Row12 along = contact.along(rows.directions[static_cast<std::size_t>(r)]);
    for (int side = 0; side < 2; ++side) {
      const Anchor& on = links.on[side];
      if (on.tree < 0) continue;
      GradientTree& tree = *part(on.tree).tree;
      Eigen::Map<RowMatX> block = classes.add_block(rows.first + r, 1, on.tree);
      const auto own = along.segment<6>(6 * side);
      if (tree.alone)
        block = own;
      else
        block = own.lazyProduct(placed(on.tree, at).motion(tree.model, on.link));
    }
  }
}

void IslandTape::add_patches(const std::vector<RowsTrace>& rows, ClassSolve& classes) {
  const auto links = [&](std::size_t i) {
    return links_of(substep_->contacts[static_cast<std::size_t>(rows[i].contact)]);
  };
  for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
    const Links own = links(first);
    const PlacedContact* origin = nullptr;
    functionals_.clear();
    for (end = first; end < rows.size(); ++end) {
      if (contacts_[end] == nullptr) continue;
      if (!(links(end) == own)) break;
      if (origin == nullptr) origin = contacts_[end];
      for (int r = 0; r < rows[end].count; ++r) {
        const Vec3& d = rows[end].directions[static_cast<std::size_t>(r)];
        functionals_.push_back({rows[end].first + r, Vec6::Zero()});
        functionals_.back().of_motion << d, cross3(contacts_[end]->p - origin->p, d);
      }
    }
    classes.add_patch(functionals_);
  }
}

}  // namespace jade
