#include "spaces/loopnest/describe.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

Description described(const std::map<std::string, std::string>& documents) {
  VariantsByShape shapes({});
  Survey survey(residual(), shapes);
  std::map<std::size_t, std::string> by_site;
  for (const auto& [site, document] : documents) {
    by_site[survey.sites().find(site).value()] = document;
  }
  return description_of(plan_of(survey, by_site).value());
}

TEST(Describe, NamesTheDocumentAndTheSites) {
  EXPECT_EQ(described({{"stem", "group 2"}}).title, "group 2 at stem");
  EXPECT_EQ(described({{"r0.conv1", "group 4"}, {"r1.conv1", "group 4"}}).title,
            "group 4 at 2 convolutions from r0.conv1 on");
}

TEST(Describe, ListsTheStepsOfAFunctionWithoutAName) {
  const Description description = described(
      {{"stem", "group(outer: co, inner: ci, factor: 2)\nbottleneck(loop: h, factor: 2)"}});
  EXPECT_EQ(description.title, "bottleneck h 2, group co 2 at stem");
  EXPECT_EQ(described({{"r0.conv1",
                        "partition(loop: co, points: [4])\ngroup(outer: co.2, inner: ci.2, factor: "
                        "2, skip: 4)\nbottleneck(loop: ci.2, factor: 2)"}})
                .title,
            "partition co 4, group co.2 2, bottleneck ci.2 2 at r0.conv1");
  EXPECT_EQ(
      described({{"r0.conv1", "bottleneck(loop: w, factor: 2)\nseparate(first: [ci])"}}).title,
      "bottleneck w 2, separate ci at r0.conv1");
}

TEST(Describe, ShowsSumsAndLoops) {
  const Description description = described({{"stem", "halves 1 2"}});
  EXPECT_NE(description.equation.find("+="), std::string::npos);
  EXPECT_NE(description.loops.find("for g"), std::string::npos) << description.loops;
}

TEST(Describe, SaysWhereNothingChanges) {
  EXPECT_EQ(described({{"stem", "group 1"}}).title, "nothing changes");
}

}  // namespace
}  // namespace cambium::spaces::loopnest
