#include "cli/table.h"

#include <gtest/gtest.h>

namespace cambium::cli {
namespace {

Table sample() {
  Table table({{"name", Column::Align::Left, true},
               {"never", Column::Align::Left, false},
               {"MACs", Column::Align::Right, false}});
  table.add({"layer1.0.conv1", "", "1.2 M"});
  table.add({"é", "", ""});
  return table;
}

TEST(Table, AlignsColumnsAndLeavesEmptyOnesOut) {
  EXPECT_EQ(sample().text(),
            "name             MACs\n"
            "layer1.0.conv1  1.2 M\n"
            "é\n");
}

TEST(Table, TakesTheMiddleOutOfWhatIsTooWide) {
  EXPECT_EQ(sample().text(17),
            "name         MACs\n"
            "layer…onv1  1.2 M\n"
            "é\n");
}

TEST(Table, NeverMakesAColumnUnreadable) {
  EXPECT_EQ(sample().text(3),
            "name       MACs\n"
            "laye…nv1  1.2 M\n"
            "é\n");
}

TEST(Table, ShowsNoControlCharacters) {
  Table table({{"", Column::Align::Left, false}});
  table.add({"a\nb\x1b[31m"});
  EXPECT_EQ(table.text(), "a\\x0ab\\x1b[31m\n");
  Table titled({{"\u202ename", Column::Align::Left, false}});
  titled.add({"x"});
  EXPECT_EQ(titled.text(), "\\u202ename\nx\n");
}

TEST(Table, OneLongCellDoesNotWidenAllRows) {
  Table table({{"", Column::Align::Right, false}});
  table.add({std::string(100'000, 'x')});
  table.add({"y"});
  EXPECT_LT(table.text().size(), 1200U);
}

// Widths are counted in columns of the terminal, not in characters.
TEST(Table, AlignsAndCutsWideCharactersAndMarks) {
  Table table({{"name", Column::Align::Left, true}, {"n", Column::Align::Right, false}});
  table.add({"中文中文中文", "1"});
  table.add({"e\u0301", "2"});
  EXPECT_EQ(table.text(0), "name          n\n中文中文中文  1\ne\u0301             2\n");
  EXPECT_EQ(table.text(12), "name       n\n中文…中文  1\ne\u0301          2\n");
}

}  // namespace
}  // namespace cambium::cli
