#pragma once

#include <CLI/CLI.hpp>

namespace jade::cli {

/// Adds `fuzz` to `jade gradient`.
void add_gradient_fuzz_command(CLI::App& gradient, int& exit_code);

}  // namespace jade::cli
