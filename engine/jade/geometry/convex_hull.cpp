#include "jade/geometry/convex_hull.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "jade/base/error.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace jade {
namespace {

[[noreturn]] void refuse(std::string place, std::string problem, std::string remedy) {
  throw InvalidInput("convex hull", {{std::move(place), std::move(problem), std::move(remedy)}});
}

/// Owns Qhull's state; its messages go to a memory stream so that nothing is printed.
class Quickhull {
 public:
  explicit Quickhull(std::span<const Vec3> points) {
    coordinates_.reserve(3 * points.size());
    for (const Vec3& p : points) coordinates_.insert(coordinates_.end(), {p.x(), p.y(), p.z()});
    messages_ = open_memstream(&text_, &text_size_);
    qh_zero(&state_, messages_);
    char options[] = "qhull";
    failure_ =
        qh_new_qhull(&state_, 3, int(points.size()), coordinates_.data(), False, options, nullptr, messages_);
  }
  ~Quickhull() {
    qh_freeqhull(&state_, !qh_ALL);
    int kept = 0, total = 0;
    qh_memfreeshort(&state_, &kept, &total);
    std::fclose(messages_);
    std::free(text_);
  }
  Quickhull(const Quickhull&) = delete;
  Quickhull& operator=(const Quickhull&) = delete;

  bool failed() const { return failure_ != 0; }

  /// Each facet as indices into the points, counter-clockwise seen from outside.
  std::vector<std::vector<int>> facets() {
    std::vector<std::vector<int>> result;
    for (facetT* facet = state_.facet_list; facet && facet->next; facet = facet->next) {
      setT* ordered = qh_facet3vertex(&state_, facet);
      std::vector<int> face;
      const int size = qh_setsize(&state_, ordered);
      for (int i = 0; i < size; ++i) {
        const auto* vertex = static_cast<const vertexT*>(ordered->e[i].p);
        face.push_back(qh_pointid(&state_, vertex->point));
      }
      qh_settempfree(&state_, &ordered);
      std::reverse(face.begin(), face.end());  // Qhull's order is clockwise seen from outside
      result.push_back(std::move(face));
    }
    return result;
  }

 private:
  qhT state_{};
  std::vector<double> coordinates_;
  std::FILE* messages_ = nullptr;
  char* text_ = nullptr;
  std::size_t text_size_ = 0;
  int failure_ = 0;
};

}  // namespace

HullSurface convex_hull(std::span<const Vec3> points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      refuse(fmt::format("points[{}]", i), "is not finite", "give finite coordinates in metres");
  if (points.size() < 4)
    refuse("points", fmt::format("are only {}", points.size()), "give at least four points not in one plane");

  Quickhull hull(points);
  if (hull.failed())
    refuse("points", "lie in one plane up to rounding, or nearly so",
           "give at least four points that span a volume");

  HullSurface surface{.vertices = {}, .faces = hull.facets()};
  // Number the extreme points in the order in which they were given.
  std::vector<int> number(points.size(), -1);
  for (const auto& face : surface.faces)
    for (const int i : face) number[i] = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = int(surface.vertices.size());
    surface.vertices.push_back(points[i]);
  }
  for (auto& face : surface.faces)
    for (int& i : face) i = number[i];
  return surface;
}

}  // namespace jade
