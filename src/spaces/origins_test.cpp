#include "spaces/origins.h"

#include <cstdint>
#include <map>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "model/builder.h"
#include "model/fingerprint.h"
#include "spaces/testing/sites.h"
#include "spaces/testing/toy_blocks.h"
#include "spaces/testing/toy_net.h"

namespace cambium::spaces {
namespace {

using model::Model;
using model::Value;

// Sites are products; an edit exchanges their matrix. Documents: `turn N` (a matrix of another
// name, whose element i starts from element i + N of the old one), `keep N` (the same, but only the
// first N elements start from the old ones), `draw` (of another name, from nothing), `again` (of
// the same name with other elements, from nothing).
class Turns final : public Space, public MapsWeights {
 public:
  std::string_view name() const override { return "turns"; }
  const MapsWeights* weights() const override { return this; }
  Description describe(const Model&, const Edit&) const override { return {}; }

  Result<Edit> check(const Model& model, const Edit& edit) const override {
    CAMBIUM_REQUIRE(testing::site_named(model, edit.sites.at(0)));
    return edit;
  }

  Result<Model> apply(const Model& model, const Edit& edit) const override {
    const model::Node* const product = testing::site_named(model, edit.sites[0]).value();
    const Value old = product->inputs[1];
    model::Builder builder(model);
    const bool is_again = edit.document == "again";
    const model::Tensor fresh =
        model::Tensor::lazy(model.type(old), {model::Fill::Law::Normal, 1, is_again ? 98u : 99u});
    if (is_again) {
      builder.set_weight(old.node, fresh);
    } else {
      const Value other = builder.weight(model.node(old.node).name + "+", fresh);
      const Value y = builder.add(product->op, {product->inputs[0], other}, product->name + "+");
      builder.replace({product->id, 0}, y);
    }
    return std::move(builder).finish();
  }

  Result<std::vector<WeightOrigin>> origins(const Model& before, const Edit& edit) const override {
    const auto words = split(edit.document, ' ');
    if (words.size() < 2) return std::vector<WeightOrigin>{};
    const model::Node* const product = testing::site_named(before, edit.sites[0]).value();
    const std::string& from = before.node(product->inputs[1].node).name;
    const std::int64_t count = before.type(product->inputs[1]).elements();
    const std::int64_t number = parse_int(words[1], 0).value();
    std::vector<std::int64_t> elements(static_cast<std::size_t>(count));
    std::iota(elements.begin(), elements.end(), 0);
    for (std::int64_t& element : elements) {
      if (words[0] == "turn") element = (element + number) % count;
      if (words[0] == "keep" && element >= number) element = -1;
    }
    return std::vector<WeightOrigin>{{from + "+", from, std::move(elements)}};
  }
};

class OriginsOfACandidate : public ::testing::Test {
 protected:
  std::map<std::string, WeightOrigin> after(const Edits& edits) {
    const auto origins =
        origins_of(net_, {model::structure_of(net_), edits, std::nullopt}, {&turns_, &blocks_});
    EXPECT_TRUE(origins.ok()) << origins.rejection().message();
    std::map<std::string, WeightOrigin> by_name;
    for (const WeightOrigin& origin : *origins) by_name.emplace(origin.weight, origin);
    EXPECT_EQ(by_name.size(), origins->size());
    return by_name;
  }
  static Edit turns(const std::string& site, const std::string& document) {
    return {"turns", {site}, document};
  }

  Model net_ = testing::toy_net();
  std::int64_t count_ = testing::kToyWidth * testing::kToyWidth;
  Turns turns_;
  testing::ToyBlocks blocks_{net_};
};

TEST_F(OriginsOfACandidate, AreThoseOfAnEditByItself) {
  const auto origins = after({turns("b1.fc", "turn 3")});
  ASSERT_EQ(origins.size(), 1u) << "other weights stay what they are";
  const WeightOrigin& origin = origins.at("b1.w+");
  EXPECT_EQ(origin.from, "b1.w");
  ASSERT_EQ(static_cast<std::int64_t>(origin.elements.size()), count_);
  EXPECT_EQ(origin.elements[0], 3);
  EXPECT_EQ(origin.elements.back(), 2);
}

TEST_F(OriginsOfACandidate, GoThroughEveryEditBackToTheBase) {
  const auto origins = after({turns("b1.fc", "turn 3"), turns("b0.fc", "turn 1"),
                              turns("b1.fc+", "keep 4"), turns("b1.fc++", "turn 2")});
  ASSERT_EQ(origins.size(), 2u);
  EXPECT_EQ(origins.at("b0.w+").elements[0], 1) << "an edit elsewhere changes nothing";
  const WeightOrigin& origin = origins.at("b1.w+++");
  EXPECT_EQ(origin.from, "b1.w");
  std::vector<std::int64_t> expected(static_cast<std::size_t>(count_), -1);
  // Of the four elements that were kept (3, 4, 5, 6 of the base), two are turned to the end.
  expected[0] = 5;
  expected[1] = 6;
  expected[static_cast<std::size_t>(count_ - 2)] = 3;
  expected[static_cast<std::size_t>(count_ - 1)] = 4;
  EXPECT_EQ(origin.elements, expected);
}

TEST_F(OriginsOfACandidate, EndWhereAnEditStartsFromNothing) {
  EXPECT_TRUE(after({turns("b1.fc", "draw")}).empty());
  EXPECT_TRUE(after({turns("b1.fc", "turn 3"), turns("b1.fc+", "draw")}).empty());
  EXPECT_TRUE(after({turns("b1.fc", "draw"), turns("b1.fc+", "turn 3")}).empty());
  EXPECT_TRUE(after({turns("b1.fc", "keep 0")}).empty()) << "no element has an origin";
}

// The name is that of a weight of the base, or of one that had an origin; the elements are not.
TEST_F(OriginsOfACandidate, DoNotMistakeAChangedWeightForTheOldOneOfItsName) {
  EXPECT_TRUE(after({turns("b1.fc", "again"), turns("b1.fc", "turn 3")}).empty());
  EXPECT_TRUE(after({turns("b1.fc", "turn 3"), turns("b1.fc+", "again")}).empty());
}

TEST_F(OriginsOfACandidate, PassEditsOfSpacesThatKnowNone) {
  const auto origins = after({turns("b1.fc", "turn 3"), {"toy-blocks", {"b2"}, "duplicate"}});
  ASSERT_EQ(origins.size(), 1u) << "the copy's weights are its own";
  EXPECT_EQ(origins.at("b1.w+").elements[0], 3);
  EXPECT_TRUE(after({turns("b0.fc", "turn 3"), {"toy-blocks", {"b2"}, "delete"}}).size() == 1);
}

TEST_F(OriginsOfACandidate, RefuseWhatApplyingRefuses) {
  const Candidate candidate{
      model::structure_of(net_), {turns("b1.fc", "turn 3"), turns("b9.fc", "draw")}, std::nullopt};
  const auto origins = origins_of(net_, candidate, {&turns_});
  ASSERT_FALSE(origins.ok());
  EXPECT_EQ(origins.rejection().reason(), Reason::UnknownSite);
  EXPECT_NE(origins.rejection().message().find("edit 1"), std::string::npos);
  const Candidate foreign{Fingerprint{1, 2}, {turns("b1.fc", "turn 3")}, std::nullopt};
  EXPECT_EQ(traced(net_, foreign, {&turns_}).rejection().reason(), Reason::NotThisBase);
}

TEST_F(OriginsOfACandidate, ComeWithTheModelThatApplyingMakes) {
  const Candidate candidate{model::structure_of(net_),
                            {turns("b1.fc", "turn 3"), {"toy-blocks", {"b2"}, "duplicate"}},
                            std::nullopt};
  const auto made = traced(net_, candidate, {&turns_, &blocks_});
  const auto applied = apply(net_, candidate, {&turns_, &blocks_});
  ASSERT_TRUE(made.ok() && applied.ok());
  EXPECT_EQ(model::content_of(made->model), model::content_of(*applied));
  EXPECT_EQ(made->origins.size(), 1u);
}

}  // namespace
}  // namespace cambium::spaces
