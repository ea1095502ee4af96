#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace jade::cli {

/// Where the programs of the peers stand: beside `jade` itself.
std::string peer_folder();

void add_lcp_fuzz_command(CLI::App& lcp, int& exit_code);

}  // namespace jade::cli
