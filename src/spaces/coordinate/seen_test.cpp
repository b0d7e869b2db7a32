#include "spaces/coordinate/seen.h"

#include <set>

#include <gtest/gtest.h>

#include "spaces/coordinate/document.h"

namespace cambium::spaces::coordinate {
namespace {

// At the first binding s^2 and C/g are both 4: operators that differ in them agree there.
Problem problem() {
  const std::string bindings[] = {"C=8, D=8, L=4, g=2, s=2", "C=24, D=16, L=4, g=2, s=2"};
  return problem_of("[C, L]", "[D, L]", bindings).value();
}

TEST(SeenOperatorsTest, SaysOfEachOperatorWhatItsFingerprintSays) {
  const Problem p = problem();
  const auto op = [&](const std::string& lines) {
    return parse(p, "operator [C, L] -> [D, L]\nout d, l\n" + lines).value();
  };
  const Operator all[] = {
      op("sum r: g, q: C/g\nx split(r, q), l\nw1 d, r\n"),
      op("sum r: g, q: C/g\nx split(r, q), l\nw1 d, q\n"),
      op("sum r: s, q: C/s\nx split(r, q), l\nw1 d, q\n"),  // the same: g and s are both 2
      op("sum r: s^2, q: C/s^2\nx split(r, q), l\nw1 d, r\n"),
      op("sum r: C/g, q: g\nx split(r, q), l\nw1 d, r\n"),  // the same at the first binding only
      op("sum r: C/g, q: g\nx split(r, q), l\nw1 d, r\n"),
      op("sum r: C\nx r, l\nw1 d, r\n"),
  };
  SemanticHasher hasher(p);
  ASSERT_EQ(hasher.sizes().size(), 2U);
  EXPECT_EQ(hasher.first_hash(all[3]).value(), hasher.first_hash(all[4]).value());
  SeenOperators seen(p);
  std::set<Fingerprint> fingerprints;
  for (const Operator& one : all) {
    EXPECT_EQ(seen.add(one).value(), fingerprints.insert(hasher.fingerprint(one).value()).second);
    EXPECT_EQ(seen.count(), fingerprints.size());
  }
  EXPECT_EQ(seen.count(), 5U);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
