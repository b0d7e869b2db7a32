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
  EXPECT_EQ(table.text(), "a?b?[31m\n");
}

}  // namespace
}  // namespace cambium::cli
