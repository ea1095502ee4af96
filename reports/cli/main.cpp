#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "jade/base/error.h"
#include "jade/base/suggest.h"
#include "jade/base/version.h"

namespace {

/// A first word that is no command is refused with the nearest one; CLI11 would only say that a command is missing.
void refuse_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  if (std::find(known.begin(), known.end(), argv[1]) != known.end()) return;
  const std::string name = argv[1];
  throw jade::InvalidInput("arguments",
                           {{"command \"" + name + "\"", "is unknown", jade::suggest(name, known)}});
}

}  // namespace

int main(int argc, char** argv) {
  using namespace jade;
  CLI::App app{"Jade: validation and benchmark suite for rigid-body contact physics", "jade"};
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  int exit_code = cli::kSuccess;
  cli::add_ccd_command(app, exit_code);
  cli::add_gradient_command(app, exit_code);
  cli::add_lcp_command(app, exit_code);
  cli::add_list_command(app, exit_code);
  cli::add_optimise_command(app, exit_code);
  cli::add_run_command(app, exit_code);
  cli::add_show_command(app, exit_code);
  cli::add_step_command(app, exit_code);
  try {
    refuse_unknown_command(app, argc, argv);
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
