#include "cli/progress.h"

#include <gtest/gtest.h>

namespace cambium::cli {
namespace {

TEST(Progress, SaysHowMuchTimeIsLeft) {
  EXPECT_EQ(progress_text("images", 4500, 10000, 9), "4500 of 10000 images, 45 %, 11 s left");
  EXPECT_EQ(progress_text("images", 100, 10000, 10), "100 of 10000 images, 1 %, 16 min 30 s left");
  EXPECT_EQ(progress_text("images", 1, 10000, 10), "1 of 10000 images, 0 %, 27 h 46 min left");
}

TEST(Progress, FillsABar) {
  EXPECT_EQ(bar_text(0, 10), std::string(24, '.'));
  EXPECT_EQ(bar_text(5, 10), std::string(12, '#') + std::string(12, '.'));
  EXPECT_EQ(bar_text(10, 10), std::string(24, '#'));
  EXPECT_EQ(bar_text(0, 0), std::string(24, '.'));
  EXPECT_EQ(bar_text(12, 10),
            std::string(24, '#'));  // more jobs were running than are requested now
}

TEST(Progress, SaysNothingOfTimeAtTheStartAndAtTheEnd) {
  EXPECT_EQ(progress_text("images", 0, 10, 5), "0 of 10 images, 0 %");
  EXPECT_EQ(progress_text("images", 10, 10, 5), "10 of 10 images, 100 %");
}

}  // namespace
}  // namespace cambium::cli
