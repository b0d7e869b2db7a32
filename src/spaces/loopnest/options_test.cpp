#include "spaces/loopnest/options.h"

#include <gtest/gtest.h>

namespace cambium::spaces::loopnest {
namespace {

TEST(Options, AreReadByName) {
  LoopNestOptions options;
  ASSERT_TRUE(settings_of(options)
                  .read({{"most-factor", "4"},
                         {"outputs", "no"},
                         {"rows", "no"},
                         {"steps", "2"},
                         {"original", "0.25"},
                         {"tie", "stage"},
                         {"list-steps", "3"}})
                  .ok());
  EXPECT_EQ(options.most_factor, 4);
  EXPECT_EQ(options.steps, 2);
  EXPECT_EQ(options.original, 0.25);
  EXPECT_EQ(options.tie, "stage");
  EXPECT_EQ(options.list_steps, 3);
  const schedule::MoveLimits limits = options.limits();
  EXPECT_EQ(limits.most_factor, 4);
  EXPECT_FALSE(limits.narrows_outputs);
  EXPECT_FALSE(limits.space);
  EXPECT_TRUE(limits.slabs);
  EXPECT_TRUE(check_options(options).ok());
}

TEST(Options, RefuseOtherValues) {
  LoopNestOptions options;
  for (const auto& [name, value] : SettingList{{"most-factor", "1"},
                                               {"steps", "0"},
                                               {"original", "2"},
                                               {"slabs", "maybe"},
                                               {"no such", "1"}}) {
    EXPECT_FALSE(settings_of(options).read({{name, value}}).ok()) << name;
  }
  options.tie = "colour";
  const Status refused = check_options(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::BadOption);
}

TEST(Options, TiedLayersKeepTheirChannels) {
  LoopNestOptions options;
  EXPECT_TRUE(options.limits().narrows_outputs);
  options.tie = "shape";
  EXPECT_FALSE(options.limits().narrows_outputs);
}

}  // namespace
}  // namespace cambium::spaces::loopnest
