#include "lcp_io/lcp_file.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>

namespace jade::reference {
namespace {

/// Numbers between white space, with the line they stand on.
class NumberScanner {
 public:
  NumberScanner(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  double number(const std::string& what) {
    skip_space();
    const std::string_view word = next_word();
    double value = 0;
    // from_chars knows no leading plus sign.
    const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
      const std::string found =
          word.empty() ? "the text ends" : fmt::format("`{}` is not a finite number", word);
      refuse(found, fmt::format("give {} here", what));
    }
    return value;
  }

  int size(const std::string& what) {
    const double value = number(what);
    constexpr double largest = 100'000;  // a dense matrix of that size is far beyond any memory
    if (value != std::floor(value) || value < 0 || value > largest) {
      refuse(fmt::format("{} is no size", value), fmt::format("give {} as a whole number ≥ 0", what));
    }
    return static_cast<int>(value);
  }

  [[noreturn]] void refuse(std::string problem, std::string remedy) const {
    throw InvalidInput(std::string(source_),
                       {{fmt::format("line {}", line_), std::move(problem), std::move(remedy)}});
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) line_ += text_[at_++] == '\n';
  }
  std::string_view next_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  std::string_view text_, source_;
  std::size_t at_ = 0;
  int line_ = 1;
};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw std::runtime_error(fmt::format(
        "{}: cannot be read; check that the file exists, is not empty and is readable", path.string()));
  }
  return text.str();
}

}  // namespace

LcpProblem parse_siconos_lcp(std::string_view text, std::string_view source) {
  NumberScanner scanner(text, source);
  LcpProblem problem;
  problem.form = LcpForm::plain;
  const int n = scanner.size("the size of the problem");
  if (scanner.size("the storage type") != 0) {
    scanner.refuse("the matrix is not stored densely", "write it with storage type 0");
  }
  for (const char* what :
       {"the rows of M", "the columns of M", "the rows of M again", "the columns of M again"}) {
    if (const int size = scanner.size(what); size != n) {
      scanner.refuse(fmt::format("{} are {}, the problem has size {}", what, size, n),
                     "M is square of that size");
    }
  }
  problem.A.resize(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) problem.A(i, j) = scanner.number(fmt::format("M[{}][{}]", i, j));
  }
  problem.b.resize(n);
  for (int i = 0; i < n; ++i) problem.b[i] = scanner.number(fmt::format("q[{}]", i));
  return problem;
}

LcpProblem read_lcp_file(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') return parse_lcp_json(text, path.string());
  return parse_siconos_lcp(text, path.string());
}

LcpAnswer read_lcp_answer_file(const std::filesystem::path& path) {
  return parse_lcp_answer(read_text(path), path.string());
}

void write_lcp_file(const std::filesystem::path& path, const LcpProblem& problem, std::string_view comment) {
  // Beside the target, so that the rename is one step on the same file system.
  std::filesystem::path unfinished = path;
  unfinished += ".unfinished";
  std::ofstream file(unfinished, std::ios::binary);
  file << to_json_line(problem, comment) << '\n';
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(unfinished, path, error);
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw std::runtime_error(
        fmt::format("{}: cannot be written; check the folder and the free space", path.string()));
  }
}

}  // namespace jade::reference
