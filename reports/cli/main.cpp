#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "cli/campaign_terminal.h"
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

/// What the command at hand does not take, each with the nearest option that it does take.
jade::InvalidInput unexpected_arguments(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  std::vector<jade::Mistake> mistakes;
  for (const std::string& argument : app.remaining(true)) {
    const std::string name = argument.substr(0, argument.find('='));
    if (name.starts_with('-')) {
      mistakes.push_back({name, "is unknown", jade::suggest(name, known)});
    } else {
      mistakes.push_back({"\"" + argument + "\"", "is not expected here", "leave it out"});
    }
  }
  return {"arguments", mistakes};
}

/// A stream that the caller closed must not lend its number to a file of ours, which would get what we print.
void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) std::exit(jade::cli::kEnvironment);
  }
}

/// Says what went wrong, unless it is that nobody reads any more (`jade list | head -1`).
int environment_failed(int reason, const char* what) {
  if (reason != EPIPE) fmt::print(stderr, "jade: {}\n", what);
  return jade::cli::kEnvironment;
}

int parse_and_run(CLI::App& app, int argc, char** argv, const int& exit_code) {
  using namespace jade;
  try {
    refuse_unknown_command(app, argc, argv);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ExtrasError&) {
      throw unexpected_arguments(app);
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kSuccess : cli::kUsage;
  } catch (const InvalidInput& error) {
    fmt::print(stderr, "jade: {}\n", error.what());
    return cli::kUsage;
  } catch (const std::system_error& error) {
    return environment_failed(error.code().value(), error.what());
  } catch (const std::exception& error) {
    return environment_failed(0, error.what());
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace jade;
  fill_closed_streams();
  // Writing where nobody reads is an error code and not our end: files are still written.
  std::signal(SIGPIPE, SIG_IGN);
  cli::end_children_with_us();
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
  const int outcome = parse_and_run(app, argc, argv, exit_code);
  if (std::fflush(stdout) != 0) return environment_failed(errno, "standard output: not all could be written");
  return outcome;
}
