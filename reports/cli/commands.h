#pragma once

#include <CLI/CLI.hpp>

namespace jade::cli {

/// Each command adds itself to the app; its callback stores what the process will return in `exit_code`.
/// One file per command, named after it.
void add_ccd_command(CLI::App& app, int& exit_code);
void add_gradient_command(CLI::App& app, int& exit_code);
void add_lcp_command(CLI::App& app, int& exit_code);

void add_list_command(CLI::App& app, int& exit_code);
void add_optimise_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);
void add_show_command(CLI::App& app, int& exit_code);
void add_step_command(CLI::App& app, int& exit_code);

}  // namespace jade::cli
