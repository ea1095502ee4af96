#pragma once

namespace jade::closed_form {

/// Jacobi's elliptic functions of argument u and modulus k in [0, 1).
struct Jacobi {
  double sn = 0, cn = 1, dn = 1;
};

/// By descending Landen transformations (arithmetic-geometric mean), accurate to a few roundings:
///   a₀ = 1, b₀ = k', c₀ = k;  aₙ₊₁ = (aₙ + bₙ)/2, bₙ₊₁ = √(aₙ bₙ), cₙ₊₁ = (aₙ − bₙ)/2 until c vanishes;
///   φ_N = 2ᴺ a_N u;  sin(2φₙ₋₁ − φₙ) = (cₙ/aₙ) sin φₙ;  sn = sin φ₀, cn = cos φ₀, dn = √(1 − k² sn²)
/// Abramowitz and Stegun, Handbook of Mathematical Functions, 16.4.
Jacobi jacobi(double u, double k);

/// Quarter period K(k) of sn and cn.
double quarter_period(double k);

}  // namespace jade::closed_form
