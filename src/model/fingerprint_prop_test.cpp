#include <map>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "model/random_model.h"
#include "model/text.h"

namespace cambium::model {
namespace {

constexpr std::uint64_t kCases = 1000;

TEST(ModelFingerprint, IgnoresNamesIdsOrderAndBlocks) {
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const Model model = random_model(seed);
    Rng rng = Rng(seed).split("shuffle");
    const Model other = shuffled(model, rng);
    ASSERT_EQ(structure_of(model), structure_of(other)) << "seed " << seed;
    ASSERT_EQ(content_of(model), content_of(other)) << "seed " << seed;
  }
}

// The text form without names and blocks: the builder's order is canonical too, so this is a second
// opinion on what the same graph is.
std::string anonymous_text(const Model& model) {
  static const std::regex kNames("\"[^\"]*\"|block [^\n]*\n| @[0-9]+");
  return std::regex_replace(to_text(model), kNames, "");
}

TEST(ModelFingerprint, IsEqualExactlyWhenTheAnonymousTextIs) {
  std::map<std::string, Fingerprint> by_text;
  std::map<Fingerprint, std::string> by_content;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const Model model = random_model(seed);
    const std::string text = anonymous_text(model);
    const Fingerprint content = content_of(model);
    ASSERT_EQ(by_text.emplace(text, content).first->second, content) << "seed " << seed;
    ASSERT_EQ(by_content.emplace(content, text).first->second, text) << "seed " << seed;
  }
  EXPECT_GT(by_text.size(), kCases * 9 / 10);
}

// Rewires one reader, wraps one value, or changes one weight: whatever it is, it shows.
TEST(ModelFingerprint, ChangesWithEveryMutation) {
  std::uint64_t mutated = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const Model model = random_model(seed);
    Rng rng = Rng(seed).split("mutate");
    const Node& node = *model.nodes()[rng.below(model.nodes().size())];
    const Uses uses(model);
    if (uses.of({node.id, 0}).empty()) continue;
    Builder builder(model);
    if (const Weight* weight = node.as<Weight>()) {
      if (weight->value.dtype() != DType::F32) continue;
      std::vector<float> elements(weight->value.as<float>().begin(),
                                  weight->value.as<float>().end());
      elements[rng.below(elements.size())] += 1.0f;
      builder.replace({node.id, 0},
                      builder.weight("fresh", Tensor::of<float>(weight->value.dims(), elements)));
    } else {
      const Value wrapped = builder.add(Unary{UnaryFn::Neg}, {Value{node.id, 0}});
      builder.replace_except({node.id, 0}, wrapped, wrapped.node);
    }
    const Model other = std::move(builder).finish().value();
    ASSERT_NE(content_of(model), content_of(other)) << "seed " << seed;
    if (node.as<Weight>() != nullptr) {
      ASSERT_EQ(structure_of(model), structure_of(other)) << "seed " << seed;
    } else {
      ASSERT_NE(structure_of(model), structure_of(other)) << "seed " << seed;
    }
    ++mutated;
  }
  EXPECT_GT(mutated, kCases / 2);
}

}  // namespace
}  // namespace cambium::model
