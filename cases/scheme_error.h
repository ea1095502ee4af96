#pragma once

#include <cmath>

// What a scheme's order promises on motion that turns at a rate ω: the remainders of its Taylor expansion, with every
// derivative of the motion at most ω times the one before. Known before anything is run.

namespace jade::cases {

/// Relative error of a second-order scheme a radian of motion. A step of length h adds up
///   ω³h³/24   forces at the middle of the step stand for all of it (midpoint rule)
///   ω³h³/12   the mean of both ends' velocities moves it (trapezoidal rule)
///   ω³h³/8    the middle is predicted along the tangent
/// over ω h radians: (ω h)²/4.
constexpr double second_order_error(double rate, double h) { return rate * h * rate * h / 4; }

/// The same of Euler's schemes: ω²h²/2 a step, which is ω h/2 a radian.
constexpr double first_order_error(double rate, double h) { return rate * h / 2; }

/// Errors of one sign add up radian by radian.
constexpr double steadily(double error, double radians) { return error * radians; }

/// An error that swings to and fro with the motion grows for half a turn and comes back.
constexpr double to_and_fro(double error) { return error * 3.141592653589793; }

/// In chaotic motion the errors of one radian and the next have nothing to do with each other: their sum grows with the
/// root of their number.
inline double as_random_walk(double error, double radians) { return error * std::sqrt(radians); }

}  // namespace jade::cases
