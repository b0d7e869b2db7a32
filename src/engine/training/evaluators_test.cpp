#include "engine/training/evaluators.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tiny_images_testing.h>  // of tests/cli

#include "base/features.h"
#include "base/scratch_folder_testing.h"
#include "engine/search/evaluators.h"
#include "model/builder.h"

namespace cambium::engine {
namespace {

// One product: it learns the tiny images in two epochs.
model::Model linear() {
  model::Builder builder("linear");
  const auto x = builder.input("x", {DType::F32, {1, 1, 8, 8}});
  const auto flat = builder.add(model::Reshape{{1, 64}}, {x}, "flat");
  const auto weight = builder.weight(
      "w", model::Tensor::lazy({DType::F32, {64, 10}}, {model::Fill::Law::Normal, 0.05, 1}));
  builder.output("y", builder.add(model::MatMul{}, {flat, weight}, "product"));
  return std::move(builder).finish().value();
}

class TrainingEvaluator : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
    ASSERT_TRUE(tests::write_tiny_images(folder_.path()));
    setting_.data = "mnist:" + folder_.path();
    setting_.device = "cpu";
    key_.fidelity = 3;
    key_.seed = 1;
  }

  Result<Findings> train(const std::string& stopping, std::vector<double> reference = {},
                         bool is_original = false) const {
    const nlohmann::json options = {{"stopping", stopping}, {"set", {{"batch", "32"}}}};
    return evaluators_[0].evaluate({model_, key_, setting_, options, reference, is_original});
  }

  ScratchFolder folder_;
  JobSetting setting_;
  store::EvaluationKey key_;
  model::Model model_ = linear();
  std::vector<Evaluator> evaluators_ = training_evaluators();
};

// In the order in which workers look for them.
TEST(TrainingEvaluators, AreThoseOfTheRegistry) {
  std::vector<std::string> names;
  for (const Evaluator& evaluator : training_evaluators()) {
    names.push_back(evaluator.name);
    EXPECT_EQ(evaluator.version, evaluator_version(evaluator.name));
  }
  EXPECT_EQ(names, evaluator_names(EvaluatorProgram::Train));
}

TEST_F(TrainingEvaluator, StopsWhatStaysBelowTheOriginalAndKeepsItsCurve) {
  const auto alone = train("below-original:0.5", {}, true);
  ASSERT_TRUE(alone.ok()) << alone.rejection().message();
  ASSERT_FALSE(alone->refused) << "the original has nothing to be compared with";
  ASSERT_EQ(alone->curve.size(), 3u);
  const double second = alone->curve[1].value;
  // Twice what it reaches after the second epoch is asked for; after the first, nothing.
  const auto stopped = train("below-original:0.5", {0, 4 * second, 4 * second});
  ASSERT_TRUE(stopped.ok()) << stopped.rejection().message();
  ASSERT_TRUE(stopped->refused);
  EXPECT_EQ(stopped->refused->reason(), Reason::NotPromising);
  EXPECT_NE(stopped->refused->message().find("after epoch 2"), std::string::npos)
      << stopped->refused->message();
  EXPECT_TRUE(stopped->values.empty());
  ASSERT_EQ(stopped->curve.size(), 2u);
  EXPECT_EQ(stopped->curve[1].value, second) << "the rule changes nothing of the training";
  const auto equal = train("below-original:1", {alone->curve[0].value, second, 1});
  ASSERT_TRUE(equal.ok());
  EXPECT_FALSE(equal->refused);
  EXPECT_EQ(equal->values.at("accuracy"), alone->values.at("accuracy"));
}

// The number of threads decides the order of sums, and with it the last digits of a score.
TEST_F(TrainingEvaluator, ScoresWithAsManyThreadsAsTheJobSays) {
  // Of the library that libtorch shares its work with.
  void* const found = ::dlsym(RTLD_DEFAULT, "omp_get_max_threads");
  if (found == nullptr) GTEST_SKIP() << "libtorch runs without OpenMP here";
  const auto threads_now = reinterpret_cast<int (*)()>(found);
  const nlohmann::json options = {{"proxy", "grad-norm"}, {"batch", 8}};
  for (const int threads : {3, 1}) {
    setting_.threads = threads;
    const auto scored = evaluators_[1].evaluate({model_, key_, setting_, options, {}});
    ASSERT_TRUE(scored.ok()) << scored.rejection().message();
    EXPECT_EQ(threads_now(), threads);
  }
}

TEST_F(TrainingEvaluator, RefusesRulesThatDoNotFollowFromTheJob) {
  EXPECT_EQ(train("halving:1,3", {0.5}).rejection().reason(), Reason::BadOption);
  EXPECT_EQ(train("below-original:0.5").rejection().reason(), Reason::BadJob);
  EXPECT_EQ(train("below-original:7", {0.5}).rejection().reason(), Reason::BadOption);
}

TEST_F(TrainingEvaluator, RefusesWhatTheMachineLacks) {
  setting_.device = "cuda:77";
  EXPECT_EQ(train("none").rejection().reason(), Reason::Unavailable);
  setting_.device = "cpu";
  setting_.data = "mnist:" + folder_.path() + "/nowhere";
  EXPECT_EQ(train("none").rejection().reason(), Reason::NotFound);
}

}  // namespace
}  // namespace cambium::engine
