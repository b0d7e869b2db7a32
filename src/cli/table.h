// Aligned columns for people. On a narrow terminal the flexible columns give way, the widest
// first, and their cells lose the middle: names differ at both ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cambium::cli {

struct Column {
  enum class Align { Left, Right };
  std::string title;
  Align align = Align::Left;
  bool flexible = false;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);  // one per column
  // Lines without trailing blanks; columns without any text are left out. Width 0: no limit.
  std::string text(std::size_t width = 0) const;

 private:
  std::vector<std::size_t> fitted_widths(std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Text in one line and without control characters, as far as a terminal is concerned.
std::string printable(std::string_view text);

}  // namespace cambium::cli
