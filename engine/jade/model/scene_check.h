#pragma once

#include <string>
#include <vector>

#include "jade/base/error.h"
#include "jade/model/collision_filter.h"
#include "jade/model/scene_description.h"

/// The parts of `check_scene`, which is declared in model.h. Each looks at one side of a scene and notes what is
/// wrong. Comparisons are written so that NaN passes them: `check_numbers` has noted it already.
namespace jade::scene_check {

/// Axes and quaternions are normalised when the scene is built: their squares must neither vanish nor overflow.
template <int n>
bool has_direction(const Eigen::Matrix<double, n, 1>& x) {
  const double square = x.squaredNorm();
  return !x.allFinite() || (square > 1e-200 && square < 1e200);
}

/// Mistakes below one place of the scene; places are written as in files, `bodies[2] "lid" / joint / axis`.
class Notes {
 public:
  explicit Notes(std::vector<Mistake>& mistakes, std::string place = "")
      : mistakes_(&mistakes), place_(std::move(place)) {}

  /// The same list, one step further down: a key, `key[index]` or `key[index] "name"`.
  Notes at(const std::string& key) const;
  Notes at(const std::string& key, std::size_t index, const std::string& name = "") const;

  void add(std::string problem, std::string remedy) const;
  void add_if(bool wrong, std::string problem, std::string remedy) const;

 private:
  std::vector<Mistake>* mistakes_;
  std::string place_;
};

/// Every number is finite, except for limits that say "none" by infinity.
void check_numbers(const SceneDescription& scene, const Notes& notes);
/// Names are there and unique; parents exist and lead to the world.
void check_names(const SceneDescription& scene, const Notes& notes);
/// Materials are known, and all that can meet is listed.
void check_materials(const SceneDescription& scene, const CollisionFilter& filter, const Notes& notes);

/// An orientation is normalised when the scene is built, so it needs a direction.
void check_placement(const Placement& placement, const Notes& notes);
void check_joint(const JointDescription& joint, const Notes& notes);
void check_shape(const ShapeDescription& shape, const std::string& folder, const Notes& notes);
void check_inertia(const InertiaDescription& inertia, const Notes& notes);
/// Every body that moves weighs something, and every joint at the end of a tree has something to move.
void check_masses(const SceneDescription& scene, const CollisionFilter& filter, const Notes& notes);

}  // namespace jade::scene_check
