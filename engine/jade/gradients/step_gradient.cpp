#include "jade/gradients/step_gradient.h"

#include <stdexcept>

namespace jade {

struct GradientWorkspace::Data {};
GradientWorkspace::GradientWorkspace(const Model&) : data_(std::make_unique<Data>()) {}
GradientWorkspace::~GradientWorkspace() = default;
GradientWorkspace::GradientWorkspace(GradientWorkspace&&) noexcept = default;

void Regularity::merge(const Regularity& other) {
  regular = regular && other.regular;
  const bool worse = exists != other.exists ? exists : other.distance < distance;
  if (worse) {
    distance = other.distance;
    why = other.why;
  }
  exists = exists && other.exists;
}

void step_jacobian(const Model&, const StepTrace&, const std::vector<ParameterId>&, GradientWorkspace&,
                   StepJacobian&) {
  throw std::logic_error("step_jacobian is not there yet");
}

void step_vjp(const Model&, const StepTrace&, const std::vector<ParameterId>&, const StepCotangent&,
              GradientWorkspace&, StepPullback&) {
  throw std::logic_error("step_vjp is not there yet");
}

}  // namespace jade
