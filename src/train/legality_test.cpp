#include "train/legality.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "train/legality_testing.h"

namespace cambium::train {
namespace {

using testing::block_diagonal;
using testing::by;
using testing::grouped;
using testing::two_convolutions;

// Scores that a test writes down: both layers of the original have 1, and those of the candidate
// have exp of what is written, by draw. Minibatches without a data set count their labels, so a
// batch of one image tells the draw.
struct Scripted {
  std::function<double(int draw)> first, second;
  int originals = 0, candidates = 0;

  Legality judged(const LegalityOptions& options) {
    DrawOptions how;
    how.batch = 1;
    PairedDraws draws(two_convolutions(), Minibatches::open("", 1).value(), how,
                      [this](const model::Model& model, const ProxyBatch& batch,
                             const FisherOptions&) { return score(model, batch); });
    const std::vector<model::WeightOrigin> origins = {block_diagonal()};
    auto found = legality_of(grouped(), origins, options, draws);
    EXPECT_TRUE(found.ok()) << found.rejection().message();
    return std::move(found).value();
  }

 private:
  Result<FisherReport> score(const model::Model& model, const ProxyBatch& batch) {
    const bool is_original = model.name() == "dense";
    ++(is_original ? originals : candidates);
    const int draw = static_cast<int>(batch.labels[0]);
    FisherReport report;
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
    PairedDraws draws(
        two_convolutions(), Minibatches::open("", 1).value(), how,
        [change](const model::Model& model, const ProxyBatch& batch, const FisherOptions& options) {
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

}  // namespace
}  // namespace cambium::train
