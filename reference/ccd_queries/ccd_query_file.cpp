#include "ccd_queries/ccd_query_file.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "jade/base/atomic_file.h"
#include "jade/base/error.h"

namespace jade::reference {
namespace {

constexpr std::size_t kRowsPerQuery = 8;
constexpr std::size_t kColumns = 7;
constexpr std::size_t kMistakesListed = 20;

struct Row {
  int line = 0;
  std::array<std::string_view, kColumns> fields;
};

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_integer(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "" if the row can be used.
std::string split_row(std::string_view text, Row& row) {
  std::size_t count = 0;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    if (count < kColumns) row.fields[count] = trimmed(text.substr(from, comma - from));
    ++count;
    from = comma + 1;
  }
  if (count != kColumns) return fmt::format("has {} columns", count);
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (!is_integer(row.fields[i])) return fmt::format("has \"{}\" in column {}", row.fields[i], i + 1);
  }
  for (const std::size_t i : {1, 3, 5}) {
    if (row.fields[i].find_first_not_of("-0") == std::string_view::npos) {
      return fmt::format("has the denominator 0 in column {}", i + 1);
    }
  }
  if (row.fields[6] != "0" && row.fields[6] != "1")
    return fmt::format("states the truth \"{}\"", row.fields[6]);
  return "";
}

/// The rows of a file, and what is wrong with them.
struct Rows {
  std::vector<Row> rows;
  std::vector<Mistake> mistakes;
};

Rows split_rows(std::string_view text) {
  Rows result;
  int line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    if (content.empty()) continue;
    Row row{.line = line, .fields = {}};
    if (const std::string problem = split_row(content, row); !problem.empty()) {
      result.mistakes.push_back(
          {fmt::format("line {}", line), problem,
           "write seven integers: numerator and denominator of x, y and z, then 0 or 1"});
    }
    result.rows.push_back(row);
  }
  return result;
}

RecordedQuery to_query(const Row* rows, CcdKind kind) {
  RationalCcdQuery rational;
  rational.kind = kind;
  for (std::size_t i = 0; i < kRowsPerQuery; ++i) {
    auto& point = (i < 4 ? rational.start : rational.end)[i % 4];
    for (std::size_t k = 0; k < 3; ++k) {
      point[k] = {std::string(rows[i].fields[2 * k]), std::string(rows[i].fields[2 * k + 1])};
    }
  }
  RecordedQuery recorded;
  recorded.truth = rows[0].fields[6] == "1";
  recorded.line = rows[0].line;
  if (!to_doubles(rational, recorded.query)) {
    recorded.rational = std::make_unique<const RationalCcdQuery>(std::move(rational));
  }
  return recorded;
}

}  // namespace

std::vector<RecordedQuery> read_ccd_queries(const std::filesystem::path& path, CcdKind kind) {
  const std::string text = read_file(path);
  auto [rows, mistakes] = split_rows(text);
  if (mistakes.empty()) {
    for (std::size_t i = 0; i + kRowsPerQuery <= rows.size(); i += kRowsPerQuery) {
      const auto differs = [&truth = rows[i].fields[6]](const Row& row) { return row.fields[6] != truth; };
      const auto first = rows.begin() + static_cast<std::ptrdiff_t>(i);
      const auto odd = std::find_if(first, first + kRowsPerQuery, differs);
      if (odd == first + kRowsPerQuery) continue;
      mistakes.push_back({fmt::format("line {}", odd->line),
                          fmt::format("states another truth than line {} of the same query", rows[i].line),
                          "give the eight rows of a query the same truth"});
    }
    if (rows.size() % kRowsPerQuery != 0) {
      mistakes.push_back({fmt::format("line {}", rows.back().line),
                          fmt::format("ends the file in the middle of a query ({} rows)", rows.size()),
                          "give eight rows for every query"});
    }
  }
  if (mistakes.size() > kMistakesListed) {
    const std::size_t more = mistakes.size() - kMistakesListed;
    mistakes.resize(kMistakesListed);
    mistakes.push_back({"further lines", fmt::format("have {} more mistakes", more), "mend these first"});
  }
  if (!mistakes.empty()) throw InvalidInput(fmt::format("query file \"{}\"", path.string()), mistakes);

  std::vector<RecordedQuery> queries;
  queries.reserve(rows.size() / kRowsPerQuery);
  for (std::size_t i = 0; i < rows.size(); i += kRowsPerQuery) queries.push_back(to_query(&rows[i], kind));
  return queries;
}

std::optional<CcdKind> kind_from_path(const std::filesystem::path& path) {
  std::optional<CcdKind> kind;
  for (const auto& part : path) {
    if (part.string().find("vertex-face") != std::string::npos) kind = CcdKind::vertex_face;
    if (part.string().find("edge-edge") != std::string::npos) kind = CcdKind::edge_edge;
  }
  return kind;
}

}  // namespace jade::reference
