#include "base/fingerprint.h"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cambium {
namespace {

// The digits are part of every file that Cambium writes: a change here is a change of format.
TEST(Fingerprint, IsTheSameOnEveryMachineAndInEveryBuild) {
  EXPECT_EQ(fingerprint_of(1, 2, 3).text(), fingerprint_of(1L, 2UL, short{3}).text());
  EXPECT_EQ(fingerprint_of("conv", 3, 0.5).text(), "d63d5d74342f45d4dcc7ed4dbe52ae78");
}

TEST(Fingerprint, TextRoundTrips) {
  const Fingerprint f = fingerprint_of("x", 7);
  EXPECT_EQ(*Fingerprint::parse(f.text()), f);
  EXPECT_FALSE(Fingerprint::parse("12").ok());
  EXPECT_FALSE(Fingerprint::parse(std::string(32, 'g')).ok());
}

TEST(Fingerprint, DependsOnOrderAndGrouping) {
  EXPECT_NE(fingerprint_of(1, 2), fingerprint_of(2, 1));
  EXPECT_NE(Hasher().add_range(std::vector{1}).add_range(std::vector{2, 3}).done(),
            Hasher().add_range(std::vector{1, 2}).add_range(std::vector{3}).done());
  EXPECT_NE(fingerprint_of(0.0), fingerprint_of(-0.0));
  EXPECT_EQ(fingerprint_of(std::nan("1")), fingerprint_of(-std::nan("2")));
}

TEST(Fingerprint, DoesNotCollideOnSmallInputs) {
  std::set<Fingerprint> seen;
  for (int a = 0; a < 200; ++a) {
    for (int b = 0; b < 200; ++b) seen.insert(fingerprint_of(a, b));
  }
  EXPECT_EQ(seen.size(), 40000u);
}

}  // namespace
}  // namespace cambium
