// Aligned columns for people. On a narrow terminal the flexible columns give way, the widest
// first, and their cells lose the middle: names differ at both ends.
#pragma once

#include <cstddef>
#include <string>
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
  explicit Table(std::vector<Column> columns);

  // One per column. Cells show everything (base/escape.h), and very long ones lose their middle
  // wherever they are shown: one of them must not widen all rows.
  void add(std::vector<std::string> cells);
  // Lines without trailing blanks; columns without any text are left out. Width 0: no limit.
  std::string text(std::size_t width = 0) const;

 private:
  std::vector<std::size_t> fitted_widths(std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cambium::cli
