// Legality by Fisher Potential from the command line: verdicts in the study, what the funnel makes
// of them, and the table by kind of step. Tiny networks, the real measure.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/search/evaluators.h"
#include "search_testing.h"

namespace cambium::tests {
namespace {

using nlohmann::json;

class LegalityCli : public SearchCli {
 protected:
  void SetUp() override {
    if (!has_torch()) GTEST_SKIP() << "needs libtorch";
  }

  // The search of NAS-PTE: random sequences, one draw, no training while it explores.
  std::vector<std::string> paper_mode(std::vector<std::string> changes = {}) const {
    const std::vector<std::string> all = {
        "--space",          "loopnest", "--space-option",  "published=yes",
        "--targets",        "conv:*",   "--legality",      "total",
        "--legality-draws", "1",        "--brief-epochs",  "0",
        "--candidates",     "12",       "--quick-latency", "kernels"};
    changes.insert(changes.begin(), all.begin(), all.end());
    return search(changes);
  }

  // The evaluations of the study by evaluator and candidate, with those of the original.
  std::map<std::string, std::map<std::string, json>> evaluations() const {
    EXPECT_TRUE(run({"study", "pack", path("s.study"), "-o", path("lines")}).succeeded());
    std::istringstream in(read_file(path("lines")).value());
    std::map<std::string, std::map<std::string, json>> all;
    for (std::string line; std::getline(in, line);) {
      const auto record = parse_json(line).value();
      if (!record.contains("evaluation")) continue;
      const json& evaluation = record["evaluation"];
      all[evaluation["evaluator"]].emplace(evaluation["candidate"], evaluation);
    }
    return all;
  }

  static double value(const json& evaluation, const std::string& name) {
    return evaluation["values"][name]["value"].get<double>();
  }
};

TEST_F(LegalityCli, RefusesByASingleDrawAsThePaperDoes) {
  const auto report = document(paper_mode(), "search");
  const json& stages = report["summary"]["stages"];
  ASSERT_EQ(stages.size(), 3u) << "cost, legality and the sum of kernels; nothing is trained";
  EXPECT_EQ(stages[1]["evaluator"], "legality");
  EXPECT_EQ(stages[1]["entered"], 12);
  const std::int64_t refused = stages[1]["refused"].get<std::int64_t>();
  EXPECT_GT(refused, 0) << "a seed for which some are legal and some are not";
  EXPECT_LT(refused, 12);
  EXPECT_EQ(stages[2]["entered"], 12 - refused);
  auto all = evaluations();
  for (const auto& [candidate, evaluation] : all[engine::kLegality]) {
    EXPECT_EQ(value(evaluation, "draws"), 1);
    EXPECT_NE(value(evaluation, "legal"), 0) << "a sign always decides";
    EXPECT_EQ(value(evaluation, "legal") > 0, value(evaluation, "fisher_change") >= 0);
    const bool is_timed = all[engine::kKernelSum].count(candidate) > 0;
    EXPECT_EQ(is_timed || !has_llvm(), value(evaluation, "legal") > 0);
  }
  EXPECT_EQ(all[engine::kAccuracy].size(), 2u) << "the finalist and the original";
  // The same by kind of step.
  const json& legality = report["legality"];
  EXPECT_EQ(legality["all"]["candidates"], 12);
  EXPECT_EQ(legality["all"]["judged"], 12);
  EXPECT_EQ(legality["all"]["illegal"], refused);
  EXPECT_EQ(legality["all"]["undecided"], 0);
  EXPECT_GE(legality["all"]["layers"], 12) << "each candidate changes one layer at least";
  ASSERT_FALSE(legality["kinds"].empty());
  std::set<std::string> kinds;
  for (const json& kind : legality["kinds"]) {
    EXPECT_EQ(kind["space"], "loopnest");
    EXPECT_LE(kind["illegal"], kind["judged"]);
    EXPECT_LE(kind["fallen"], kind["layers"]);
    kinds.insert(kind["kind"].get<std::string>());
  }
  EXPECT_EQ(kinds.count("slabs") + kinds.count("peel group") + kinds.count("half group"), 3u);
  // It is of the study, whoever asks, and in however many runs.
  const auto again = document({"search", "--resume", "--study", path("s.study")}, "search");
  EXPECT_EQ(again["summary"]["evaluations"], 0);
  EXPECT_EQ(again["legality"], legality);
  EXPECT_EQ(document({"study", "list", path("s.study")}, "study_list")["legality"], legality);
  const ProcessOutcome list = run({"study", "list", path("s.study")});
  EXPECT_NE(list.output.find("kind of step"), std::string::npos) << list.output;
  EXPECT_NE(list.output.find("peel group"), std::string::npos);
}

TEST_F(LegalityCli, DrawsMoreOnlyForTheUndecided) {
  const auto report = document(
      paper_mode({"--legality", "layers", "--legality-draws", "8", "--finalists", "0"}), "search");
  std::int64_t illegal = 0, undecided = 0;
  auto all = evaluations();
  for (const auto& [candidate, evaluation] : all[engine::kLegality]) {
    const double draws = value(evaluation, "draws");
    EXPECT_TRUE(draws == 4 || draws == 8) << draws;
    EXPECT_TRUE(draws == 8 || value(evaluation, "confidence") >= 0.95) << evaluation;
    EXPECT_TRUE(draws == 8 || value(evaluation, "legal") != 0) << evaluation;
    illegal += value(evaluation, "legal") < 0 ? 1 : 0;
    undecided += value(evaluation, "legal") == 0 ? 1 : 0;
  }
  EXPECT_EQ(report["legality"]["all"]["illegal"], illegal);
  EXPECT_EQ(report["legality"]["all"]["undecided"], undecided);
  EXPECT_EQ(report["summary"]["stages"][1]["refused"], illegal) << "undecided candidates go on";
}

// Its candidates would all be legal.
TEST_F(LegalityCli, RefusesANetworkThatHasNothingToScore) {
  const ProcessOutcome outcome = run(paper_mode({"--legality-hooks", "block-outputs"}));
  EXPECT_EQ(outcome.text(), "exit code 2") << outcome.errors;
  const std::size_t last = outcome.errors.rfind("cambium: ");
  ASSERT_NE(last, std::string::npos) << outcome.errors;
  for (const char* word : {"the original itself fails", "block-outputs", "'tiny'"}) {
    EXPECT_NE(outcome.errors.find(word, last), std::string::npos) << word << outcome.errors;
  }
  expect_refusal(paper_mode({"--legality-hooks", "ends"}), {"--legality-hooks", "ends"});
  expect_refusal(paper_mode({"--legality", "some"}), {"--legality", "some"});
  expect_refusal(paper_mode({"--legality-draws", "0"}), {"--legality-draws", "1"});
}

}  // namespace
}  // namespace cambium::tests
