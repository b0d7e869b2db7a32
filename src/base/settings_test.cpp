#include "base/settings.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace cambium {
namespace {

struct Fixture {
  double share = 0.5;
  std::int64_t count = 3;
  bool is_on = false;
  double most = 3;

  Status read(const SettingList& list) { return settings().read(list); }
  Settings settings() {
    Settings settings("the test");
    settings.real("share", share, 0, 1, "how much")
        .whole("count", count, 1, 10)
        .yes_no("on", is_on)
        .limit("most", most);
    return settings;
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
  ASSERT_TRUE(f.read({{"most", "0.5"}}).ok());
  EXPECT_EQ(f.most, 0.5);
  ASSERT_TRUE(f.read({{"most", "none"}}).ok());
  EXPECT_TRUE(std::isinf(f.most));
}

TEST(Settings, DescribesEachWithItsDefault) {
  Fixture f;
  const std::vector<SettingInfo> all = f.settings().list();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "share");
  EXPECT_EQ(all[0].meaning, "how much");
  EXPECT_EQ(all[0].values, "a number from 0 to 1");
  EXPECT_EQ(all[0].standard, "0.5");
  EXPECT_EQ(all[2].values, "yes or no");
  // What is listed as the default can be given.
  for (const SettingInfo& one : all) {
    EXPECT_TRUE(f.read({{one.name, one.standard}}).ok()) << one.name;
  }
  f.most = std::numeric_limits<double>::infinity();
  EXPECT_EQ(f.settings().list()[3].standard, "none");
}

TEST(Settings, TakesAnyNameButNone) {
  std::string metric = "latency";
  Settings settings("the test");
  settings.name("cost", metric, "the name of a value");
  ASSERT_TRUE(settings.read({{"cost", "macs"}}).ok());
  EXPECT_EQ(metric, "macs");
  EXPECT_EQ(settings.list().at(0).standard, "macs");
  EXPECT_EQ(settings.read({{"cost", ""}}).rejection().message(),
            "cost: expected the name of a value, found ''");
  EXPECT_EQ(metric, "macs");
}

TEST(Settings, RefusesNamesAndValuesThatAreNone) {
  Fixture f;
  EXPECT_EQ(f.refusal({{"shares", "0.25"}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"share", "1.25"}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"share", ""}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"count", "2.5"}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"count", "0"}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"on", "maybe"}}), Reason::BadOption);
  EXPECT_EQ(f.refusal({{"most", "-1"}}), Reason::BadOption);
  EXPECT_EQ(f.read({{"shares", "1"}}).rejection().message(),
            "shares: the test has the settings share, count, on, most");
  EXPECT_EQ(f.read({{"count", "11"}}).rejection().message(),
            "count: expected a whole number from 1 to 10, found '11'");
}

}  // namespace
}  // namespace cambium
