#include "step_fuzz/shrink_world.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace jade::reports {
namespace {

using generators::World;

double rounded(double x, int digits) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) + 1 - digits);
  return std::round(x / unit) * unit;
}

/// Without some bodies and everything that hangs on them.
World without(const World& world, std::set<std::string> gone) {
  World smaller = world;
  auto& bodies = smaller.scene.bodies;
  for (bool more = true; more;) {
    more = false;
    for (const BodyDescription& body : bodies)
      if (gone.contains(body.joint.parent)) more |= gone.insert(body.name).second;
  }
  std::erase_if(bodies, [&](const BodyDescription& body) { return gone.contains(body.name); });
  std::erase_if(smaller.scene.never_collide,
                [&](const auto& pair) { return gone.contains(pair[0]) || gone.contains(pair[1]); });
  return smaller;
}

class Shrinker {
 public:
  Shrinker(const World& world, const std::function<bool(const World&)>& fails, int tries)
      : smallest_(world), fails_(fails), tries_(tries) {}

  World run() {
    drop_bodies();
    simplify();
    drop_bodies();
    round_numbers();
    return smallest_;
  }

 private:
  bool try_instead(const World& candidate) {
    if (tries_ <= 0 || candidate.scene == smallest_.scene) return false;
    if (!check_scene(candidate.scene).empty()) return false;
    --tries_;
    if (!fails_(candidate)) return false;
    smallest_ = candidate;
    return true;
  }

  /// Half of the bodies at a time, then a quarter, … then one.
  void drop_bodies() {
    for (std::size_t chunk = std::max<std::size_t>(1, smallest_.scene.bodies.size() / 2); chunk > 0;
         chunk /= 2) {
      for (std::size_t begin = 0;
           begin < smallest_.scene.bodies.size() && smallest_.scene.bodies.size() > 1;) {
        std::set<std::string> gone;
        const std::size_t end = std::min(begin + chunk, smallest_.scene.bodies.size());
        for (std::size_t i = begin; i < end; ++i) gone.insert(smallest_.scene.bodies[i].name);
        if (gone.size() == smallest_.scene.bodies.size() || !try_instead(without(smallest_, gone)))
          begin += chunk;
      }
    }
  }

  void simplify() {
    const auto change = [&](auto&& how) {
      World candidate = smallest_;
      how(candidate.scene);
      try_instead(candidate);
    };
    change([](SceneDescription& scene) { scene.gravity.setZero(); });
    change([](SceneDescription& scene) {
      for (MaterialPair& pair : scene.pairs) pair.friction = 0;
    });
    change([](SceneDescription& scene) {
      for (MaterialPair& pair : scene.pairs) pair.restitution = 0;
    });
    for (std::size_t i = 0; i < smallest_.scene.bodies.size(); ++i) {
      change([&](SceneDescription& scene) { scene.bodies[i].joint.velocity.clear(); });
      change([&](SceneDescription& scene) {
        std::vector<double>& velocity = scene.bodies[i].joint.velocity;
        if (velocity.size() == 6) std::fill(velocity.begin() + 3, velocity.end(), 0);
      });
    }
  }

  void round_numbers() {
    for (std::size_t i = 0; i < smallest_.scene.bodies.size(); ++i) {
      fewest_digits([&](SceneDescription& scene, int digits) {
        for (double& x : scene.bodies[i].joint.velocity) x = rounded(x, digits);
      });
      fewest_digits([&](SceneDescription& scene, int digits) {
        for (double& x : scene.bodies[i].joint.position) x = rounded(x, digits);
      });
    }
    for (const int digits : {1, 2, 3}) {
      World candidate = smallest_;
      candidate.h = rounded(candidate.h, digits);
      if (candidate.h == smallest_.h || tries_ <= 0) break;
      --tries_;
      if (!fails_(candidate)) continue;
      smallest_ = candidate;
      break;
    }
  }

  template <class Round>
  void fewest_digits(Round&& round) {
    for (const int digits : {1, 2, 3, 5, 8}) {
      World candidate = smallest_;
      round(candidate.scene, digits);
      if (try_instead(candidate)) return;
    }
  }

  World smallest_;
  const std::function<bool(const World&)>& fails_;
  int tries_;
};

}  // namespace

World shrink(const World& world, const std::function<bool(const World&)>& fails, int tries) {
  return Shrinker(world, fails, tries).run();
}

World world_at(const World& world, const State& state) {
  World later = world;
  const Model model = build_model(world.scene);
  for (const Joint& joint : model.joints()) {
    JointDescription& described = later.scene.bodies[joint.body].joint;
    const auto q = state.q.segment(joint.q, joint.nq);
    const auto v = state.v.segment(joint.v, joint.nv);
    described.position.assign(q.begin(), q.end());
    described.velocity.assign(v.begin(), v.end());
  }
  return later;
}

}  // namespace jade::reports
