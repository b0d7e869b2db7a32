#include "spaces/loopnest/walks.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "spaces/loopnest/loopnest_testing.h"

namespace cambium::spaces::loopnest {
namespace {

// One layer of a model.
struct AtLayer {
  AtLayer(const model::Model& model, const std::string& name, LoopNestOptions with = {})
      : options(std::move(with)),
        shapes(options.limits()),
        survey(model, shapes),
        layer{name, {survey.sites().find(name).value()}},
        draft(survey) {}

  LoopNestOptions options;
  VariantsByShape shapes;
  Survey survey;
  Layer layer;
  Draft draft;
};

TEST(Walks, GiveWhatFitsTheLayer) {
  AtLayer at(residual(), "r0.conv2");
  const Variant& original = at.draft.variants(at.layer).value()->original();
  std::set<std::string> documents;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    std::vector<schedule::Move> trail;
    const Variant* const to = walk(at.draft, at.layer, original, 3, rng, &trail);
    ASSERT_NE(to, nullptr);
    EXPECT_EQ(to->narrowed, 1) << "a residual sum follows";
    EXPECT_EQ(to->is_original(), trail.empty());
    EXPECT_LE(trail.size(), 3u);
    documents.insert(to->document);
  }
  EXPECT_GT(documents.size(), 25u);
}

TEST(Walks, NarrowWhereTheModelAllowsIt) {
  AtLayer at(residual(), "r0.conv1");
  const Variant& original = at.draft.variants(at.layer).value()->original();
  int narrowed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed);
    narrowed += walk(at.draft, at.layer, original, 3, rng)->narrowed > 1 ? 1 : 0;
  }
  EXPECT_GT(narrowed, 3);
}

// Sequences are drawn from the numbers of the authors' release.
TEST(Walks, SequencesHaveTheNumbersOfTheRelease) {
  const std::set<std::string> powers{"1", "2", "4", "8"};
  std::map<std::string, int> kinds;
  std::set<std::string> peeled, rest;
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string name = random_sequence(rng);
    const auto words = split(name, ' ');
    ++kinds[std::string(words[0])];
    if (words[0] == "peel") {
      peeled.emplace(words.at(1));
      rest.emplace(words.at(2));
      continue;
    }
    for (std::size_t w = 1; w < words.size(); ++w) {
      EXPECT_TRUE(powers.contains(std::string(words[w]))) << name;
    }
  }
  EXPECT_EQ(peeled, (std::set<std::string>{"1", "16", "2", "4", "8"}));
  EXPECT_EQ(rest, (std::set<std::string>{"1", "2", "3", "4"}));
  ASSERT_EQ(kinds.size(), 6u);
  EXPECT_NEAR(kinds["slabs"], 2000 / 3, 100);
  EXPECT_NEAR(kinds["peel"], 2000 / 3, 100);
  for (const char* kind : {"group", "halves", "quarters", "eighths"}) {
    EXPECT_NEAR(kinds[kind], 2000 / 12, 50) << kind;
  }
}

TEST(Walks, PublishedDrawsAreSequencesThatFit) {
  AtLayer at(residual(), "r0.conv1");
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    const Variant* const variant = published(at.draft, at.layer, rng);
    ASSERT_NE(variant, nullptr);
    EXPECT_TRUE(at.draft.fits(at.layer, *variant));
    EXPECT_EQ(variant->narrowed, 1) << "no sequence narrows the output";
    changed += variant->is_original() ? 0 : 1;
  }
  EXPECT_GT(changed, 35);
}

TEST(Walks, DrawnDocumentsKeepTheNumberOfSteps) {
  LoopNestOptions options;
  options.steps = 2;
  AtLayer at(chain(), "b", options);
  int longest = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    Rng rng(seed);
    const Variant* const variant = drawn(at.draft, at.layer, at.options, rng);
    ASSERT_NE(variant, nullptr);
    // The sequences are drawn as they are.
    const bool is_sequence = variant->document.starts_with("partition") || variant->steps > 2;
    if (!is_sequence) longest = std::max(longest, variant->steps);
  }
  EXPECT_EQ(longest, 2);
}

}  // namespace
}  // namespace cambium::spaces::loopnest
