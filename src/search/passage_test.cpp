// Probes on their way through the stages: where they end, and what stops them.
#include "search/passage.h"

#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "search/testing/fake_executor.h"
#include "search/testing/toy_search.h"

namespace cambium::search {
namespace {

using testing::toy_stage;

// The stages `latency`, `fisher` and `accuracy`, and a candidate of a toy space that no fake
// evaluator refuses.
class Probes : public ::testing::Test {
 protected:
  Probes() {
    stages_ = {toy_stage("latency", 0), toy_stage("fisher", 0), toy_stage("accuracy", 2)};
    for (std::size_t site = 0; site < 2 && candidate_.edits.empty(); ++site) {
      for (const auto& option : bench_.sites.options_at(site)) {
        candidate_ = {model::structure_of(bench_.base), option.edits, {}};
        const Passage whole = passed({}, {});
        if (whole.is_complete) break;
        candidate_.edits.clear();
      }
    }
    EXPECT_FALSE(candidate_.edits.empty());
  }

  // In a study of its own.
  Passage passed(std::vector<std::string> probed, Yardstick yardstick) {
    search_.emplace("toy-sites");
    executor_ = std::make_unique<testing::FakeExecutor>();
    const spaces::Candidate original{model::structure_of(search_->base), {}, {}};
    Evaluations evaluations(*search_->study, *executor_, {}, original);
    Passages passages(
        {&search_->base, search_->context.spaces, &*search_->study, &evaluations, "probing", {}},
        stages_, std::move(yardstick));
    store::StudyCandidate row;
    row.identity = spaces::identity_of(candidate_);
    row.document = spaces::to_json(candidate_);
    EXPECT_TRUE(search_->study->add(row).ok());
    EXPECT_TRUE(passages.begin(7, candidate_, std::move(probed)).ok());
    while (!passages.at(7).is_over) {
      auto answer = evaluations.next(0.1);
      if (!answer.ok() || !*answer) break;
      EXPECT_TRUE(passages.take(std::move(**answer)).ok());
    }
    EXPECT_TRUE(passages.at(7).is_over);
    return passages.at(7);
  }

  // How often the executor was asked.
  std::int64_t asked(const std::string& evaluator) const {
    std::int64_t count = 0;
    for (const auto& [key, times] : executor_->evaluated()) {
      if (key.evaluator == evaluator) count += times;
    }
    return count;
  }

  testing::ToySearch bench_{"toy-sites"};
  std::vector<Stage> stages_;
  spaces::Candidate candidate_;
  std::optional<testing::ToySearch> search_;
  std::unique_ptr<testing::FakeExecutor> executor_;
};

const std::vector<study::Limit> kNoMacs = {{study::Metric::Macs, 1}};

TEST_F(Probes, EndAsSoonAsTheirValuesAreKnown) {
  const Passage passage = passed({"macs", "fisher"}, {});
  EXPECT_FALSE(passage.is_refused);
  EXPECT_FALSE(passage.is_complete);
  EXPECT_EQ(passage.all_values.count("latency"), 1u);
  EXPECT_EQ(passage.all_values.count("fisher"), 1u);
  EXPECT_EQ(passage.all_values.count("accuracy"), 0u);
  EXPECT_EQ(asked("fisher"), 1);
  EXPECT_EQ(asked("accuracy"), 0);
}

TEST_F(Probes, OfACostNeedNoStage) {
  const Passage passage = passed({"macs"}, {});
  EXPECT_FALSE(passage.is_refused);
  EXPECT_EQ(executor_->count(), 0);
  EXPECT_GT(passage.all_values.at("macs").value, 0);
}

TEST_F(Probes, AreCompleteIfNoStageIsLeft) {
  EXPECT_TRUE(passed({"accuracy"}, {}).is_complete);
  EXPECT_TRUE(passed({"a value that nobody has"}, {}).is_complete) << "it has passed all the same";
}

TEST_F(Probes, AreRefusedByALimitOnlyAfterTheirValues) {
  const Passage plain = passed({}, {kNoMacs, nullptr});
  EXPECT_TRUE(plain.is_refused && plain.is_over_threshold);
  EXPECT_EQ(executor_->count(), 0);
  const Passage probe = passed({"fisher"}, {kNoMacs, nullptr});
  EXPECT_TRUE(probe.is_refused && probe.is_over_threshold);
  EXPECT_EQ(probe.reason, "OverBudget");
  EXPECT_NE(probe.detail.find("macs"), std::string::npos) << probe.detail;
  EXPECT_EQ(probe.all_values.count("fisher"), 1u);
  EXPECT_EQ(asked("accuracy"), 0) << "it has its values";
  const auto rejections = search_->study->rejections();
  ASSERT_TRUE(rejections.ok());
  EXPECT_FALSE(rejections->empty()) << "the study holds the reason";
}

TEST_F(Probes, AreRefusedByAGateOnlyAfterTheirValues) {
  stages_[0].gates = {{"latency", -1, 0, false}};  // no latency passes
  const std::vector<StageValues> original = {{}, {}, {}};
  EXPECT_EQ(passed({}, {{}, &original}).values.size(), 1u);
  const Passage probe = passed({"fisher"}, {{}, &original});
  EXPECT_TRUE(probe.is_refused && probe.is_over_threshold);
  EXPECT_EQ(probe.reason, "NotPromising");
  EXPECT_EQ(probe.all_values.count("fisher"), 1u);
}

TEST_F(Probes, AreRefusedByAnEvaluatorAtOnce) {
  executor_ = std::make_unique<testing::FakeExecutor>();
  int refused = 0;
  for (std::size_t site = 0; site < 3; ++site) {
    for (const auto& option : bench_.sites.options_at(site)) {
      candidate_.edits = option.edits;
      const Passage probe = passed({"fisher"}, {kNoMacs, nullptr});
      if (probe.all_values.count("fisher") > 0) continue;
      ++refused;
      EXPECT_TRUE(probe.is_refused);
      EXPECT_FALSE(probe.is_over_threshold);
    }
  }
  EXPECT_GT(refused, 0) << "the fake refuses a tenth of all";
}

}  // namespace
}  // namespace cambium::search
