#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <variant>

#include "jade/model/scene_description.h"

namespace jade {

/// Every field of a scene, listed once. What walks over a whole scene (writing it, reading it, looking for
/// numbers that are not finite) is a visitor of these lists, so that a new field is added in one place.
///
/// each_field(visit, part) calls visit(key, member, Need) for every member of `part` in the order of the file.

enum class Need { required, optional };

inline constexpr std::array<std::string_view, 8> kJointKindNames{
    "fixed", "revolute", "prismatic", "screw", "universal", "planar", "ball", "free"};
inline constexpr std::array<std::string_view, 2> kInterpolationNames{"hold", "linear"};
inline constexpr std::array<std::string_view, 2> kMeshNormalsNames{"flat", "smooth"};
/// In the order of the alternatives of Shape.
inline constexpr std::array<std::string_view, 7> kShapeNames{
    "sphere", "capsule", "box", "cylinder", "half_space", "convex_hull", "triangle_mesh"};
static_assert(kShapeNames.size() == std::variant_size_v<Shape>);

constexpr const auto& enum_names(JointKind) { return kJointKindNames; }
constexpr const auto& enum_names(Signal::Interpolation) { return kInterpolationNames; }
constexpr const auto& enum_names(MeshNormals) { return kMeshNormalsNames; }

/// The word that files and messages use: `revolute`, `convex_hull`…
inline std::string_view name_of(JointKind kind) { return kJointKindNames[static_cast<std::size_t>(kind)]; }
inline std::string_view name_of(const Shape& shape) { return kShapeNames[shape.index()]; }

/// `T` or `const T`: one list serves readers and writers.
template <class Maybe, class T>
concept Is = std::same_as<std::remove_const_t<Maybe>, T>;

template <class V>
void each_field(V& visit, Is<Placement> auto& x) {
  visit("position", x.position, Need::optional);
  visit("orientation", x.orientation, Need::optional);
}

template <class V>
void each_field(V& visit, Is<Signal> auto& x) {
  visit("interpolation", x.interpolation, Need::optional);
  visit("times", x.times, Need::required);
  visit("values", x.values, Need::required);
}

template <class V>
void each_field(V& visit, Is<JointDescription> auto& x) {
  visit("name", x.name, Need::optional);
  visit("kind", x.kind, Need::required);
  visit("parent", x.parent, Need::optional);
  visit("X_PJ", x.X_PJ, Need::optional);
  visit("X_BK", x.X_BK, Need::optional);
  visit("axis", x.axis, Need::optional);
  visit("second_axis", x.second_axis, Need::optional);
  visit("pitch", x.pitch, Need::optional);
  visit("position", x.position, Need::optional);
  visit("velocity", x.velocity, Need::optional);
  visit("damping", x.damping, Need::optional);
  visit("stiffness", x.stiffness, Need::optional);
  visit("rest_position", x.rest_position, Need::optional);
  visit("armature", x.armature, Need::optional);
  visit("effort_limit", x.effort_limit, Need::optional);
  visit("lower", x.lower, Need::optional);
  visit("upper", x.upper, Need::optional);
  visit("limit_restitution", x.limit_restitution, Need::optional);
  visit("effort", x.effort, Need::optional);
  visit("motion", x.motion, Need::optional);
  visit("collides_with_parent", x.collides_with_parent, Need::optional);
}

template <class V>
void each_field(V& visit, Is<InertiaDescription> auto& x) {
  visit("mass", x.mass, Need::required);
  visit("com", x.com, Need::optional);
  visit("inertia", x.inertia, Need::optional);
}

template <class V>
void each_field(V& visit, Is<Sphere> auto& x) {
  visit("radius", x.radius, Need::required);
}

template <class V>
void each_field(V& visit, Is<Capsule> auto& x) {
  visit("radius", x.radius, Need::required);
  visit("half_length", x.half_length, Need::required);
}

template <class V>
void each_field(V& visit, Is<Box> auto& x) {
  visit("size", x.size, Need::required);
}

template <class V>
void each_field(V& visit, Is<Cylinder> auto& x) {
  visit("radius", x.radius, Need::required);
  visit("half_length", x.half_length, Need::required);
}

template <class V>
void each_field(V&, Is<HalfSpace> auto&) {}

template <class V>
void each_field(V& visit, Is<ConvexHull> auto& x) {
  visit("points", x.points, Need::required);
}

template <class V>
void each_field(V& visit, Is<TriangleMesh> auto& x) {
  visit("file", x.file, Need::optional);
  visit("scale", x.scale, Need::optional);
  visit("repair", x.repair, Need::optional);
  visit("normals", x.normals, Need::optional);
  visit("vertices", x.vertices, Need::optional);
  visit("triangles", x.triangles, Need::optional);
}

template <class V>
void each_field(V& visit, Is<ShapeDescription> auto& x) {
  visit("name", x.name, Need::optional);
  visit("geometry", x.geometry, Need::required);
  visit("X_BS", x.X_BS, Need::optional);
  visit("material", x.material, Need::required);
  visit("density", x.density, Need::optional);
  visit("groups", x.groups, Need::optional);
  visit("collides_with", x.collides_with, Need::optional);
}

template <class V>
void each_field(V& visit, Is<BodyDescription> auto& x) {
  visit("name", x.name, Need::required);
  visit("inertia", x.inertia, Need::optional);
  visit("shapes", x.shapes, Need::optional);
  visit("joint", x.joint, Need::required);
}

template <class V>
void each_field(V& visit, Is<MaterialPair> auto& x) {
  visit("first", x.first, Need::required);
  visit("second", x.second, Need::required);
  visit("friction", x.friction, Need::required);
  visit("restitution", x.restitution, Need::required);
}

template <class V>
void each_field(V& visit, Is<SceneDescription> auto& x) {
  visit("name", x.name, Need::optional);
  visit("gravity", x.gravity, Need::optional);
  visit("materials", x.materials, Need::optional);
  visit("pairs", x.pairs, Need::optional);
  visit("bodies", x.bodies, Need::required);
  visit("never_collide", x.never_collide, Need::optional);
}

}  // namespace jade
