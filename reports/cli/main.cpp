#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "jade/base/error.h"
#include "jade/base/version.h"

int main(int argc, char** argv) {
  using namespace jade;
  CLI::App app{"Jade: validation and benchmark suite for rigid-body contact physics"};
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  int exit_code = cli::kSuccess;
  cli::add_lcp_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kSuccess : cli::kUsage;
  } catch (const InvalidInput& error) {
    fmt::print(stderr, "jade: {}\n", error.what());
    return cli::kUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "jade: {}\n", error.what());
    return cli::kEnvironment;
  }
  return exit_code;
}
