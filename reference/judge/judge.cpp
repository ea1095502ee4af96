#include "reference/judge/judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "jade/base/error.h"

namespace jade::judge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string place_of(const SceneDescription& scene, int body, int shape) {
  return fmt::format("bodies[{}] \"{}\" / shapes[{}]", body, scene.bodies[body].name, shape);
}

WidePose wide_pose(const Placement& placement) {
  Eigen::Quaternion<Real> q = placement.orientation.cast<Real>();
  q.normalize();
  return {q.toRotationMatrix(), placement.position.cast<Real>()};
}

bool is_finite(const Transform& X) { return X.R.allFinite() && X.p.allFinite(); }

/// Which bodies can meet.
class MeetingRules {
 public:
  MeetingRules(const SceneDescription& scene, std::vector<Mistake>& mistakes) : scene_(scene) {
    const int n = static_cast<int>(scene.bodies.size());
    for (int i = 0; i < n; ++i) number_[scene.bodies[i].name] = i;
    const auto number_of = [&](const std::string& name, const std::string& place) {
      const auto found = number_.find(name);
      if (found != number_.end()) return found->second;
      mistakes.push_back(
          {place, fmt::format("names \"{}\", which is no body", name), "name a body of the scene"});
      return -1;
    };
    for (int i = 0; i < n; ++i) {
      const std::string& parent = scene.bodies[i].joint.parent;
      parent_.push_back(parent.empty() ? -1
                                       : number_of(parent, fmt::format("bodies[{}] / joint / parent", i)));
    }
    for (std::size_t i = 0; i < scene.never_collide.size(); ++i) {
      const std::string place = fmt::format("never_collide[{}]", i);
      const int a = number_of(scene.never_collide[i][0], place),
                b = number_of(scene.never_collide[i][1], place);
      never_.insert(std::minmax(a, b));
    }
    for (int i = 0; i < n; ++i) weld_.push_back(weld_root(i));
  }

  bool can_meet(int a, int b) const {
    if (a == b || weld_[a] == weld_[b] || never_.contains(std::minmax(a, b))) return false;
    if (parent_[a] == b && !scene_.bodies[a].joint.collides_with_parent) return false;
    if (parent_[b] == a && !scene_.bodies[b].joint.collides_with_parent) return false;
    return true;
  }

 private:
  /// The body that carries this one through fixed joints; −1: the world.
  int weld_root(int body) const {
    // A chain of parents longer than the scene runs in a circle, which the check of a scene refuses.
    for (std::size_t k = 0; k <= scene_.bodies.size() && body >= 0; ++k) {
      if (scene_.bodies[body].joint.kind != JointKind::fixed) return body;
      body = parent_[body];
    }
    return body;
  }

  const SceneDescription& scene_;
  std::map<std::string, int> number_;
  std::vector<int> parent_, weld_;
  std::set<std::pair<int, int>> never_;
};

bool groups_meet(const ShapeDescription& a, const ShapeDescription& b) {
  return (a.groups & b.collides_with) != 0 && (b.groups & a.collides_with) != 0;
}

/// The shape with its triangles; a mesh given by a file is read.
Shape shape_with_triangles(const SceneDescription& scene, const Shape& shape, const MeshReader& read_mesh,
                           const std::string& place) {
  const auto* mesh = std::get_if<TriangleMesh>(&shape);
  if (mesh == nullptr || mesh->file.empty()) return shape;
  if (!read_mesh)
    throw InvalidInput("scene to be judged", {{place, fmt::format("is given by the file \"{}\"", mesh->file),
                                               "give a mesh reader"}});
  TriangleMesh read = read_mesh(*mesh, scene.folder);
  read.scale = mesh->scale;
  return read;
}

/// Overlapping pairs first, then undecided ones, then by separation.
auto severity(const Measurement& m) {
  const int rank = overlap(m.relation) ? 0 : m.relation == Relation::undecided ? 1 : 2;
  return std::tuple(rank, m.separation.upper, m.separation.lower);
}

}  // namespace

Judge::Judge(const SceneDescription& scene, const MeshReader& read_mesh)
    : body_count_(static_cast<int>(scene.bodies.size())) {
  std::vector<Mistake> mistakes;
  const MeetingRules rules(scene, mistakes);
  for (int b = 0; b < body_count_; ++b)
    for (int s = 0; s < static_cast<int>(scene.bodies[b].shapes.size()); ++s) {
      const ShapeDescription& shape = scene.bodies[b].shapes[s];
      const std::string place = place_of(scene, b, s);
      try {
        shapes_.push_back({b, s, wide_pose(shape.X_BS),
                           Solid(shape_with_triangles(scene, shape.geometry, read_mesh, place), place)});
      } catch (const InvalidInput& e) {
        mistakes.insert(mistakes.end(), e.mistakes().begin(), e.mistakes().end());
      }
    }
  if (!mistakes.empty()) throw InvalidInput("scene to be judged", std::move(mistakes));

  const auto described = [&](const PlacedShape& s) -> const ShapeDescription& {
    return scene.bodies[s.body].shapes[s.shape];
  };
  for (int i = 0; i < static_cast<int>(shapes_.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(shapes_.size()); ++j) {
      const PlacedShape &a = shapes_[i], &b = shapes_[j];
      if (!rules.can_meet(a.body, b.body) || !groups_meet(described(a), described(b))) continue;
      if (a.solid.kind() == Solid::Kind::half_space && b.solid.kind() == Solid::Kind::half_space)
        throw InvalidInput(
            "scene to be judged",
            {{place_of(scene, b.body, b.shape), "is a half-space that moves", "fix its body to the world"}});
      pairs_.push_back({i, j});
    }
}

int Judge::place(std::span<const Transform> X_WB) {
  if (static_cast<int>(X_WB.size()) != body_count_)
    throw InvalidInput("state to be judged",
                       {{"poses", fmt::format("are {} for {} bodies", X_WB.size(), body_count_),
                         "give one pose per body, in the order of the scene"}});
  for (int b = 0; b < body_count_; ++b)
    if (!is_finite(X_WB[b])) return b;

  // A body that has not moved since the last state, bit for bit, is in place already.
  const bool first = placed_at_.empty();
  for (PlacedShape& s : shapes_) {
    const Transform& X = X_WB[s.body];
    if (!first && X.R == placed_at_[s.body].R && X.p == placed_at_[s.body].p) continue;
    const Eigen::Matrix<Real, 3, 3> R = X.R.cast<Real>();
    s.solid.place({R * s.X_BS.R, R * s.X_BS.p + X.p.cast<Real>()});
  }
  placed_at_.assign(X_WB.begin(), X_WB.end());
  return -1;
}

/// Not above the separation of the pair when its bounds are apart; −infinity when they meet.
double Judge::bound_of(const std::array<int, 2>& pair) const {
  const Solid &a = shapes_[pair[0]].solid, &b = shapes_[pair[1]].solid;
  const double gap = distance_between(a.bounds(), b.bounds());
  return gap > 0 ? gap : -kInfinity;
}

PairJudgement Judge::measured(const std::array<int, 2>& pair, double beyond) {
  PlacedShape &a = shapes_[pair[0]], &b = shapes_[pair[1]];
  return {a.body, a.shape, b.body, b.shape, measure(a.solid, b.solid, beyond)};
}

Judgement Judge::judge(std::span<const Transform> X_WB, double reach) {
  Judgement result;
  result.not_finite = place(X_WB);
  if (result.not_finite >= 0) return result;
  for (const auto& pair : pairs_) {
    if (bound_of(pair) > reach) continue;
    const PairJudgement p = measured(pair, reach);
    if (p.measured.separation.lower > reach) continue;
    result.overlapping += overlap(p.measured.relation);
    if (result.worst < 0 || severity(p.measured) < severity(result.pairs[result.worst].measured))
      result.worst = static_cast<int>(result.pairs.size());
    result.pairs.push_back(p);
  }
  return result;
}

Judgement Judge::worst(std::span<const Transform> X_WB) {
  Judgement result;
  result.not_finite = place(X_WB);
  if (result.not_finite >= 0 || pairs_.empty()) return result;

  // Nearest bounds first, until no bound is below the worst separation found.
  queue_.clear();
  for (int i = 0; i < pair_count(); ++i) queue_.push_back({bound_of(pairs_[i]), i});
  const auto later = std::greater<std::pair<double, int>>();
  std::make_heap(queue_.begin(), queue_.end(), later);
  double beyond = kInfinity;
  PairJudgement worst;
  while (!queue_.empty() && queue_.front().first <= beyond) {
    const PairJudgement p = measured(pairs_[queue_.front().second], beyond);
    result.overlapping += overlap(p.measured.relation);
    if (worst.body_a < 0 || severity(p.measured) < severity(worst.measured)) worst = p;
    beyond = std::max(worst.measured.separation.upper, 0.0);
    std::pop_heap(queue_.begin(), queue_.end(), later);
    queue_.pop_back();
  }
  result.pairs = {worst};
  result.worst = 0;
  return result;
}

PathJudgement Judge::judge_path(const PoseAt& pose_at, const PathSampling& sampling) {
  if (sampling.count < 2)
    throw InvalidInput("path to be judged", {{"count", "is below 2", "ask for both ends at least"}});
  PathJudgement path;
  std::vector<Transform> X_WB(body_count_);
  for (int i = 0; i < sampling.count; ++i) {
    const double part = static_cast<double>(i) / (sampling.count - 1);
    const double t =
        i == sampling.count - 1 ? sampling.end : sampling.begin + part * (sampling.end - sampling.begin);
    pose_at(t, X_WB);
    const Judgement state = worst(X_WB);
    ++path.states;
    if (path.not_finite = state.not_finite; path.not_finite >= 0) break;
    if (state.worst < 0) continue;
    const PairJudgement& p = state.pairs[state.worst];
    if (path.worst.body_a < 0 || severity(p.measured) < severity(path.worst.measured)) {
      path.worst = p;
      path.worst_time = t;
    }
    if (!path.is_clear()) continue;
    (overlap(p.measured.relation) ? path.first_overlap : path.last_clear) = t;
  }
  return path;
}

}  // namespace jade::judge
