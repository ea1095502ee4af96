#pragma once

#include <functional>
#include <span>

#include "jade/model/scene_description.h"
#include "reference/judge/measure.h"

namespace jade::judge {

/// One pair of shapes in one state. Bodies and shapes are numbered as in the scene; body_a ≤ body_b.
struct PairJudgement {
  int body_a = -1, shape_a = -1, body_b = -1, shape_b = -1;
  Measurement measured;
};

struct Judgement {
  std::vector<PairJudgement> pairs;  ///< in the order of the scene; those beyond `reach` are left out
  int worst = -1;       ///< index into `pairs`: overlapping ones first, then the smallest separation
  int overlapping = 0;  ///< pairs that intersect or are contained
  int not_finite = -1;  ///< first body whose pose holds NaN or infinity: nothing else was judged then

  bool is_clear() const { return not_finite < 0 && overlapping == 0; }
};

/// A path that was looked at in many states.
struct PathJudgement {
  int states = 0;
  double first_overlap =
      std::numeric_limits<double>::infinity();  ///< time of the first state with an overlap
  double last_clear =
      -std::numeric_limits<double>::infinity();  ///< time of the state before it (or the last)
  double worst_time = 0;
  PairJudgement worst;  ///< body_a −1: no pair can meet
  int not_finite = -1;

  bool is_clear() const { return not_finite < 0 && first_overlap == std::numeric_limits<double>::infinity(); }
};

struct PathSampling {
  double begin = 0, end = 1;
  int count = 2;  ///< states, both ends included; at least 2
};

/// Measures how bodies lie to each other, for any engine: it reads a scene and poses and shares nothing else with
/// whoever moved them. What is exact and what is bracketed: see Measurement.
///
/// Two shapes can meet iff they sit on different bodies, each is in a group the other collides with, the bodies are
/// not listed in `never_collide`, neither is the other's parent (unless the child's joint says
/// `collides_with_parent`), and they can move against each other: bodies that are welded together, or both fixed to
/// the world, cannot.
///
/// Prepared once per scene; judging reuses its memory, so a Judge belongs to one thread.
class Judge {
 public:
  /// Throws InvalidInput listing shapes that bound no solid, files without `read_mesh`, and unknown body names.
  explicit Judge(const SceneDescription& scene, const MeshReader& read_mesh = {});

  /// Every pair nearer than `reach`. `X_WB`: pose of each body, in the order of the scene.
  Judgement judge(std::span<const Transform> X_WB, double reach = std::numeric_limits<double>::infinity());

  /// The worst pair alone, which is much faster: pairs that cannot be worse are not measured.
  Judgement worst(std::span<const Transform> X_WB);

  /// Looks for the worst state along a path. `pose_at(t, X_WB)` fills in the poses at time t.
  using PoseAt = std::function<void(double t, std::span<Transform> X_WB)>;
  PathJudgement judge_path(const PoseAt& pose_at, const PathSampling& sampling);

  int pair_count() const { return static_cast<int>(pairs_.size()); }

 private:
  struct PlacedShape {
    int body = 0, shape = 0;
    WidePose X_BS;
    Solid solid;
  };

  /// Index of the first body whose pose is not finite, or −1 after all shapes are placed.
  int place(std::span<const Transform> X_WB);
  double bound_of(const std::array<int, 2>& pair) const;
  PairJudgement measured(const std::array<int, 2>& pair, double beyond);

  std::vector<PlacedShape> shapes_;
  std::vector<std::array<int, 2>> pairs_;  ///< indices of shapes_
  std::vector<Transform> placed_at_;       ///< poses of the bodies when they were placed last
  std::vector<std::pair<double, int>> queue_;
  int body_count_ = 0;
};

}  // namespace jade::judge
