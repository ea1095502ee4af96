#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "jade/base/atomic_file.h"
#include "reports/suite_run.h"

namespace jade::reports {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string cell(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  if (value.is_null()) return "–";
  return value.dump();
}

BenchmarkTable read_table(const fs::path& path) {
  const Json json = Json::parse(read_file(path));
  BenchmarkTable table;
  table.title = json.at("title").get<std::string>();
  table.columns = json.at("columns").get<std::vector<std::string>>();
  for (const Json& row : json.at("rows")) {
    std::vector<std::string> cells;
    for (const Json& value : row) cells.push_back(cell(value));
    if (cells.size() != table.columns.size()) {
      throw std::runtime_error(
          fmt::format("a row has {} cells for {} columns", cells.size(), table.columns.size()));
    }
    table.rows.push_back(std::move(cells));
  }
  if (json.contains("notes")) table.notes = json.at("notes").get<std::vector<std::string>>();
  return table;
}

}  // namespace

std::vector<BenchmarkTable> load_benchmark_tables(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<BenchmarkTable> tables;
  for (const fs::path& path : paths) {
    BenchmarkTable table;
    try {
      table = read_table(path);
    } catch (const std::exception& error) {
      table = {.title = path.filename().string(),
               .notes = {fmt::format("This file is no table: {}", error.what())}};
    }
    table.file = path.filename().string();
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace jade::reports
