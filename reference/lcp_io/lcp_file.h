#pragma once

#include <filesystem>
#include <string_view>

#include "lcp_io/lcp_json.h"

namespace jade::reference {

/// A plain LCP in the text format of Siconos (dense storage): the size, the storage type 0, rows and columns of M
/// twice, M by rows, q; anything after that is a remark. Throws InvalidInput that names the line.
LcpProblem parse_siconos_lcp(std::string_view text, std::string_view source);

/// A problem file, JSON when its first character is `{` and Siconos otherwise. Throws InvalidInput for what is in
/// the file and std::runtime_error when it cannot be read.
LcpProblem read_lcp_file(const std::filesystem::path& path);
LcpAnswer read_lcp_answer_file(const std::filesystem::path& path);

/// Writes whole or not at all. Throws std::runtime_error that names the file.
void write_lcp_file(const std::filesystem::path& path, const LcpProblem& problem, std::string_view comment);

}  // namespace jade::reference
