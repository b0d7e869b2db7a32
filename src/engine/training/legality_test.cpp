#include "engine/training/legality.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/features.h"
#include "engine/training/legality_testing.h"

namespace cambium::engine {
namespace {

using testing::block_diagonal;
using testing::two_convolutions;
using train::Verdict;

model::Model grouped() {
  return two_convolutions(2, "w2.grouped");
}

// Scores that a test writes down: both layers of the original have 1, and those of the candidate
// have exp of what is written, by draw. Minibatches without a data set count their labels, so a
// batch of one image tells the draw.
struct Scripted {
  std::function<double(int draw)> first, second;
  int originals = 0, candidates = 0;

  Legality judged(const LegalityOptions& options) {
    DrawOptions how;
    how.batch = 1;
    PairedDraws draws(two_convolutions(), train::Minibatches::open("", 1).value(), how,
                      [this](const model::Model& model, const train::ProxyBatch& batch,
                             const train::FisherOptions&) { return score(model, batch); });
    const std::vector<model::WeightOrigin> origins = {block_diagonal()};
    auto found = legality_of(grouped(), origins, options, draws);
    EXPECT_TRUE(found.ok()) << found.rejection().message();
    return std::move(found).value();
  }

 private:
  Result<train::FisherReport> score(const model::Model& model, const train::ProxyBatch& batch) {
    const bool is_original = model.name() == "dense";
    ++(is_original ? originals : candidates);
    const int draw = static_cast<int>(batch.labels[0]);
    train::FisherReport report;
    for (const model::NodePtr& node : model.nodes()) {
      if (node->as<model::Conv>() == nullptr) continue;
      const auto& of_layer = node->name == "conv1" ? first : second;
      const double score = is_original ? 1 : std::exp(of_layer(draw));
      report.layers.push_back({node->id, node->name, score, node->id});
      report.total += score;
    }
    return report;
  }
};

double none(int /*draw*/) {
  return 0;
}

std::function<double(int)> about(double mean, double spread = 0.01) {
  return [=](int draw) { return mean + (draw % 2 == 0 ? spread : -spread); };
}

LegalityOptions by(LegalityOf of, int draws = 4, int most_draws = 32) {
  LegalityOptions options;
  options.of = of;
  options.verdict.draws = draws;
  options.verdict.most_draws = most_draws;
  return options;
}

TEST(Legality, FollowsTheTotal) {
  const Legality above = Scripted{none, about(0.5)}.judged(by(LegalityOf::Total));
  EXPECT_EQ(above.verdict, Verdict::Legal);
  EXPECT_EQ(above.draws, 4) << "four draws are enough";
  EXPECT_GT(above.confidence, 0.95);
  EXPECT_NEAR(above.original, 2, 1e-12);
  EXPECT_NEAR(above.candidate, 1 + std::exp(0.5), 1e-3);
  EXPECT_NEAR(above.change(), (1 + std::exp(0.5)) / 2 - 1, 1e-3);
  EXPECT_NEAR(above.changed, std::exp(0.5), 1e-3) << "of the layer that changed";
  const Legality below = Scripted{none, about(-0.5)}.judged(by(LegalityOf::Total));
  EXPECT_EQ(below.verdict, Verdict::Illegal);
  EXPECT_GT(below.confidence, 0.95);
  EXPECT_LT(below.change(), 0);
}

// A gain elsewhere pays for a loss here, but only of the total.
TEST(Legality, OfLayersAsksEachLayerThatChanged) {
  const auto judged = [](LegalityOf of) { return Scripted{about(1), about(-0.3)}.judged(by(of)); };
  EXPECT_EQ(judged(LegalityOf::Total).verdict, Verdict::Legal);
  const Legality by_layers = judged(LegalityOf::Layers);
  EXPECT_EQ(by_layers.verdict, Verdict::Illegal);
  EXPECT_GT(by_layers.confidence, 0.95);
  EXPECT_EQ(by_layers.total.verdict, Verdict::Legal) << "which the total keeps to itself";
  ASSERT_EQ(by_layers.layers.size(), 2u);
  EXPECT_FALSE(by_layers.layers[0].is_changed);
  EXPECT_TRUE(by_layers.layers[1].is_changed);
  EXPECT_TRUE(by_layers.layers[1].is_sensitive);
  EXPECT_NEAR(by_layers.layers[1].ratio, std::exp(-0.3), 1e-3);
  // What falls in a layer that did not change counts for the total only.
  Scripted other{about(-1), about(0.3)};
  EXPECT_EQ(other.judged(by(LegalityOf::Total)).verdict, Verdict::Illegal);
  EXPECT_EQ(other.judged(by(LegalityOf::Layers)).verdict, Verdict::Legal);
}

// A change that no layer's score shows is judged by the total, never accepted unseen.
TEST(Legality, OfLayersWithoutAScoreIsThatOfTheTotal) {
  const auto judged = [](double change) {
    DrawOptions how;
    how.batch = 1;
    // Only the first convolution has a score, and the second one changed.
    PairedDraws draws(two_convolutions(), train::Minibatches::open("", 1).value(), how,
                      [change](const model::Model& model, const train::ProxyBatch& batch,
                               const train::FisherOptions& options) {
                        auto report = testing::squares(model, batch, options);
                        report->layers.resize(1);
                        const double score = model.name() == "dense" ? 1 : std::exp(change);
                        report->layers[0].score = report->total = score;
                        return report;
                      });
    return legality_of(grouped(), {}, by(LegalityOf::Layers), draws).value().verdict;
  };
  EXPECT_EQ(judged(-0.5), Verdict::Illegal);
  EXPECT_EQ(judged(0.5), Verdict::Legal);
}

TEST(Legality, AcceptsTies) {
  Scripted script{none, none};
  for (const LegalityOf of : {LegalityOf::Total, LegalityOf::Layers}) {
    const Legality tie = script.judged(by(of));
    EXPECT_EQ(tie.verdict, Verdict::Legal);
    EXPECT_EQ(tie.confidence, 1);
    EXPECT_EQ(tie.draws, 4);
    EXPECT_EQ(tie.change(), 0);
    EXPECT_EQ(tie.changed, 1);
  }
}

TEST(Legality, DrawsMoreOnlyWhileItIsUndecided) {
  // 0.3 +- 0.4: eight draws do not tell, sixteen do.
  Scripted unclear{none, about(0.3, 0.4)};
  const Legality later = unclear.judged(by(LegalityOf::Layers));
  EXPECT_EQ(later.verdict, Verdict::Legal);
  EXPECT_EQ(later.draws, 16);
  EXPECT_EQ(unclear.candidates, 16) << "draws of the first looks are not scored again";
  EXPECT_EQ(unclear.originals, 16);
  // The mean is 0 over any even number of draws, as of a candidate that is as good.
  Scripted level{none, about(0, 0.4)};
  const Legality never = level.judged(by(LegalityOf::Layers));
  EXPECT_EQ(never.verdict, Verdict::Undecided);
  EXPECT_EQ(never.draws, 32);
  EXPECT_LT(never.confidence, 0.95);
  EXPECT_EQ(Scripted({none, about(0, 0.4)}).judged(by(LegalityOf::Layers, 4, 6)).draws, 6);
}

TEST(Legality, OfOneDrawIsItsSign) {
  for (const LegalityOf of : {LegalityOf::Total, LegalityOf::Layers}) {
    const Legality above = Scripted{none, about(0, 0.01)}.judged(by(of, 1, 1));
    EXPECT_EQ(above.verdict, Verdict::Legal);
    EXPECT_EQ(above.draws, 1);
    EXPECT_EQ(above.confidence, 0) << "one draw says nothing of the next";
    EXPECT_EQ(Scripted({none, about(0, -0.01)}).judged(by(of, 1, 1)).verdict, Verdict::Illegal);
    EXPECT_EQ(Scripted({none, none}).judged(by(of, 1, 1)).verdict, Verdict::Legal) << "a tie";
  }
}

TEST(Legality, OfANetworkThatLosesItsScoreIsNone) {
  const auto gone = [](int) { return -std::numeric_limits<double>::infinity(); };
  const Legality nothing = Scripted{gone, gone}.judged(by(LegalityOf::Total));
  EXPECT_EQ(nothing.verdict, Verdict::Illegal);
  EXPECT_EQ(nothing.change(), -1);
  EXPECT_EQ(nothing.candidate, 0);
}

TEST(LegalityKind, HasTwoNames) {
  EXPECT_EQ(legality_kind("total").value(), LegalityOf::Total);
  EXPECT_EQ(legality_kind("layers").value(), LegalityOf::Layers);
  const auto none = legality_kind("none");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.rejection().reason(), Reason::BadOption);
  EXPECT_NE(none.rejection().message().find("total, layers"), std::string::npos);
}

// ---- with the real measure

PairedDraws real_draws(const model::Model& original, train::Hooks hooks) {
  DrawOptions options;
  options.batch = 4;
  options.fisher.hooks = hooks;
  return PairedDraws(original, train::Minibatches::open("", 1).value(), options,
                     train::fisher_potential);
}

TEST(FisherLegality, GivesTheSameNetworkTheRatioOne) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
  const model::Model original = two_convolutions();
  PairedDraws draws = real_draws(original, train::Hooks::Convolutions);
  model::WeightOrigin renamed{"another", "w2", {}};
  for (std::int64_t i = 0; i < testing::kChannels * testing::kChannels * 9; ++i) {
    renamed.elements.push_back(i);
  }
  const auto same = legality_of(two_convolutions(1, "another"), std::vector{renamed},
                                by(LegalityOf::Total), draws);
  ASSERT_TRUE(same.ok()) << same.rejection().message();
  EXPECT_EQ(same->verdict, Verdict::Legal);
  EXPECT_EQ(same->change(), 0);
  EXPECT_EQ(same->total.low, 0);
  for (const train::LayerChange& layer : same->layers) EXPECT_EQ(layer.ratio, 1) << layer.name;
}

// The channels of a bottleneck-like candidate hear less of the image: its score is another one.
TEST(FisherLegality, TellsANetworkFromItsGroupedForm) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
  const model::Model original = two_convolutions();
  PairedDraws draws = real_draws(original, train::Hooks::Convolutions);
  const auto found =
      legality_of(grouped(), std::vector{block_diagonal()}, by(LegalityOf::Total), draws);
  ASSERT_TRUE(found.ok()) << found.rejection().message();
  EXPECT_NE(found->change(), 0);
  EXPECT_EQ(found->layers.size(), 2u);
  EXPECT_TRUE(found->layers[1].is_changed);
}

// Every network would have at least the score of one that has none.
TEST(FisherLegality, RefusesAnOriginalWithoutAnythingToScore) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
  const model::Model original = two_convolutions();  // it adds and concatenates nothing
  PairedDraws draws = real_draws(original, train::Hooks::BlockOutputs);
  for (const model::Model& candidate : {original, grouped()}) {
    const auto found = legality_of(candidate, {}, by(LegalityOf::Total), draws);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.rejection().reason(), Reason::NotPromising);
    EXPECT_NE(found.rejection().message().find("block-outputs"), std::string::npos);
  }
}

// x -> block(concat(x, conv2(relu(conv1(x))))) -> mean -> fc: a layer of DenseNet.
model::Model dense_layer(std::int64_t groups, const std::string& second) {
  model::Builder b(groups == 1 ? "dense" : "grouped");
  const auto later = [](model::Ints dims) {
    return model::Tensor::lazy({DType::F32, std::move(dims)}, {});
  };
  const auto conv = [&](const char* name, model::Value x, const std::string& weight,
                        std::int64_t of) {
    const std::int64_t in = b.type(x).dims[1] / of;
    const model::Value w = b.weight(weight, later({testing::kChannels, in, 3, 3}));
    return b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, of}, {x, w}, name);
  };
  const model::Value image = b.input("x", {DType::F32, {1, 3, 32, 32}});
  const model::Value stem = conv("stem", image, "stem.w", 1);
  b.begin_block("layer", "dense");
  const model::Value inner =
      b.add(model::Unary{model::UnaryFn::Relu}, {conv("conv1", stem, "w1", 1)});
  const model::Value end = conv("conv2", inner, second, groups);
  const model::Value joined = b.add(model::Concat{1}, {stem, end});
  b.end_block();
  const model::Value mean =
      b.add(model::Reduce{model::ReduceFn::Mean, {2, 3}, false}, {joined}, "mean");
  const model::Value rows = b.weight("fc.w", later({2 * testing::kChannels, 10}));
  b.output("y", b.add(model::MatMul{}, {mean, rows}, "fc"));
  return std::move(b).finish().value();
}

// DenseNet adds nothing; the authors' hooks would find nothing in it.
TEST(FisherLegality, ScoresTheEndsOfDenseBranches) {
  if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
  const model::Model original = dense_layer(1, "w2");
  PairedDraws draws = real_draws(original, train::Hooks::BlockOutputs);
  const auto found = legality_of(dense_layer(2, "w2.grouped"), std::vector{block_diagonal()},
                                 by(LegalityOf::Layers, 2, 2), draws);
  ASSERT_TRUE(found.ok()) << found.rejection().message();
  ASSERT_EQ(found->layers.size(), 1u) << "the branch has one end";
  EXPECT_EQ(found->layers[0].name, "conv2");
  EXPECT_TRUE(found->layers[0].is_changed);
  EXPECT_NE(found->change(), 0);
  EXPECT_EQ(found->original, found->layers[0].original);
}

}  // namespace
}  // namespace cambium::engine
