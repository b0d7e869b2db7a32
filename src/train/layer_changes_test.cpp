#include "train/layer_changes.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/composite.h"
#include "model/operators.h"

namespace cambium::train {
namespace {

using model::Builder;
using model::Model;
using model::Value;

struct Layer {
  std::string name;
  std::int64_t out = 8;
  std::int64_t groups = 1;
  bool is_composite = false;
  std::string block = {};
};

Value weight(Builder& b, const std::string& name, model::Ints dims) {
  return b.weight(name, model::Tensor::lazy({DType::F32, std::move(dims)}, {}));
}

// A chain of 1x1 convolutions of 8 channels.
Model chain(const std::vector<Layer>& layers) {
  Builder b("chain");
  Value x = b.input("x", {DType::F32, {1, 8, 4, 4}});
  for (const Layer& layer : layers) {
    if (!layer.block.empty()) b.begin_block(layer.block, "block");
    const model::Conv conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, layer.groups};
    const std::int64_t in = b.type(x).dims[1] / layer.groups;
    const Value w = weight(b, layer.name + ".weight", {layer.out, in, 1, 1});
    if (layer.is_composite) {
      Builder body("body");
      const Value inner = body.input("x", b.type(x)), wi = body.input("w", b.type(w));
      body.output("y", body.add(conv, {inner, wi}));
      x = b.add(model::composite_of("test", "", std::move(body).finish().value()).value(), {x, w},
                layer.name);
    } else {
      x = b.add(conv, {x, w}, layer.name);
    }
    if (!layer.block.empty()) b.end_block();
  }
  b.output("y", x);
  return std::move(b).finish().value();
}

// One score for each convolution and composite, in the model's order.
FisherReport scores(const Model& model, std::vector<double> values = {}) {
  FisherReport report;
  for (const model::NodePtr& node : model.nodes()) {
    const bool counts =
        node->as<model::Conv>() != nullptr || node->as<model::Composite>() != nullptr;
    if (!counts) continue;
    const std::size_t at = report.layers.size();
    report.layers.push_back({node->id, node->name, at < values.size() ? values[at] : 1, node->id});
  }
  return report;
}

std::vector<LayerPair> pairs(const Model& original, const Model& candidate,
                             Hooks hooks = Hooks::Convolutions) {
  return paired_layers(original, scores(original).layers, candidate, scores(candidate).layers,
                       hooks);
}

std::string changed(const std::vector<LayerPair>& of) {
  std::string names;
  for (const LayerPair& pair : of) names += pair.is_changed ? pair.name + " " : "";
  return names;
}

using Positions = std::vector<std::size_t>;

TEST(PairedLayers, AreTheSameLayersIfNothingChanged) {
  const Model model = chain({{"a"}, {"b"}, {"c"}});
  const auto of = pairs(model, model);
  ASSERT_EQ(of.size(), 3u);
  EXPECT_EQ(of[1].name, "b");
  EXPECT_EQ(of[1].original, Positions{1});
  EXPECT_EQ(of[1].candidate, Positions{1});
  EXPECT_EQ(changed(of), "");
}

TEST(PairedLayers, SeeWhatStandsInAPlaceAndWhoseSizesChange) {
  const Model original = chain({{"a"}, {"b"}, {"b2"}, {"c"}});
  EXPECT_EQ(changed(pairs(original, chain({{"a"}, {"b.test", 8, 1, true}, {"b2"}, {"c"}}))), "b ");
  EXPECT_EQ(changed(pairs(original, chain({{"a"}, {"b"}, {"b2", 8, 2}, {"c"}}))), "b2 ");
  // A layer of half as many outputs, and the one that reads them.
  EXPECT_EQ(changed(pairs(original, chain({{"a"}, {"b", 4}, {"b2"}, {"c"}}))), "b b2 ");
}

TEST(PairedLayers, PutSeveralOperatorsIntoOnePlace) {
  const Model original = chain({{"a"}, {"b"}, {"c"}});
  const auto of = pairs(original, chain({{"a"}, {"b.wide"}, {"b.long", 8, 8}, {"c"}}));
  ASSERT_EQ(of.size(), 3u);
  EXPECT_EQ(of[1].candidate, (Positions{1, 2}));
  EXPECT_EQ(changed(of), "b ");
}

TEST(PairedLayers, PutOneOperatorIntoThePlaceOfABlock) {
  const Model original = chain({{"stem"}, {"l1.0.a"}, {"l1.0.b"}, {"l1.1.a"}});
  const auto of = pairs(original, chain({{"stem"}, {"l1.0.test", 8, 1, true}, {"l1.1.a"}}));
  ASSERT_EQ(of.size(), 3u);
  EXPECT_EQ(of[1].name, "l1.0");
  EXPECT_EQ(of[1].original, (Positions{1, 2}));
  EXPECT_EQ(of[1].candidate, Positions{1});
  EXPECT_EQ(changed(of), "l1.0 ");
}

TEST(PairedLayers, KeepLayersThatOneSideAloneHas) {
  const auto of = pairs(chain({{"a"}, {"b"}, {"c"}}), chain({{"new"}, {"a"}, {"c"}}));
  ASSERT_EQ(of.size(), 4u);
  EXPECT_EQ(of[1].name, "b");
  EXPECT_TRUE(of[1].candidate.empty());
  EXPECT_EQ(of[3].name, "new");
  EXPECT_TRUE(of[3].original.empty());
  EXPECT_EQ(changed(of), "b new ");
}

// The end of a block stands for the whole of it.
TEST(PairedLayers, OfBlocksSeeChangesInsideOfThem) {
  const auto model = [](std::int64_t groups) {
    return chain({{"a1", 8, groups, false, "a"},
                  {"a2", 8, 1, false, "a"},
                  {"b1", 8, 1, false, "b"},
                  {"b2", 8, 1, false, "b"}});
  };
  const auto ends = [](const Model& of) {
    FisherReport all = scores(of);
    return std::vector<LayerScore>{all.layers[1], all.layers[3]};
  };
  const Model original = model(1), candidate = model(4);
  const auto of =
      paired_layers(original, ends(original), candidate, ends(candidate), Hooks::BlockOutputs);
  EXPECT_EQ(changed(of), "a2 ");
  const auto by_layer =
      paired_layers(original, ends(original), candidate, ends(candidate), Hooks::Convolutions);
  EXPECT_EQ(changed(by_layer), "");
}

// Two draws: ratios of the changed layer 1/2 and 1/8, in the mean of logs 1/4.
TEST(LayerChanges, MarkTheOnlyChangedLayerIfItsScoreFell) {
  const Model original = chain({{"a"}, {"b"}}), candidate = chain({{"a"}, {"b", 8, 2}});
  const auto of = pairs(original, candidate);
  const std::vector<FisherReport> before = {scores(original, {1, 4}), scores(original, {3, 8})};
  const std::vector<FisherReport> after = {scores(candidate, {2, 2}), scores(candidate, {3, 1})};
  const auto changes = layer_changes(of, before, after);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_DOUBLE_EQ(changes[0].ratio, std::sqrt(2.0));
  EXPECT_FALSE(changes[0].is_changed || changes[0].is_sensitive);
  EXPECT_DOUBLE_EQ(changes[1].ratio, 0.25);
  EXPECT_EQ(changes[1].log_ratios, (std::vector<double>{std::log(0.5), std::log(0.125)}));
  EXPECT_DOUBLE_EQ(changes[1].original, 6);
  EXPECT_DOUBLE_EQ(changes[1].candidate, 1.5);
  EXPECT_TRUE(changes[1].is_changed && changes[1].is_sensitive);
  EXPECT_DOUBLE_EQ(ratio_of_changed(of, before, after), 0.25);
}

TEST(LayerChanges, MarkNothingWhereAScoreRoseOrMoreThanOneLayerChanged) {
  const Model original = chain({{"a"}, {"b"}}), one = chain({{"a"}, {"b", 8, 2}}),
              both = chain({{"a", 8, 2}, {"b", 8, 2}});
  const auto sensitive = [&](const Model& candidate, std::vector<double> now) {
    const std::vector<FisherReport> before = {scores(original, {1, 4})},
                                    after = {scores(candidate, std::move(now))};
    int count = 0;
    for (const LayerChange& change : layer_changes(pairs(original, candidate), before, after)) {
      count += change.is_sensitive;
    }
    return count;
  };
  EXPECT_EQ(sensitive(one, {1, 3}), 1);
  EXPECT_EQ(sensitive(one, {0.5, 5}), 0) << "another layer fell, which did not change";
  EXPECT_EQ(sensitive(one, {1, 4 - 1e-6}), 0) << "rounding";
  EXPECT_EQ(sensitive(both, {0.5, 3}), 0);
}

TEST(LayerChanges, TakeChangedLayersTogether) {
  const Model original = chain({{"a"}, {"b"}, {"c"}}),
              candidate = chain({{"a", 8, 2}, {"b"}, {"c", 8, 2}});
  const auto of = pairs(original, candidate);
  const std::vector<FisherReport> before = {scores(original, {1, 100, 3})},
                                  after = {scores(candidate, {2, 1, 4})};
  EXPECT_DOUBLE_EQ(ratio_of_changed(of, before, after), 6.0 / 4);
  EXPECT_EQ(ratio_of_changed(pairs(original, original), before, before), 1);
}

TEST(LayerChanges, HaveNoRatioToALayerWithoutAScore) {
  const Model original = chain({{"a"}, {"b"}}), candidate = chain({{"a"}, {"b", 8, 2}});
  const std::vector<FisherReport> before = {scores(original, {1, 0})},
                                  after = {scores(candidate, {1, 1})};
  const LayerChange change = layer_changes(pairs(original, candidate), before, after)[1];
  EXPECT_TRUE(std::isnan(change.ratio));
  EXPECT_TRUE(change.log_ratios.empty());
  EXPECT_FALSE(change.is_sensitive);
}

TEST(HooksOfFisher, AreKnownByName) {
  for (const Hooks hooks : {Hooks::Convolutions, Hooks::Activations, Hooks::BlockOutputs}) {
    EXPECT_EQ(hooks_of(name_of(hooks)).value(), hooks);
  }
  EXPECT_EQ(hooks_of("everything").rejection().reason(), Reason::BadOption);
}

}  // namespace
}  // namespace cambium::train
