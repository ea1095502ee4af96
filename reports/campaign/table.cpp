#include "campaign/table.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jade::reports {
namespace {

/// Characters, not bytes: continuation bytes of UTF-8 do not count.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string to_text(const Table::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<long long>(&cell)) return fmt::format("{}", *count);
  return fmt::format("{:.3g}", std::get<double>(cell));
}

std::string to_text(const Table& table) {
  std::vector<std::size_t> width;
  for (const std::string& column : table.columns) width.push_back(width_of(column));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], width_of(to_text(row[i])));
  }
  std::string text = table.title + "\n";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    text += fmt::format("{}{:<{}}", i == 0 ? "" : "  ", table.columns[i], width[i]);
  }
  for (const auto& row : table.rows) {
    text += "\n";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool words = std::holds_alternative<std::string>(row[i]);
      const std::string cell = to_text(row[i]);
      text += i == 0 ? "" : "  ";
      text += words ? fmt::format("{:<{}}", cell, width[i]) : fmt::format("{:>{}}", cell, width[i]);
    }
  }
  text += "\n";
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

nlohmann::ordered_json to_json(const Table& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto cells = nlohmann::ordered_json::array();
    for (const Table::Cell& cell : row) std::visit([&](const auto& value) { cells.push_back(value); }, cell);
    rows.push_back(std::move(cells));
  }
  return {
      {"title", table.title}, {"columns", table.columns}, {"rows", std::move(rows)}, {"notes", table.notes}};
}

}  // namespace jade::reports
