#pragma once

#include <compare>
#include <string>
#include <vector>

#include "jade/model/model.h"

namespace jade {

/// What a gradient can be taken by, besides state and effort.
enum class ParameterKind : unsigned char {
  inertia,  ///< index: body; component 0: mass, 1–3: first moment m c, 4–9: inertia xx yy zz xy xz yz, both about
            ///< the body's origin in its axes (the dynamics are linear in these ten numbers)
  friction,     ///< index: place in the scene's list of material pairs
  restitution,  ///< index: place in the scene's list of material pairs
  damping,      ///< index: velocity coordinate
  stiffness,    ///< index: velocity coordinate
  gravity,      ///< component: 0, 1, 2
  step_size,    ///< the time step; belongs to no model
};

/// The name of one number.
struct ParameterId {
  ParameterKind kind = ParameterKind::gravity;
  int index = 0;
  int component = 0;
  auto operator<=>(const ParameterId&) const = default;
};

struct ParameterValue {
  ParameterId id;
  double value = 0;
};

/// The inertia whose number `component` is one and whose others are zero.
SpatialInertia unit_inertia(int component);

/// All parameters of a model: inertias of bodies that can move, material pairs, damping, stiffness where a spring is
/// possible, gravity; step_size last.
std::vector<ParameterId> parameters_of(const Model& model);

/// The value in use. Throws InvalidInput for an id that the model does not have (step_size included).
double parameter_value(const Model& model, const ParameterId& id);

/// For people: `mass of "lid"`, `friction of "steel"/"wood"`, `damping of "elbow" [0]`, `gravity z`.
std::string name_of(const Model& model, const ParameterId& id);

}  // namespace jade
