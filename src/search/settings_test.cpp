#include "search/settings.h"

#include <gtest/gtest.h>

namespace cambium::search {
namespace {

struct Fixture {
  double share = 0.5;
  std::int64_t count = 3;
  bool is_on = false;

  Status read(const SettingList& list) {
    Settings settings;
    settings.real("share", share, 0, 1).whole("count", count, 1, 10).yes_no("on", is_on);
    return settings.read(list);
  }
  Reason refusal(const SettingList& list) {
    const Status status = read(list);
    return status.ok() ? Reason::NotFound : status.rejection().reason();
  }
};

TEST(Settings, TakesWhatIsGivenAndLeavesTheRest) {
  Fixture f;
  ASSERT_TRUE(f.read({{"share", "0.25"}, {"on", "yes"}, {"share", "0.75"}}).ok());
  EXPECT_EQ(f.share, 0.75);
  EXPECT_EQ(f.count, 3);
  EXPECT_TRUE(f.is_on);
  ASSERT_TRUE(f.read({{"count", "10"}, {"on", "0"}}).ok());
  EXPECT_EQ(f.count, 10);
  EXPECT_FALSE(f.is_on);
}

TEST(Settings, RefusesNamesAndValuesThatAreNone) {
  Fixture f;
  EXPECT_EQ(f.refusal({{"shares", "0.25"}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"share", "1.25"}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"share", ""}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"count", "2.5"}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"count", "0"}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"on", "maybe"}}), Reason::BadOption);
  EXPECT_EQ(f.read({{"count", "11"}}).rejection().message(),
            "count: expected a whole number from 1 to 10, found '11'");
}

}  // namespace
}  // namespace cambium::search
