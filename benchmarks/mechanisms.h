#pragma once

#include "jade/model/scene_description.h"

namespace jade::benchmarks {

/// Seven hinges in a row, axes across each other as in an industrial arm.
SceneDescription arm();

/// A floating torso with two legs of six, two arms of seven, a waist of three hinges and a head of one: 36 velocities.
SceneDescription humanoid();

/// Links on hinges, one after the other.
SceneDescription chain(int links);

}  // namespace jade::benchmarks
