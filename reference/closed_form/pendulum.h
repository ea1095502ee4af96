#pragma once

namespace jade::closed_form {

/// A plane pendulum released at rest at `amplitude` (radians from hanging, below π) without friction:
///   θ'' = −ω² sin θ,   k = sin(amplitude/2)
///   sin(θ/2) = k cd(ω t, k),   θ' = −2 ω k k' sd(ω t, k),   period T = 4 K(k) / ω
/// with cd = cn/dn and sd = sn/dn. `rate` is ω, the rate of small swings: √(m g l / (I + m l²)).
struct Pendulum {
  double rate = 1;
  double amplitude = 1;

  double angle(double t) const;
  double angle_rate(double t) const;
  double period() const;
};

}  // namespace jade::closed_form
