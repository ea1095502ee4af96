#pragma once

#include "generators/contact_scene.h"

namespace jade::generators {

/// The scenes behind the families. Each has exactly `contacts` contacts, b = J u in the range of J, z up and a
/// velocity that includes one time step of gravity.

enum class BoxMotion { sliding, sticking, twisting };
ContactScene box_on_plane(RandomStream& random, int contacts, BoxMotion motion);

/// Boxes in a line on the ground, each touching the next; the first one is pushed.
ContactScene row_of_boxes(RandomStream& random, int contacts);

/// Boxes on top of each other, four contacts a layer.
ContactScene stack_of_boxes(RandomStream& random, int contacts);

/// A body in a groove of two or three steep planes, μ from 0.8 to 2.
ContactScene wedge(RandomStream& random, int contacts);

/// A thin plate between fingers that press from both sides while it is pulled out.
ContactScene pinched_plate(RandomStream& random, int contacts);

/// A wall of boxes: every box touches its neighbours, the lowest ones the ground.
ContactScene grid_of_boxes(RandomStream& random, int contacts);

/// Unit cubes, dyadic numbers, aligned axes: forces, velocities and steps tie exactly.
ContactScene tied_cubes(RandomStream& random, int contacts);

/// Balls that touch like a tree, so that J has full row rank and any b is in its range.
ContactScene tree_of_balls(RandomStream& random, int contacts);

/// Contacts of another scene repeated bit by bit until there are `contacts`.
ContactScene duplicated_contacts(RandomStream& random, int contacts);

/// Gives every body a mass between 0.01 and 100: ratios up to 1e4, inertia scaled alike.
void spread_masses(ContactScene& scene, RandomStream& random);

}  // namespace jade::generators
