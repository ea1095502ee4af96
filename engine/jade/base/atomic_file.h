#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace jade {

/// Writes a file whole or not at all: the text goes to a temporary file in the same folder, which then takes the
/// place of `path` in one move. Readers see the old file or the new one, never a part; a failure leaves the old
/// one and no rubbish. Throws std::filesystem::filesystem_error naming the path and the reason.
void write_file(const std::filesystem::path& path, std::string_view text);

/// The whole file. Throws std::filesystem::filesystem_error naming the path and the reason.
std::string read_file(const std::filesystem::path& path);

}  // namespace jade
