#include "reference/engines.h"

#include <cstdlib>
#include <filesystem>

#include "reference/engine_process.h"
#include "reference/jade_world.h"

namespace jade::reference {
namespace {

namespace fs = std::filesystem;

/// Adapters lie in the folder `adapters` beside the program that is running, or where JADE_ADAPTERS says.
fs::path adapter_folder() {
  if (const char* folder = std::getenv("JADE_ADAPTERS"); folder != nullptr) return folder;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path beside = self.parent_path() / "adapters";
    if (fs::exists(beside, error)) return beside;
  }
  return JADE_ADAPTERS_OF_BUILD;
}

std::string quoted(const std::string& text) {
  std::string quoted_text = "'";
  for (const char c : text) quoted_text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted_text + "'";
}

Engine in_process(const std::string& name, const std::string& description) {
  return {name, description, true, "", [name](RunRequest request) {
            request.engine = name;
            return record(make_jade_world, request);
          }};
}

Engine adapter(const std::string& name, const std::string& description, const std::string& program,
               const std::string& package) {
  const fs::path path = adapter_folder() / program;
  Engine engine = command_engine(name, "exec " + quoted(path.string()));
  engine.description = description;
  std::error_code error;
  if (!fs::exists(path, error)) {
    engine.missing = "no adapter at " + path.string() + ": install " + package + " and build again";
  }
  return engine;
}

}  // namespace

std::vector<Engine> known_engines() {
  return {
      in_process("jade", "this project's engine, midpoint rule (its default)"),
      in_process("jade:semi_implicit_euler", "this project's engine, the scheme most engines use"),
      in_process("jade:explicit_euler", "this project's engine, the scheme of the paper"),
      adapter("bullet", "Bullet in double precision, maximal coordinates, sequential impulses", "jade-bullet",
              "libbullet-dev"),
      adapter("bullet:dantzig", "the same with Bullet's MLCP solver (Dantzig)", "jade-bullet",
              "libbullet-dev"),
      adapter("bullet:multibody", "Bullet in double precision, reduced coordinates (btMultiBody)",
              "jade-bullet", "libbullet-dev"),
  };
}

Engine command_engine(const std::string& name, const std::string& command, double timeout_seconds) {
  return {name, "command: " + command, false, "", [=](RunRequest request) {
            request.engine = name;
            return run_engine_process(command, request, {.timeout_seconds = timeout_seconds});
          }};
}

}  // namespace jade::reference
