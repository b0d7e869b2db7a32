#include "engine/training/legality_evaluator.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tiny_images_testing.h>  // of tests/cli

#include "base/features.h"
#include "base/json.h"
#include "base/scratch_folder_testing.h"
#include "engine/search/evaluators.h"
#include "train/legality_testing.h"

namespace cambium::engine {
namespace {

using nlohmann::json;
using train::testing::Asked;
using train::testing::block_diagonal;
using train::testing::two_convolutions;

// Jobs for the evaluator with a measure that needs no libtorch; only naming a device does.
class LegalityEvaluator : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
    ASSERT_TRUE(tests::write_tiny_images(folder_.path()));
    setting_.data = "mnist:" + folder_.path();
    setting_.device = "cpu";
    key_.seed = 3;
  }

  Result<Findings> judged(const model::Model& candidate, const json& options) {
    EvaluationRequest request{candidate, key_, setting_, options, {}, false, &original_, {}};
    request.origins = [this]() -> Result<std::vector<model::WeightOrigin>> {
      ++asked_origins_;
      return origins_;
    };
    return evaluator_.evaluate(request);
  }
  Result<Findings> grouped(const json& options = json::object()) {
    return judged(two_convolutions(2, "w2.grouped", 1), options);
  }
  Reason reason(const json& options) {
    const auto refused = grouped(options);
    EXPECT_FALSE(refused.ok()) << options;
    return refused.ok() ? Reason::WorkerDied : refused.rejection().reason();
  }
  int scored(const std::string& model) const {
    int count = 0;
    for (const Asked& each : scored_) count += each.model == model ? 1 : 0;
    return count;
  }

  ScratchFolder folder_;
  JobSetting setting_;
  store::EvaluationKey key_;
  model::Model original_ = two_convolutions(1, "w2", 1);
  std::vector<model::WeightOrigin> origins_ = {block_diagonal()};
  std::vector<Asked> scored_;
  int asked_origins_ = 0;
  Evaluator evaluator_ = legality_evaluator(std::make_shared<Datasets>(), watched(scored_));
};

TEST_F(LegalityEvaluator, TellsVerdictConfidenceAndChange) {
  const auto found = grouped({{"of", "total"}});
  ASSERT_TRUE(found.ok()) << found.rejection().message();
  EXPECT_EQ(found->device, "cpu");
  // The grouped layer has half of the weights, and so about half of the squares.
  const auto& values = found->values;
  EXPECT_EQ(values.at("legal").value, -1);
  EXPECT_GT(values.at("confidence").value, 0.95);
  EXPECT_LT(values.at("fisher_change").value, -0.2);
  EXPECT_GT(values.at("fisher_change").spread, 0);
  EXPECT_NEAR(values.at("changed_layers_change").value, -0.5, 0.1);
  EXPECT_EQ(values.at("draws").value, 4);
  EXPECT_EQ(values.at("changed_layers").value, 1);
  EXPECT_EQ(values.at("sensitive_layers").value, 1);
  std::vector<std::string> names, listed = find_evaluator(kLegality)->values;
  for (const auto& [name, value] : values) names.push_back(name);
  std::sort(listed.begin(), listed.end());
  EXPECT_EQ(names, listed) << "the registry lists them";
  ASSERT_EQ(found->artifacts.size(), 1u);
  EXPECT_EQ(found->artifacts[0].name, kFisherLayers);
  const auto& bytes = found->artifacts[0].bytes;
  const auto layers =
      parse_json(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  ASSERT_TRUE(layers.ok());
  EXPECT_EQ((*layers)["verdict"], "illegal");
  EXPECT_LT((*layers)["low"].get<double>(), (*layers)["high"].get<double>());
  ASSERT_EQ((*layers)["layers"].size(), 2u);
  EXPECT_EQ((*layers)["layers"][0]["ratio"], 1);
  EXPECT_EQ((*layers)["layers"][1]["name"], "conv2");
  EXPECT_TRUE((*layers)["layers"][1]["is_sensitive"].get<bool>());
}

TEST_F(LegalityEvaluator, FindsTheOriginalLegal) {
  origins_.clear();
  for (const char* of : {"total", "layers"}) {
    const auto found = judged(original_, {{"of", of}});
    ASSERT_TRUE(found.ok()) << found.rejection().message();
    EXPECT_EQ(found->values.at("legal").value, 1);
    EXPECT_EQ(found->values.at("confidence").value, 1);
    EXPECT_EQ(found->values.at("fisher_change"), (store::StudyValue{0, 0, 4, false}));
    EXPECT_EQ(found->values.at("changed_layers").value, 0);
  }
}

TEST_F(LegalityEvaluator, KeepsTheDrawsOfTheOriginalForTheNextJob) {
  const json options = {{"of", "total"}, {"draws", 2}, {"most_draws", 2}};
  const auto first = grouped(options), second = grouped(options);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->values, second->values);
  EXPECT_EQ(scored("dense"), 2) << "once for each draw";
  EXPECT_EQ(scored("grouped"), 4);
  ASSERT_TRUE(grouped({{"batch", 8}, {"most_draws", 2}}).ok());
  EXPECT_EQ(scored("dense"), 4) << "other draws";
  ++key_.seed;
  ASSERT_TRUE(grouped({{"batch", 8}, {"most_draws", 2}}).ok());
  EXPECT_EQ(scored("dense"), 6);
  // What another job left behind changes nothing.
  --key_.seed;
  EXPECT_EQ(grouped(options)->values, first->values);
}

TEST_F(LegalityEvaluator, StartsFromTheWeightsOfTheOriginalOnlyIfAsked) {
  const auto mapped = grouped({{"most_draws", 1}});
  EXPECT_EQ(asked_origins_, 1);
  const auto fresh = grouped({{"most_draws", 1}, {"weights", "fresh"}});
  EXPECT_EQ(asked_origins_, 1);
  ASSERT_TRUE(mapped.ok() && fresh.ok());
  EXPECT_NE(mapped->values.at("fisher_total"), fresh->values.at("fisher_total"));
  origins_[0].from = "w4";
  EXPECT_EQ(reason({{"most_draws", 1}}), Reason::NotFound) << "of the origins";
}

TEST_F(LegalityEvaluator, DrawsAsOftenAsAllowed) {
  EXPECT_EQ(grouped({{"most_draws", 1}})->values.at("draws").value, 1);
  EXPECT_EQ(grouped({{"most_draws", 1}})->values.at("legal").value, -1) << "by its sign";
  EXPECT_EQ(grouped({{"draws", 6}, {"most_draws", 12}})->values.at("draws").value, 6);
  EXPECT_EQ(scored_[0].images.labels.size(), 16u);
  EXPECT_EQ(grouped({{"batch", 5}, {"most_draws", 1}})->values.at("draws").value, 1);
  EXPECT_EQ(scored_.back().images.labels.size(), 5u);
  EXPECT_EQ(reason({{"batch", 400}}), Reason::NoSamples) << "there are 300 images";
}

// A small data set has too few images for 32 draws of different ones.
TEST_F(LegalityEvaluator, DrawsImagesAgainInAnotherOrder) {
  ASSERT_TRUE(grouped({{"batch", 200}, {"draws", 3}, {"most_draws", 3}}).ok());
  std::set<std::vector<double>> images;
  for (const Asked& each : scored_) images.insert(each.images.inputs.to_doubles());
  EXPECT_EQ(images.size(), 3u);
  EXPECT_EQ(scored_.size(), 6u);
}

TEST_F(LegalityEvaluator, RefusesOptionsThatItCannotRead) {
  for (const json& options :
       std::vector<json>{{{"of", "some"}}, {{"hooks", "ends"}}, {{"weights", "old"}}}) {
    EXPECT_EQ(reason(options), Reason::BadOption) << options;
  }
  for (const json& options : std::vector<json>{{{"of", 1}},
                                               {{"draws", 0}},
                                               {{"draws", "many"}},
                                               {{"most_draws", 1001}},
                                               {{"batch", 0}},
                                               {{"confidence", 49}},
                                               {{"confidence", 100}}}) {
    EXPECT_EQ(reason(options), Reason::BadJob) << options;
  }
  EXPECT_TRUE(scored_.empty()) << "nothing was scored";
  setting_.device = "cuda:77";
  EXPECT_EQ(reason(json::object()), Reason::Unavailable);
  setting_.device = "cpu";
  setting_.data += "/nowhere";
  EXPECT_EQ(reason(json::object()), Reason::NotFound);
}

TEST_F(LegalityEvaluator, RefusesACandidateWithoutItsOriginal) {
  const json options = json::object();
  const auto refused = evaluator_.evaluate({original_, key_, setting_, options, {}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::BadJob);
}

}  // namespace
}  // namespace cambium::engine
