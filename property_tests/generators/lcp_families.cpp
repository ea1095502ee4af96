#include "generators/lcp_families.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>
#include <fmt/core.h>

#include "generators/lcp_scenes.h"

namespace jade::generators {
namespace {

using Generated = std::pair<ContactFactors, std::vector<LcpRow>>;

Generated finished(const ContactScene& scene) { return {scene.factors(), scene.rows()}; }

/// Dense Gaussian J with any rank, and a dense mass matrix.
Generated random_jacobian(RandomStream& random, int contacts) {
  const int n = 3 * contacts;
  const int nv = random.chance(0.5) ? random.integer(1, n) : random.integer(n, n + 6);
  ContactFactors factors{MatX(n, nv), MatX(nv, nv), VecX(nv), VecX::Zero(n)};
  for (double& x : factors.J.reshaped()) x = random.normal();
  for (double& x : factors.u) x = random.normal();
  MatX root(nv, nv);
  for (double& x : root.reshaped()) x = random.normal() / std::sqrt(static_cast<double>(nv));
  factors.inverse_mass = 0.1 * MatX::Identity(nv, nv);
  factors.inverse_mass.selfadjointView<Eigen::Lower>().rankUpdate(root);
  factors.inverse_mass.triangularView<Eigen::StrictlyUpper>() = factors.inverse_mass.transpose();
  std::vector<LcpRow> rows;
  const double mu_limit = random.uniform(0, 1.5);
  for (int c = 0; c < contacts; ++c) {
    const double mu = random.uniform(0, mu_limit);
    rows.push_back({.kind = RowKind::normal});
    for (int k = 0; k < 2; ++k) rows.push_back({.kind = RowKind::tangent, .normal = 3 * c, .mu = mu});
  }
  return {std::move(factors), std::move(rows)};
}

/// A chain of hinges on the ground that touches things with its links while some joints are at their limits
/// (lower: q̇ ≥ 0, upper: −q̇ ≥ 0, a locked joint has both).
Generated hinged_chain(RandomStream& random, int contacts) {
  const int joints = random.integer(2, 8);
  std::vector<Vec3> axis, origin, centre;
  Vec3 tip = Vec3::Zero();
  MatX mass_matrix = 1e-3 * MatX::Identity(joints, joints);  // rotor inertia
  const auto point_jacobian = [&](int link, const Vec3& point) {
    MatX J = MatX::Zero(3, joints);
    for (int j = 0; j <= link; ++j) J.col(j) = axis[j].cross(point - origin[j]);
    return J;
  };
  for (int i = 0; i < joints; ++i) {
    const Vec3 link = random.uniform(0.2, 0.6) * random.direction();
    axis.push_back(random.direction());
    origin.push_back(tip);
    centre.push_back(tip + 0.5 * link);
    tip += link;
    const double mass = random.uniform(0.5, 3);
    const MatX Jv = point_jacobian(i, centre[i]);
    MatX Jw = MatX::Zero(3, joints);
    for (int j = 0; j <= i; ++j) Jw.col(j) = axis[j];
    mass_matrix += mass * (Jv.transpose() * Jv + 0.02 * Jw.transpose() * Jw);
  }
  std::vector<LcpRow> rows;
  std::vector<VecX> jacobian;
  for (int c = 0; c < contacts; ++c) {
    const int link = random.integer(0, joints - 1);
    const Mat3 frame = random.rotation();
    const Vec3 point = centre[link] + 0.3 * random.vector();
    const MatX J = frame * point_jacobian(link, point);
    const int normal = static_cast<int>(rows.size());
    const double mu = random.uniform(0, 1.2);
    rows.push_back({.kind = RowKind::normal});
    for (int k = 0; k < 2; ++k) rows.push_back({.kind = RowKind::tangent, .normal = normal, .mu = mu});
    for (int k = 0; k < 3; ++k) jacobian.emplace_back(J.row(k));
    if (c >= joints) continue;
    // Limits stand between the contacts, so that nothing can rely on their place.
    const int which = random.integer(0, 3);
    for (int side = 0; side < 2; ++side) {
      if (which != 3 && which != side) continue;
      rows.push_back({.kind = RowKind::limit});
      jacobian.emplace_back((side == 0 ? 1 : -1) * VecX::Unit(joints, c));
    }
  }
  ContactFactors factors;
  factors.J.resize(static_cast<int>(jacobian.size()), joints);
  for (int i = 0; i < factors.J.rows(); ++i) factors.J.row(i) = jacobian[i];
  const MatX inverse = mass_matrix.llt().solve(MatX::Identity(joints, joints));
  factors.inverse_mass = 0.5 * (inverse + inverse.transpose());
  factors.u.resize(joints);
  for (double& x : factors.u) x = random.normal();
  factors.bias = VecX::Zero(factors.J.rows());
  return {std::move(factors), std::move(rows)};
}

Generated box_sliding(RandomStream& random, int contacts) {
  return finished(box_on_plane(random, contacts, BoxMotion::sliding));
}
Generated box_sticking(RandomStream& random, int contacts) {
  return finished(box_on_plane(random, contacts, BoxMotion::sticking));
}
Generated box_twisting(RandomStream& random, int contacts) {
  return finished(box_on_plane(random, contacts, BoxMotion::twisting));
}
template <ContactScene (*scene)(RandomStream&, int)>
Generated plain(RandomStream& random, int contacts) {
  return finished(scene(random, contacts));
}

ContactScene any_scene(RandomStream& random, int contacts) {
  switch (random.integer(0, 4)) {
    case 0:
      return row_of_boxes(random, contacts);
    case 1:
      return stack_of_boxes(random, contacts);
    case 2:
      return grid_of_boxes(random, contacts);
    case 3:
      return wedge(random, contacts);
    default:
      return duplicated_contacts(random, contacts);
  }
}

Generated mass_ratio(RandomStream& random, int contacts) {
  ContactScene scene;
  switch (random.integer(0, 3)) {
    case 0:
      scene = row_of_boxes(random, contacts);
      break;
    case 1:
      scene = stack_of_boxes(random, contacts);
      break;
    case 2:
      scene = pinched_plate(random, contacts);
      break;
    default:
      scene = grid_of_boxes(random, contacts);
      break;
  }
  spread_masses(scene, random);
  return finished(scene);
}

Generated restitution(RandomStream& random, int contacts) {
  ContactScene scene = tree_of_balls(random, contacts);
  for (SceneContact& contact : scene.contacts) contact.restitution = random.uniform(0, 1);
  return finished(scene);
}

Generated mixed_restitution(RandomStream& random, int contacts) {
  ContactScene scene = any_scene(random, contacts);
  for (SceneContact& contact : scene.contacts) contact.restitution = random.uniform(0, 1);
  return finished(scene);
}

Generated position_bias(RandomStream& random, int contacts) {
  ContactScene scene = any_scene(random, contacts);
  for (SceneContact& contact : scene.contacts) contact.bias = random.uniform(-0.3, 0.3);
  return finished(scene);
}

struct Entry {
  LcpFamily family;
  Generated (*make)(RandomStream&, int contacts);
};

constexpr Entry kEntries[] = {
    {{"random", "Gaussian contact Jacobian of any rank, dense mass matrix"}, random_jacobian},
    {{"box_sliding", "a box that slides on a plane"}, box_sliding},
    {{"box_sticking", "a box that friction holds on a plane"}, box_sticking},
    {{"box_twisting", "a box that spins about the normal of a plane"}, box_twisting},
    {{"row", "boxes in a line on the ground, the first one pushed"}, plain<row_of_boxes>},
    {{"stack", "boxes on top of each other"}, plain<stack_of_boxes>},
    {{"wedge", "a body between steep planes, friction 0.8 to 2"}, plain<wedge>},
    {{"pinched_plate", "a thin plate between pressing fingers"}, plain<pinched_plate>},
    {{"mass_ratio", "rows, stacks, plates and grids with mass ratios 1e-4 to 1e4"}, mass_ratio},
    {{"ties", "unit cubes with dyadic numbers: exact ties everywhere"}, plain<tied_cubes>},
    {{"duplicated", "contacts repeated bit by bit"}, plain<duplicated_contacts>},
    {{"restitution", "a tree of balls, each contact with its own restitution"}, restitution},
    {{"grid", "a wall of boxes that touch their neighbours"}, plain<grid_of_boxes>},
    {{"joint_limits", "a chain of hinges with contacts and joint limits"}, hinged_chain},
    {{"mixed_restitution", "scenes with a different restitution at each contact", true}, mixed_restitution},
    {{"position_bias", "scenes with a different position bias at each contact", true}, position_bias},
};

constexpr auto kFamilies = [] {
  std::array<LcpFamily, std::size(kEntries)> families;
  for (std::size_t i = 0; i < families.size(); ++i) families[i] = kEntries[i].family;
  return families;
}();

/// Other units: exact factors on mass and velocity leave the digits alone and move every exponent.
void change_units(ContactFactors& factors, RandomStream& random) {
  const double mass = std::ldexp(1.0, random.integer(-20, 20));
  const double speed = std::ldexp(1.0, random.integer(-20, 20));
  factors.inverse_mass /= mass;
  factors.u *= speed;
  factors.bias *= speed;
}

}  // namespace

std::span<const LcpFamily> lcp_families() { return kFamilies; }

const LcpFamily* lcp_family_named(std::string_view name) {
  const auto found = std::ranges::find(kFamilies, name, &LcpFamily::name);
  return found == kFamilies.end() ? nullptr : &*found;
}

std::string to_string(const LcpProblemId& id) {
  return fmt::format("seed {}, family {}, index {}, {} {}", id.seed, id.family, id.index,
                     id.exact ? "exact contacts" : "max contacts", id.max_contacts);
}

LcpProblem make_lcp_problem(const LcpProblemId& id) {
  const auto entry =
      std::ranges::find_if(kEntries, [&](const Entry& e) { return e.family.name == id.family; });
  if (entry == std::end(kEntries)) {
    std::string names;
    for (const LcpFamily& family : kFamilies) names += fmt::format(" {}", family.name);
    throw InvalidInput("contact problem", {{"family", fmt::format("`{}` is not known", id.family),
                                            fmt::format("use one of:{}", names)}});
  }
  if (id.max_contacts < 1) {
    throw InvalidInput("contact problem", {{"max contacts", fmt::format("is {}", id.max_contacts),
                                            "give a number of at least 1"}});
  }
  RandomStream random(mixed_seed(id.seed, id.family, id.index));
  const int drawn = random.integer(1, id.max_contacts);
  auto [factors, rows] = entry->make(random, id.exact ? id.max_contacts : drawn);
  if (random.chance(0.25)) change_units(factors, random);
  return make_contact_problem(std::move(factors), std::move(rows));
}

}  // namespace jade::generators
