#pragma once

#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace jade::reports {

/// A table for people and for the report.
struct Table {
  using Cell = std::variant<std::string, long long, double>;
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;
};

std::string to_text(const Table::Cell& cell);

/// Columns lined up, numbers to the right, notes below.
std::string to_text(const Table& table);

/// {"title": …, "columns": […], "rows": [[…]], "notes": […]}
nlohmann::ordered_json to_json(const Table& table);

}  // namespace jade::reports
