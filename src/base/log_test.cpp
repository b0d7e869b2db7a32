#include "base/log.h"

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(Log, TalksOnStandardErrorOnlyAndFromTheLevelOn) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  log_debug("not yet {}");
  log_warning("100 % of {braces} stay");
  set_log_level(LogLevel::Error);
  log_warning("too quiet");
  log_error("loud");
  set_log_level(LogLevel::Info);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: 100 % of {braces} stay\nerror: loud\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Log, AMessageIsOneLine) {
  testing::internal::CaptureStderr();
  log_warning("node 'x\nerror: the disk fails'");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: node 'x\\x0aerror: the disk fails'\n");
}

TEST(Log, RefusesALevelThatDoesNotExist) {
  EXPECT_EQ(*parse_log_level("warning"), LogLevel::Warning);
  EXPECT_EQ(parse_log_level("loud").rejection().reason(), Reason::BadOption);
}

}  // namespace
}  // namespace cambium
