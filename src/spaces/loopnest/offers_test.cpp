// Options by layer, from which a strategy composes candidates.
#include "spaces/loopnest/offers.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

struct Offered {
  explicit Offered(model::Model model, const LoopNestOptions& with = {})
      : options(with), shapes(options.limits()), survey(std::move(model), shapes) {
    std::vector<std::size_t> all(survey.sites().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    layers = layers_of(survey, all, options.tie);
    made = std::make_unique<Offers>(survey, layers, options);
  }

  // -1: there is no such option.
  std::int32_t number(std::size_t layer, const std::string& label) {
    const auto& all = made->options_at(layer);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& option) { return option.label == label; });
    return found == all.end() ? -1 : static_cast<std::int32_t>(found - all.begin());
  }

  LoopNestOptions options;
  VariantsByShape shapes;
  Survey survey;
  std::vector<Layer> layers;
  std::unique_ptr<Offers> made;
};

TEST(Offers, AreFunctionsOfTheirLayerEachOnce) {
  Offered offered(residual());
  EXPECT_EQ(offered.made->site_count(), 5u);
  EXPECT_EQ(offered.made->site_name(1), "r0.conv1");
  for (std::size_t layer = 0; layer < 5; ++layer) {
    std::set<std::string> labels;
    std::set<std::string> documents;
    for (const auto& option : offered.made->options_at(layer)) {
      EXPECT_TRUE(labels.insert(option.label).second) << option.label;
      ASSERT_EQ(option.edits.size(), 1u);
      EXPECT_EQ(option.edits[0].sites, (std::vector<std::string>{offered.layers[layer].name}));
      EXPECT_TRUE(documents.insert(option.edits[0].document).second) << option.label;
    }
    EXPECT_GT(labels.size(), 30u);
    EXPECT_LE(labels.size(), 200u);
  }
}

TEST(Offers, HaveThePapersSequencesByName) {
  Offered offered(residual());
  for (const char* name : {"halves 2 4", "halves 2 2", "slabs 2", "group 4", "input bottleneck 2",
                           "interleaved group 2", "spatial bottleneck 2"}) {
    EXPECT_GE(offered.number(2, name), 0) << name;
  }
}

TEST(Offers, KeepTheirNumberWithFewMovesFirst) {
  LoopNestOptions options;
  options.most_options = 60;
  Offered offered(residual(), options);
  EXPECT_EQ(offered.made->options_at(2).size(), 60u);
  EXPECT_GE(offered.number(2, "group 2"), 0) << "functions of one move are all there";
  options.list_steps = 1;
  options.most_options = 1000;
  Offered shorter(residual(), options);
  for (const auto& option : shorter.made->options_at(2)) {
    const auto variant = shorter.survey.variants(2).value()->read(option.edits[0].document).value();
    EXPECT_LE(variant->steps, 2) << option.label;
  }
}

// The sequences take places first; what is left goes to functions at equal distances, up to the
// last ones.
TEST(Offers, ThinFunctionsToThePlacesThatSequencesLeave) {
  LoopNestOptions options;
  options.list_steps = 1;
  Offered all(residual(), options);
  const auto& whole = all.made->options_at(2);
  ASSERT_LT(whole.size(), 100u) << "each function has a place";
  options.most_options = static_cast<std::int64_t>(whole.size()) - 4;
  Offered most(residual(), options);
  const auto& some = most.made->options_at(2);
  EXPECT_EQ(some.size(), whole.size() - 4);
  // Those that are left out do not stand together at the end.
  std::set<std::string> kept;
  for (const auto& option : some) kept.insert(option.label);
  std::size_t of_last = 0;
  for (std::size_t i = whole.size() - 4; i < whole.size(); ++i)
    of_last += kept.count(whole[i].label);
  EXPECT_GT(of_last, 1u);
}

TEST(Offers, AreNoMoreAndNoLargerThanAskedFor) {
  LoopNestOptions options;
  options.most_options = 3;
  Offered few(residual(), options);
  EXPECT_EQ(few.made->options_at(2).size(), 3u);
  options.most_options = 200;
  options.most_factor = 2;
  Offered small(residual(), options);
  for (const char* name : {"slabs 4", "halves 2 4", "halves 4 8", "spatial bottleneck 4"}) {
    EXPECT_EQ(small.number(2, name), -1) << name;
  }
  EXPECT_GE(small.number(2, "slabs 2"), 0);
}

// Only where one layer alone reads the channels.
TEST(Offers, LinkOutputBottlenecksToTheirReader) {
  Offered offered(residual());
  const std::int32_t narrow = offered.number(1, "bottleneck 2");
  ASSERT_GE(narrow, 0);
  EXPECT_TRUE(offered.made->options_at(1)[static_cast<std::size_t>(narrow)].is_linked);
  EXPECT_EQ(offered.made->linked_to(1), 2u);
  EXPECT_EQ(offered.number(2, "bottleneck 2"), -1) << "a residual sum follows";
  EXPECT_EQ(offered.made->linked_to(2), std::nullopt);
  for (const auto& option : offered.made->options_at(2)) EXPECT_FALSE(option.is_linked);
}

TEST(Offers, AreComposed) {
  Offered offered(residual());
  const auto none = offered.made->composed({-1, -1, -1, -1, -1});
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
  const auto some =
      offered.made->composed({-1, offered.number(1, "bottleneck 2"), offered.number(2, "group 2"),
                              -1, offered.number(4, "group 2")});
  ASSERT_TRUE(some.ok()) << some.rejection().message();
  ASSERT_EQ(some->size(), 2u);
  EXPECT_EQ((*some)[0].sites, (std::vector<std::string>{"r0.conv1"}));
  EXPECT_EQ((*some)[1].sites, (std::vector<std::string>{"r0.conv2", "r1.conv2"}));
}

TEST(Offers, RefuseWhatDoesNotFitTogether) {
  Offered offered(chain());
  const std::int32_t narrow = offered.number(0, "bottleneck 8"),
                     group = offered.number(1, "group 4");
  ASSERT_GE(narrow, 0);
  ASSERT_GE(group, 0);
  const auto refused = offered.made->composed({narrow, group, -1});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().message().rfind("'b'", 0), 0u) << refused.rejection().message();
}

TEST(Offers, OfTiedLayersAreForAllTheirSites) {
  LoopNestOptions options;
  options.tie = "shape";
  Offered offered(residual(), options);
  EXPECT_EQ(offered.made->site_count(), 2u);
  const std::int32_t group = offered.number(1, "group 2");
  ASSERT_GE(group, 0);
  const auto edits = offered.made->composed({-1, group});
  ASSERT_TRUE(edits.ok());
  ASSERT_EQ(edits->size(), 1u);
  EXPECT_EQ((*edits)[0].sites.size(), 4u);
  EXPECT_EQ(offered.made->linked_to(1), std::nullopt);
}

TEST(Offers, WithoutSlabsHaveNone) {
  LoopNestOptions options;
  options.slabs = false;
  Offered offered(residual(), options);
  EXPECT_EQ(offered.number(2, "slabs 2"), -1);
  EXPECT_GE(offered.number(2, "halves 2 4"), 0);
}

}  // namespace
}  // namespace cambium::spaces::loopnest
