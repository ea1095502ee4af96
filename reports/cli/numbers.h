#pragma once

#include <CLI/CLI.hpp>

namespace jade::cli {

/// Checks of numbers for `->check(…)`. CLI11's own let "nan" pass and print the largest double in all its digits.
CLI::Validator positive();
CLI::Validator zero_or_more();

/// How long to wait for something, from a millisecond to a day.
CLI::Validator waiting_seconds();

/// As many threads as make sense; more would only run out of memory.
inline CLI::Range job_count() { return {1, 1024}; }

}  // namespace jade::cli
