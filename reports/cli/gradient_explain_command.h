#pragma once

#include <CLI/CLI.hpp>

namespace jade::cli {

/// Adds `explain` to `jade gradient`.
void add_gradient_explain_command(CLI::App& gradient, int& exit_code);

}  // namespace jade::cli
