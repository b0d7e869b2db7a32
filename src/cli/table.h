// Aligned columns. On a narrow terminal flexible columns shrink, the widest first. Their cells lose
// the middle, because names differ at both ends.
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

inline constexpr Column::Align kLeft = Column::Align::Left;
inline constexpr Column::Align kRight = Column::Align::Right;

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  // Takes one cell per column. Control characters become visible (base/escape.h). Very long cells
  // always lose their middle, so that one cell does not widen all rows.
  void add(std::vector<std::string> cells);
  // The lines without trailing blanks. Columns without text are omitted. Width 0 means no limit.
  std::string text(std::size_t width = 0) const;

 private:
  std::vector<std::size_t> fitted_widths(std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace cambium::cli
