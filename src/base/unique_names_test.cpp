#include "base/unique_names.h"

#include <set>

#include <gtest/gtest.h>

namespace cambium {
namespace {

TEST(UniqueNames, NumbersWhatIsTaken) {
  UniqueNames names;
  EXPECT_EQ(names.unique("a"), "a");
  EXPECT_EQ(names.unique("a_2"), "a_2");
  EXPECT_EQ(names.unique("a"), "a_3");
  EXPECT_EQ(names.unique("a"), "a_4");
  EXPECT_EQ(names.unique("a_2"), "a_2_2");
  EXPECT_FALSE(names.take("a_4"));
  EXPECT_TRUE(names.take("b"));
  UniqueNames dotted(".");
  EXPECT_EQ(dotted.unique("a"), "a");
  EXPECT_EQ(dotted.unique("a"), "a.2");
}

// A file may call all its nodes the same: each name is found without trying all before it.
TEST(UniqueNames, TakesManyOfOneName) {
  UniqueNames names;
  std::set<std::string> all;
  for (int i = 0; i < 200'000; ++i) all.insert(names.unique("x"));
  EXPECT_EQ(all.size(), 200'000U);
}

}  // namespace
}  // namespace cambium
