#include "cli/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/columns.h"
#include "base/escape.h"
#include "base/utf8.h"

namespace cambium::cli {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // a flexible column does not become narrower
constexpr std::size_t kWidest = 500;

void append_cell(std::string& line, const std::string& text, std::size_t width,
                 Column::Align align) {
  const std::string blanks(width - count_columns(text), ' ');
  line += align == Column::Align::Left ? text + blanks : blanks + text;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = shortened(terminal_text(column.title), kWidest);
}

void Table::add(std::vector<std::string> cells) {
  CAMBIUM_CHECK(cells.size() == columns_.size(), "a row has one cell per column");
  for (std::string& cell : cells) cell = shortened(terminal_text(cell), kWidest);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::fitted_widths(std::size_t limit) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], count_columns(row[i]));
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0) widths[i] = std::max(widths[i], count_columns(columns_[i].title));
  }
  const auto shown = std::count_if(widths.begin(), widths.end(), [](auto w) { return w > 0; });
  const std::size_t gaps = shown > 1 ? (static_cast<std::size_t>(shown) - 1) * kGap : 0;
  while (limit > 0 && std::accumulate(widths.begin(), widths.end(), gaps) > limit) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!columns_[i].flexible || widths[i] <= kNarrowest) continue;
      if (widest == columns_.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string Table::text(std::size_t width) const {
  const std::vector<std::size_t> widths = fitted_widths(width);
  std::string out;
  const auto print = [&](const auto& cell_of) {
    std::string line;
    bool first = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      if (!first) line.append(kGap, ' ');
      first = false;
      append_cell(line, shortened_to_columns(cell_of(i), widths[i]), widths[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  if (rows_.empty()) return out;
  const bool titled = std::any_of(columns_.begin(), columns_.end(),
                                  [](const Column& column) { return !column.title.empty(); });
  if (titled) print([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) print([&](std::size_t i) { return row[i]; });
  return out;
}

}  // namespace cambium::cli
