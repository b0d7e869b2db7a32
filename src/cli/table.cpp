#include "cli/table.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace cambium::cli {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // a flexible column is not made smaller
constexpr std::string_view kEllipsis = "…";

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Characters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

// The byte at which character `count` begins.
std::size_t offset_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && continues_character(text[at])) ++at;
    --count;
  }
  return at;
}

std::string shortened(const std::string& text, std::size_t width) {
  const std::size_t have = width_of(text);
  if (have <= width) return text;
  const std::size_t tail = (width - 1) / 2, head = width - 1 - tail;
  return text.substr(0, offset_of(text, head)) + std::string(kEllipsis) +
         text.substr(offset_of(text, have - tail));
}

void append_cell(std::string& line, const std::string& text, std::size_t width,
                 Column::Align align) {
  const std::string blanks(width - width_of(text), ' ');
  line += align == Column::Align::Left ? text + blanks : blanks + text;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  CAMBIUM_CHECK(cells.size() == columns_.size(), "a row has one cell per column");
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::fitted_widths(std::size_t limit) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0) widths[i] = std::max(widths[i], width_of(columns_[i].title));
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
      append_cell(line, shortened(cell_of(i), widths[i]), widths[i], columns_[i].align);
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

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

}  // namespace cambium::cli
