#include "proxies/nasbench_table.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"

namespace cambium::bench {
namespace {

constexpr const char* kNames = "CIFAR10TestAccuracy200Epochs,More,ArchitectureString\n";
constexpr const char* kCell = "|none~0|+|none~0|none~1|+|none~0|none~1|skip_connect~2|";

class NasBenchTable : public testing::Test {
 protected:
  Result<std::vector<NasBenchRow>> read(const std::string& text) const {
    EXPECT_TRUE(write_file(path_, text).ok());
    return read_nasbench(path_);
  }
  std::string refusal(const std::string& text) const {
    const auto rows = read(text);
    EXPECT_FALSE(rows.ok()) << text;
    return rows.ok() ? "" : rows.rejection().message();
  }
  const ScratchFolder scratch_;
  const std::string path_ = scratch_.path() + "/table.csv";
};

TEST_F(NasBenchTable, IsReadByTheNamesOfItsColumns) {
  const auto rows = read(std::string(kNames) + "93.5,x," + kCell + "\r\n10,y," + kCell + "\n\n");
  ASSERT_TRUE(rows.ok()) << rows.rejection().message();
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ(rows->at(0).accuracy, 93.5);
  EXPECT_EQ(rows->at(1).cell.text(), kCell);
}

TEST_F(NasBenchTable, RefusesWhatIsNoSuchTableAndSaysWhere) {
  EXPECT_NE(refusal("a,b\n1,2\n").find("'ArchitectureString' is missing"), std::string::npos);
  EXPECT_NE(refusal(std::string(kNames) + "93.5,x," + kCell + "\n93.5\n").find("line 3"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(kNames) + "93.5,x,|oops~0|\n").find("line 2"), std::string::npos);
  EXPECT_NE(refusal(std::string(kNames) + "much,x," + kCell).find("not a"), std::string::npos);
  EXPECT_NE(refusal(std::string(kNames) + "101,x," + kCell).find("a percentage"),
            std::string::npos);
  EXPECT_NE(refusal(kNames).find("no cells"), std::string::npos);
  EXPECT_NE(refusal(std::string("\xFD"
                                "7zXZ") +
                    '\0')
                .find("xz -dk"),
            std::string::npos);
  EXPECT_EQ(read_nasbench(path_ + ".none").rejection().reason(), Reason::NotFound);
}

}  // namespace
}  // namespace cambium::bench
