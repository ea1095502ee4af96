#include "jade/model/scene_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "jade/base/suggest.h"
#include "jade/model/model.h"
#include "jade/model/scene_fields.h"

namespace jade {
namespace scene_check {

Notes Notes::at(const std::string& key) const {
  return Notes(*mistakes_, place_.empty() ? key : fmt::format("{} / {}", place_, key));
}
Notes Notes::at(const std::string& key, std::size_t index, const std::string& name) const {
  return at(name.empty() ? fmt::format("{}[{}]", key, index)
                         : fmt::format("{}[{}] \"{}\"", key, index, name));
}
void Notes::add(std::string problem, std::string remedy) const {
  mistakes_->push_back({place_, std::move(problem), std::move(remedy)});
}
void Notes::add_if(bool wrong, std::string problem, std::string remedy) const {
  if (wrong) add(std::move(problem), std::move(remedy));
}

namespace {

/// Walks over every field of a part of the scene and looks at the numbers.
class NumberCheck {
 public:
  explicit NumberCheck(Notes notes) : notes_(std::move(notes)) {}

  void operator()(const char* key, const auto& member, Need) const {
    // Limits say "none" by infinity.
    const std::string_view name = key;
    look(member, key, name == "lower" || name == "upper" || name == "effort_limit");
  }

 private:
  void look(double x, const std::string& key, bool infinity_is_none) const {
    const bool fine = std::isfinite(x) || (infinity_is_none && std::isinf(x));
    notes_.at(key).add_if(!fine, fmt::format("is {}", x), "give a finite number");
  }
  void look(const auto& entries, const std::string& key, bool) const requires requires { entries.reshaped(); }
  { notes_.at(key).add_if(!entries.allFinite(), "holds a number that is not finite", "give finite numbers"); }
  void look(const Quat& x, const std::string& key, bool infinity_is_none) const {
    look(x.coeffs(), key, infinity_is_none);
  }
  template <class T>
  void look(const std::vector<T>& list, const std::string& key, bool infinity_is_none) const {
    if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, std::array<int, 3>> &&
                  !std::is_same_v<T, std::array<std::string, 2>>) {
      for (std::size_t i = 0; i < list.size(); ++i)
        look(list[i], fmt::format("{}[{}]{}", key, i, name_in(list[i])), infinity_is_none);
    }
  }
  template <class T>
  void look(const std::optional<T>& x, const std::string& key, bool infinity_is_none) const {
    if (x) look(*x, key, infinity_is_none);
  }
  void look(const Shape& shape, const std::string& key, bool) const {
    std::visit([&](const auto& s) { look_inside(s, key); }, shape);
  }
  void look(const auto& part, const std::string& key, bool) const requires
      requires(const NumberCheck& visit) {
    each_field(visit, part);
  }
  { look_inside(part, key); }
  void look(const std::string&, const std::string&, bool) const {}
  void look(std::integral auto, const std::string&, bool) const {}
  template <class E>
  requires std::is_enum_v<E>
  void look(E, const std::string&, bool) const {}

  void look_inside(const auto& part, const std::string& key) const {
    const NumberCheck inside(notes_.at(key));
    each_field(inside, part);
  }

  static std::string name_in(const auto& item) {
    if constexpr (requires { std::string(item.name); })
      return item.name.empty() ? "" : fmt::format(" \"{}\"", item.name);
    return "";
  }

  Notes notes_;
};

std::vector<std::string> body_names(const SceneDescription& scene) {
  std::vector<std::string> names;
  for (const BodyDescription& body : scene.bodies) names.push_back(body.name);
  return names;
}

/// Notes each cycle of parents once, at the body of it that comes first.
void check_cycles(const SceneDescription& scene, const Notes& notes) {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) index.emplace(scene.bodies[i].name, i);
  std::set<std::size_t> settled;
  for (std::size_t start = 0; start < scene.bodies.size(); ++start) {
    std::vector<std::size_t> path;
    std::size_t at = start;
    for (;;) {
      const auto seen = std::find(path.begin(), path.end(), at);
      if (seen != path.end()) {
        std::string loop;
        for (auto i = seen; i != path.end(); ++i) loop += fmt::format("\"{}\" → ", scene.bodies[*i].name);
        const auto first = *std::min_element(seen, path.end());
        notes.at("bodies", first, scene.bodies[first].name)
            .at("joint")
            .at("parent")
            .add(fmt::format("closes the cycle {}\"{}\"", loop, scene.bodies[at].name),
                 "hang one of them on the world or on a body outside the cycle");
        break;
      }
      if (settled.contains(at)) break;
      path.push_back(at);
      const auto parent = index.find(scene.bodies[at].joint.parent);
      if (parent == index.end() || parent->first.empty()) break;
      at = parent->second;
    }
    settled.insert(path.begin(), path.end());
  }
}

/// Each name once; `what` is what carries it.
class UniqueNames {
 public:
  explicit UniqueNames(std::string what) : what_(std::move(what)) {}
  void add(const std::string& name, const Notes& notes) {
    notes.add_if(!names_.insert(name).second, fmt::format("\"{}\" is the name of an earlier {}", name, what_),
                 "give each its own name");
  }

 private:
  std::string what_;
  std::set<std::string> names_;
};

}  // namespace

void check_numbers(const SceneDescription& scene, const Notes& notes) {
  const NumberCheck visit(notes);
  each_field(visit, scene);
}

void check_names(const SceneDescription& scene, const Notes& notes) {
  const std::vector<std::string> names = body_names(scene);
  const auto known = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  UniqueNames bodies("body"), joints("joint");
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDescription& body = scene.bodies[i];
    const Notes here = notes.at("bodies", i, body.name);
    here.at("name").add_if(body.name.empty(), "is empty", "give the body a name");
    bodies.add(body.name, here.at("name"));
    // A joint without a name takes the body's, which has been looked at.
    if (!body.joint.name.empty() && body.joint.name != body.name)
      joints.add(body.joint.name, here.at("joint").at("name"));
    UniqueNames shapes("shape of this body");
    for (std::size_t k = 0; k < body.shapes.size(); ++k)
      if (!body.shapes[k].name.empty()) shapes.add(body.shapes[k].name, here.at("shapes", k).at("name"));

    const std::string& parent = body.joint.parent;
    here.at("joint").at("parent").add_if(!parent.empty() && !known(parent),
                                         fmt::format("is \"{}\", and no body has that name", parent),
                                         suggest(parent, names));
  }
  check_cycles(scene, notes);
  for (std::size_t i = 0; i < scene.never_collide.size(); ++i)
    for (const std::string& name : scene.never_collide[i])
      notes.at("never_collide", i)
          .add_if(!known(name), fmt::format("names \"{}\", and no body has that name", name),
                  suggest(name, names));
}

void check_materials(const SceneDescription& scene, const CollisionFilter& filter, const Notes& notes) {
  UniqueNames names("material");
  for (std::size_t i = 0; i < scene.materials.size(); ++i) {
    notes.at("materials", i).add_if(scene.materials[i].empty(), "is empty", "give the material a name");
    names.add(scene.materials[i], notes.at("materials", i));
  }
  const auto check_known = [&](const std::string& name, const Notes& here) {
    const auto found = std::find(scene.materials.begin(), scene.materials.end(), name);
    here.add_if(found == scene.materials.end(),
                fmt::format("is \"{}\", which is not among the materials", name),
                suggest(name, scene.materials));
  };

  using Pair = std::pair<std::string, std::string>;
  const auto sorted = [](const std::string& a, const std::string& b) -> Pair { return std::minmax(a, b); };
  std::set<Pair> listed;
  for (std::size_t i = 0; i < scene.pairs.size(); ++i) {
    const MaterialPair& pair = scene.pairs[i];
    const Notes here = notes.at("pairs", i);
    check_known(pair.first, here.at("first"));
    check_known(pair.second, here.at("second"));
    here.add_if(!listed.insert(sorted(pair.first, pair.second)).second,
                fmt::format("lists \"{}\" with \"{}\" again", pair.first, pair.second), "keep one of them");
    here.at("friction").add_if(pair.friction < 0, fmt::format("is {}", pair.friction), "give 0 or more");
    here.at("restitution")
        .add_if(pair.restitution < 0 || pair.restitution > 1, fmt::format("is {}", pair.restitution),
                "give a number from 0 to 1");
  }

  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    for (std::size_t k = 0; k < scene.bodies[i].shapes.size(); ++k)
      check_known(scene.bodies[i].shapes[k].material,
                  notes.at("bodies", i, scene.bodies[i].name).at("shapes", k).at("material"));

  // All pairs of shapes that can meet; a pair of materials that lacks is noted once.
  for (std::size_t a = 0; a < scene.bodies.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (!filter.bodies_can_meet(static_cast<int>(a), static_cast<int>(b))) continue;
      for (const ShapeDescription& s : scene.bodies[a].shapes)
        for (const ShapeDescription& t : scene.bodies[b].shapes) {
          if (!shapes_can_meet(s, t) || !listed.insert(sorted(s.material, t.material)).second) continue;
          notes.at("pairs").add(
              fmt::format("do not list \"{}\" with \"{}\", which meet when \"{}\" touches \"{}\"", t.material,
                          s.material, scene.bodies[b].name, scene.bodies[a].name),
              "add the pair with its friction and restitution, or keep the bodies apart by groups or "
              "never_collide");
        }
    }
}

}  // namespace scene_check

std::vector<Mistake> check_scene(const SceneDescription& scene) {
  using namespace scene_check;
  std::vector<Mistake> mistakes;
  const Notes notes(mistakes);
  const CollisionFilter filter(scene);
  check_numbers(scene, notes);
  check_names(scene, notes);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDescription& body = scene.bodies[i];
    const Notes here = notes.at("bodies", i, body.name);
    check_joint(body.joint, here.at("joint"));
    if (body.inertia) check_inertia(*body.inertia, here.at("inertia"));
    for (std::size_t k = 0; k < body.shapes.size(); ++k) {
      const Notes at_shape = here.at("shapes", k, body.shapes[k].name);
      check_shape(body.shapes[k], scene.folder, at_shape);
      at_shape.at("geometry")
          .add_if(std::holds_alternative<HalfSpace>(body.shapes[k].geometry) &&
                      !filter.fixed_to_world(static_cast<int>(i)),
                  "is a half-space on a body that moves", "use a box, or fix the body to the world");
    }
  }
  // What the masses of a mechanism do is clear only once its parts and its tree make sense.
  if (mistakes.empty()) check_masses(scene, filter, notes);
  check_materials(scene, filter, notes);
  return mistakes;
}

}  // namespace jade
