#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "jade/model/scene_description.h"

namespace jade {

/// The file format of scenes: JSON, schema 1. SI units; keys are the field names of scene_description.h, where
/// each field's meaning, unit and frame is documented.
///
///   {
///     "schema": 1,
///     "name": "lid on a table",
///     "gravity": [0, 0, -9.81],
///     "materials": ["wood"],
///     "pairs": [{"first": "wood", "second": "wood", "friction": 0.4, "restitution": 0.1}],
///     "bodies": [
///       {"name": "table",
///        "shapes": [{"geometry": {"kind": "half_space"}, "material": "wood"}],
///        "joint": {"kind": "fixed"}},
///       {"name": "lid",
///        "inertia": {"mass": 2, "com": [0.1, 0, 0], "inertia": [[0.01, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]},
///        "shapes": [{"geometry": {"kind": "box", "size": [0.3, 0.2, 0.02]},
///                    "X_BS": {"position": [0.1, 0, 0], "orientation": [1, 0, 0, 0]},
///                    "material": "wood"}],
///        "joint": {"kind": "revolute", "parent": "table", "axis": [0, 1, 0], "position": [-0.5],
///                  "lower": ["-inf"], "upper": [0], "X_PJ": {"position": [0, 0, 0.2]},
///                  "effort": [{"interpolation": "linear", "times": [0, 1], "values": [0, 0.5]}]}}
///     ],
///     "never_collide": [["table", "lid"]]
///   }
///
/// | part of a scene   | required keys                          | keys with a default (that of the struct)              |
/// |-------------------|----------------------------------------|-------------------------------------------------------|
/// | scene             | schema, bodies                         | name, gravity, materials, pairs, never_collide        |
/// | body              | name, joint                            | inertia, shapes                                       |
/// | inertia           | mass                                   | com, inertia (three rows)                             |
/// | joint             | kind                                   | every other field of JointDescription                 |
/// | signal            | times, values                          | interpolation: "hold" or "linear"                     |
/// | placement         |                                        | position [x y z], orientation [w x y z]               |
/// | shape             | geometry, material                     | name, X_BS, density, groups, collides_with            |
/// | pair of materials | first, second, friction, restitution   |                                                       |
///
/// | geometry.kind     | its keys                                                                                       |
/// |-------------------|------------------------------------------------------------------------------------------------|
/// | sphere            | radius                                                                                         |
/// | capsule, cylinder | radius, half_length                                                                            |
/// | box               | size [x y z], full edge lengths                                                                |
/// | half_space        |                                                                                                |
/// | convex_hull       | points, a list of [x y z]                                                                      |
/// | triangle_mesh     | file (relative to the scene file), scale; or vertices [x y z]… and triangles [a b c]… from 0   |
///
/// A triangle_mesh may also have "repair": true: duplicate corners are welded, triangles without area removed and all
/// turned outwards before it is checked (jade/geometry/mesh_repair.h), and `jade run --scene` lists what was changed.
/// With "normals": "smooth" (instead of "flat") it stands for a smooth convex surface: impacts act along an interpolated
/// normal, everything else keeps to the facets (jade/geometry/smooth_normal.h).
/// joint.kind: fixed, revolute, prismatic, screw, universal, planar, ball, free. Sets of groups are numbers from 0
/// to 4294967295. JSON has no infinity: wherever a number is expected the words "inf", "-inf" and "nan" are read
/// and written. Numbers are written with as many digits as it takes to read the same bits back. A key that keeps
/// its default is not written. Unknown and repeated keys are mistakes.

inline constexpr int kSceneSchema = 1;

/// The scene as indented JSON. Everything but `folder` comes back from `scene_from_json` bit for bit.
std::string scene_to_json(const SceneDescription& scene);

/// Throws InvalidInput that lists every mistake with its place in the text; `subject` names the text in the
/// error. Says nothing on whether the scene makes sense: that is `check_scene`.
SceneDescription scene_from_json(std::string_view text, const std::string& subject = "scene");

/// Reads a scene file and sets `folder` to the file's folder. Throws InvalidInput for its mistakes and
/// std::filesystem::filesystem_error when it cannot be read.
SceneDescription load_scene(const std::filesystem::path& path);

/// Writes the file whole or not at all. Throws std::filesystem::filesystem_error when it cannot be written.
void save_scene(const SceneDescription& scene, const std::filesystem::path& path);

}  // namespace jade
