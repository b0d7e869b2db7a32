#include "engine/search/worker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "engine/search/evaluators.h"
#include "engine/search/kernel_sum_evaluator.h"
#include "engine/search/latency.h"
#include "model/fingerprint.h"
#include "spaces/candidate.h"

namespace cambium::engine {
namespace {

class Working : public ::testing::Test {
 protected:
  Working() {
    setting_.model = "zoo:tiny-resnet";
    setting_.spaces = "[]";
    const auto base = load_base(setting_.model, {});
    EXPECT_TRUE(base.ok());
    job_.id = 4;
    job_.key.evaluator = "fake";
    job_.key.version = "1";
    job_.key.options = "{}";
    job_.candidate = spaces::to_json({model::structure_of(*base), {}, {}});
  }

  search::JobResult answer(Worker& worker) const {
    auto result = parse_result(worker.answer(job_line(job_, setting_)));
    CAMBIUM_CHECK(result.ok(), result.rejection().message());
    return std::move(result).value();
  }

  ScratchFolder folder_;
  JobSetting setting_;
  search::Job job_;
};

TEST_F(Working, HandsTheReferenceToTheEvaluator) {
  std::vector<double> heard;
  bool is_original = false;
  Worker worker({{"fake", "1",
                  [&](const EvaluationRequest& request) -> Result<Findings> {
                    heard = request.reference;
                    is_original = request.is_original;
                    Findings findings;
                    findings.values["fake"] = {7, 0, 1, false};
                    return findings;
                  }}},
                folder_.path());
  job_.reference = {0.5, 0.75};
  const search::JobResult result = answer(worker);
  EXPECT_EQ(result.id, 4);
  EXPECT_EQ(result.evaluation.values.at("fake").value, 7);
  EXPECT_EQ(heard, job_.reference);
  EXPECT_TRUE(is_original);
}

// An evaluator may ask from which weights of the original those of the candidate start.
TEST_F(Working, TellsTheEvaluatorTheOriginsOfTheWeights) {
  SpaceSetting nests;
  nests.space = "loopnest";
  nests.targets = "conv:*";
  setting_.spaces = to_json({nests});
  std::vector<model::WeightOrigin> heard;
  const model::Model* original = nullptr;
  Worker worker({{"fake", "1",
                  [&](const EvaluationRequest& request) -> Result<Findings> {
                    CAMBIUM_TRY(heard, request.origins());
                    original = request.original;
                    return Findings();
                  }}},
                folder_.path());
  EXPECT_EQ(answer(worker).evaluation.state, store::EvaluationState::Done);
  EXPECT_TRUE(heard.empty()) << "the original changes no weight";
  ASSERT_NE(original, nullptr);
  spaces::Candidate grouped = spaces::parse_candidate(job_.candidate).value();
  grouped.edits = {{"loopnest", {"layer1.0.conv1"}, "group(outer: co, inner: ci, factor: 4)\n"}};
  job_.candidate = spaces::to_json(grouped);
  EXPECT_EQ(answer(worker).evaluation.state, store::EvaluationState::Done);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].from, "layer1.0.conv1.weight");
  EXPECT_EQ(heard[0].elements.size(), 16u * 16 * 9 / 4);
}

TEST_F(Working, KeepsWhatWasFoundBeforeARefusal) {
  Worker worker({{"fake", "1",
                  [](const EvaluationRequest&) -> Result<Findings> {
                    Findings findings;
                    findings.refused = Rejection(Reason::NotPromising, "training", "too slow");
                    findings.curve = {{1, 0.25, 2, 3}};
                    return findings;
                  }}},
                folder_.path());
  const store::Evaluation evaluation = answer(worker).evaluation;
  EXPECT_EQ(evaluation.state, store::EvaluationState::Refused);
  EXPECT_EQ(evaluation.reason, "NotPromising");
  EXPECT_EQ(evaluation.curve, (std::vector<store::CurvePoint>{{1, 0.25, 2, 3}}));
}

TEST_F(Working, RefusesValuesThatAreNoNumbers) {
  Worker worker({{"fake", "1",
                  [](const EvaluationRequest&) -> Result<Findings> {
                    Findings findings;
                    findings.values["perplexity"] = {std::numeric_limits<double>::infinity()};
                    findings.curve = {{1, 0.25, std::nan(""), 3}};
                    return findings;
                  }}},
                folder_.path());
  const store::Evaluation evaluation = answer(worker).evaluation;
  EXPECT_EQ(evaluation.reason, "NotPromising");
  EXPECT_NE(evaluation.detail.find("perplexity"), std::string::npos);
  ASSERT_EQ(evaluation.curve.size(), 1u);
  EXPECT_TRUE(std::isnan(evaluation.curve[0].loss));
}

TEST_F(Working, RefusesJobsOfAnotherVersionOrEvaluator) {
  Worker worker({{"fake", "2", {}}}, folder_.path());
  EXPECT_EQ(answer(worker).evaluation.reason, "BadJob");
  job_.key.evaluator = "other";
  const store::Evaluation evaluation = answer(worker).evaluation;
  EXPECT_EQ(evaluation.reason, "BadJob");
  EXPECT_NE(evaluation.detail.find("other"), std::string::npos);
}

// A study that somebody made may wait for jobs of these kinds.
TEST_F(Working, RefusesNumbersOutOfTheirRanges) {
  const std::vector<Evaluator> measuring = {latency_evaluator(), kernel_sum_evaluator()};
  Worker worker(measuring, folder_.path());
  for (const Evaluator& evaluator : measuring) {
    job_.key.evaluator = evaluator.name;
    job_.key.version = evaluator.version;
    for (const char* const options :
         {R"({"threads":1025})", R"({"threads":1,"jobs":0})", R"({"threads":"two"})"}) {
      job_.key.options = options;
      EXPECT_EQ(answer(worker).evaluation.reason, "BadJob") << evaluator.name << options;
    }
    job_.key.options = "{}";
    job_.key.fidelity = 1e300;
    EXPECT_EQ(answer(worker).evaluation.reason, "BadJob") << evaluator.name;
    job_.key.fidelity = 0;
  }
  job_.key.evaluator = "latency";
  job_.key.version = latency_evaluator().version;
  job_.key.options = R"({"threads":1,"seconds":-1})";
  EXPECT_EQ(answer(worker).evaluation.reason, "BadJob");
  job_.key.options = "{}";
  setting_.threads = 2'000'000'000;
  EXPECT_EQ(answer(worker).evaluation.reason, "BadJob");
}

// It would be evaluated with the default, under a key that says something else.
TEST_F(Working, RefusesOptionsThatTheEvaluatorDoesNotHave) {
  Worker worker({latency_evaluator()}, folder_.path());
  job_.key.evaluator = kLatency;
  job_.key.version = latency_evaluator().version;
  job_.key.options = R"({"thread":1})";
  const store::Evaluation evaluation = answer(worker).evaluation;
  EXPECT_EQ(evaluation.reason, "BadJob");
  EXPECT_NE(evaluation.detail.find("no option 'thread'; it has: threads, jobs, seconds"),
            std::string::npos)
      << evaluation.detail;
}

TEST_F(Working, HandsJobsToAnotherProgramThatStaysWarm) {
  Worker worker({}, folder_.path());
  worker.hand_over({"accuracy", "proxy"}, {CAMBIUM_FAKE_WORKER, folder_.path()});
  const auto served = [&](const char* evaluator, const char* what) {
    job_.key.evaluator = evaluator;
    job_.key.options = what;
    return answer(worker).evaluation;
  };
  EXPECT_EQ(served("accuracy", "answer").values.at("served").value, 1);
  EXPECT_EQ(served("proxy", "talk").values.at("served").value, 2) << "one child for both";
  const store::Evaluation dead = served("accuracy", "crash");
  EXPECT_EQ(dead.reason, "WorkerDied");
  EXPECT_NE(dead.detail.find("SIGSEGV"), std::string::npos) << dead.detail;
  EXPECT_EQ(served("accuracy", "answer").values.at("served").value, 1) << "another child";
  EXPECT_EQ(served("latency", "answer").reason, "BadJob");
}

TEST_F(Working, SaysThatTheOtherProgramIsNotThere) {
  Worker worker({}, folder_.path());
  worker.hand_over({"fake"}, {"/nowhere/cambium-train"});
  EXPECT_EQ(answer(worker).evaluation.reason, "NotFound");
}

TEST_F(Working, AnswersEachLineOnce) {
  Worker worker({}, folder_.path());
  std::istringstream in("nonsense\n\n{}\n");
  std::ostringstream out;
  worker.serve(in, out);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

}  // namespace
}  // namespace cambium::engine
