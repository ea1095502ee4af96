#include "reference/adapter_main.h"

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "reference/protocol.h"

namespace jade::reference {

namespace {

std::string standard_input() {
  std::string text;
  std::array<char, 65536> buffer{};
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), stdin)) > 0;)
    text.append(buffer.data(), n);
  return text;
}

}  // namespace

int adapter_main(int argc, char** argv, const char* help, const WorldFactory& factory) {
  if (argc > 1) {
    const bool asked = std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h";
    fmt::print(asked ? stdout : stderr,
               "{}\nReads a request (JSON) from standard input and writes a recording "
               "(JSON lines) to standard output.\nIt takes no arguments; `jade run --engine` starts it.\n",
               help);
    return asked ? 0 : 2;
  }
  const auto write = [](const std::string& line) { fmt::print("{}\n", line); };
  RunRequest request;
  try {
    request = parse_request(standard_input());
  } catch (const std::exception& error) {
    write(end_line({.status = RunStatus::error, .reason = error.what()}));
    return 2;
  }
  const RunEnd end = run_world(
      factory, request,
      {.on_header = [&](const EngineInfo& info,
                        const std::vector<std::string>& bodies) { write(header_line(info, bodies)); },
       .on_frame = [&](const Frame& frame) { write(frame_line(frame)); }});
  write(end_line(end));
  return 0;
}

}  // namespace jade::reference
