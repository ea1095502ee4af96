/// Prints a hash of every bit that the engine computes on seeded worlds: one line per stage, so that a difference
/// between two builds, or two machines, says where it begins.

#include <bit>
#include <cstdint>

#include <fmt/core.h>

#include "generators/scene_growth.h"
#include "jade/dynamics/energy.h"
#include "jade/dynamics/forward_dynamics.h"
#include "jade/dynamics/inverse_dynamics.h"
#include "jade/dynamics/mass_matrix.h"
#include "jade/model/model.h"
#include "jade/stepping/propagate.h"

namespace jade {
namespace {

/// FNV-1a over the bytes of doubles, in order.
class Digest {
 public:
  void add(double x) {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) hash_ = (hash_ ^ (bits & 0xff)) * 0x100000001b3ULL;
  }
  void add(const auto& matrix) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      for (Eigen::Index i = 0; i < matrix.rows(); ++i) add(matrix(i, j));
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

void print(const char* stage, const Digest& digest) { fmt::print("{:<24}{:016x}\n", stage, digest.value()); }

void digest_dynamics() {
  Digest mass, inverse, forward, energy;
  for (std::uint64_t index = 0; index < 100; ++index) {
    const Model model = build_model(generators::random_scene(2, index, {.most_bodies = 20}));
    const State state = initial_state(model);
    const VecX effort = VecX::LinSpaced(model.nv(), -3, 3);
    mass.add(crba(model, state.q));
    inverse.add(inverse_dynamics(model, state, effort));
    forward.add(forward_dynamics(model, state, effort));
    energy.add(kinetic_energy(model, state));
    energy.add(potential_energy(model, state.q));
  }
  print("mass matrix", mass);
  print("inverse dynamics", inverse);
  print("forward dynamics", forward);
  print("energy", energy);
}

void digest_trajectories() {
  constexpr double h = 0.01;
  for (const Integrator integrator :
       {Integrator::explicit_euler, Integrator::semi_implicit_euler, Integrator::midpoint}) {
    Digest digest;
    for (std::uint64_t index = 0; index < 10; ++index) {
      const Model model = build_model(generators::random_scene(3, index, {}));
      State state = initial_state(model);
      for (int step = 0; step < 50; ++step) {
        state = propagate(model, state, controls_at(model, step * h, h), h, integrator);
        digest.add(state.q);
        digest.add(state.v);
      }
    }
    print(std::string(name_of(integrator)).c_str(), digest);
  }
}

}  // namespace
}  // namespace jade

int main() {
  jade::digest_dynamics();
  jade::digest_trajectories();
}
