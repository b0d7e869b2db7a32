#include "spaces/loopnest/listing.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spaces/loopnest/loopnest_testing.h"
#include "spaces/loopnest/options.h"

namespace cambium::spaces::loopnest {
namespace {

std::vector<Listed> listed(Survey& survey, std::size_t site, int moves) {
  Listing listing(survey, {survey.sites()[site].name, {site}}, moves);
  std::vector<Listed> all;
  while (const auto one = listing.next()) all.push_back(*one);
  EXPECT_FALSE(listing.next().has_value()) << "the list has ended";
  return all;
}

bool are_equal(const Listed& a, const Listed& b) {
  return a.variant->document == b.variant->document && a.label == b.label;
}

TEST(Listing, HasEachFunctionOnceFewMovesFirst) {
  VariantsByShape shapes(LoopNestOptions{}.limits());
  Survey survey(chain(), shapes);
  const std::vector<Listed> one = listed(survey, 1, 1), two = listed(survey, 1, 2);
  ASSERT_GT(one.size(), 5u);
  ASSERT_GT(two.size(), 2 * one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(are_equal(one[i], two[i])) << one[i].label;
  }
  std::set<std::string> documents;
  std::set<Fingerprint> functions;
  for (const Listed& each : two) {
    EXPECT_FALSE(each.variant->is_original());
    EXPECT_TRUE(documents.insert(each.variant->document).second) << each.variant->document;
    EXPECT_TRUE(functions.insert(each.variant->function).second) << each.label;
    EXPECT_LE(each.variant->steps, 2) << each.label;
  }
}

TEST(Listing, IsTheSameOfEveryObject) {
  VariantsByShape first(LoopNestOptions{}.limits()), second(LoopNestOptions{}.limits());
  Survey a(chain(), first), b(chain(), second);
  // What was read before does not matter.
  ASSERT_TRUE(b.variants(0).value()->read("group 4").ok());
  static_cast<void>(listed(b, 0, 1));
  const std::vector<Listed> one = listed(a, 0, 2), other = listed(b, 0, 2);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), other.begin(), other.end(), are_equal));
}

TEST(Listing, LeavesOutWhatTheModelForbids) {
  VariantsByShape shapes(LoopNestOptions{}.limits());
  Survey survey(residual(), shapes);
  const auto narrow = [](const Listed& each) { return each.variant->narrowed > 1; };
  const std::vector<Listed> inner = listed(survey, *survey.sites().find("r0.conv1"), 1);
  const std::vector<Listed> outer = listed(survey, *survey.sites().find("r0.conv2"), 1);
  EXPECT_TRUE(std::any_of(inner.begin(), inner.end(), narrow));
  EXPECT_TRUE(std::none_of(outer.begin(), outer.end(), narrow));
}

}  // namespace
}  // namespace cambium::spaces::loopnest
