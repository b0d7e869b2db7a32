// Searches without any training from the command line: options of the loop-nest space, composed
// from tables of kernel times and of Fisher Potential.
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/search/space_list.h"
#include "search_testing.h"

namespace cambium::tests {
namespace {

class ComposeCli : public SearchCli {
 protected:
  void SetUp() override {
    if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
    if (!engine::space_kind("loopnest").ok()) GTEST_SKIP() << "this build lacks the space";
  }

  // Two layers with a few options each. On so small a network most of them lower Fisher Potential,
  // so some loss is allowed.
  std::vector<std::string> compose(std::vector<std::string> changes = {}) const {
    const std::vector<std::string> usual = {"--strategy",        "compose",
                                            "--space",           "loopnest",
                                            "--targets",         "conv:*",
                                            "--space-option",    "most-options=3",
                                            "--brief-epochs",    "0",
                                            "--finalists",       "0",
                                            "--candidates",      "30",
                                            "--legality-draws",  "1",
                                            "--strategy-option", "least-gain=-1.5"};
    changes.insert(changes.begin(), usual.begin(), usual.end());
    return search(changes);
  }

  std::vector<nlohmann::json> lines(const std::string& study, const char* what) const {
    EXPECT_TRUE(run({"study", "pack", path(study), "-o", path("lines")}).succeeded());
    std::istringstream in(read_file(path("lines")).value());
    std::vector<nlohmann::json> all;
    for (std::string line; std::getline(in, line);) {
      const auto record = parse_json(line).value();
      if (record.contains(what)) all.push_back(record[what]);
    }
    return all;
  }
  // By ticket.
  std::map<std::int64_t, std::string> candidates(const std::string& study) const {
    std::map<std::int64_t, std::string> all;
    for (const nlohmann::json& each : lines(study, "candidate")) {
      all[each["ticket"].get<std::int64_t>()] = each["identity"];
    }
    return all;
  }
};

TEST_F(ComposeCli, FindsAFrontWithoutAnyTraining) {
  const auto report = document(compose(), "search");
  EXPECT_EQ(report["summary"]["objectives"], (nlohmann::json{"fisher_change", "latency"}));
  EXPECT_TRUE(report["finalists"].empty());
  ASSERT_GT(report["front"].size(), 1u) << report.dump();
  ASSERT_FALSE(report["summary"]["remarks"].empty());
  EXPECT_NE(report["summary"]["remarks"].dump().find("predicted kernel_sum"), std::string::npos)
      << report["summary"]["remarks"];
  std::set<std::string> evaluators;
  for (const nlohmann::json& each : lines("s.study", "evaluation")) {
    evaluators.insert(each["evaluator"].get<std::string>());
  }
  EXPECT_EQ(evaluators.count("accuracy") + evaluators.count("latency"), 0u);
  EXPECT_EQ(evaluators.count("legality") + evaluators.count("kernel-sum"), 2u);
  // The list shows the same front, behind the original.
  const auto list = document({"study", "list", path("s.study")}, "study_list");
  EXPECT_EQ(list["objectives"], report["summary"]["objectives"]);
  std::vector<std::string> listed, found;
  for (const auto& row : list["rows"]) listed.push_back(row["candidate"]);
  for (const auto& row : report["front"]) found.push_back(row["candidate"]);
  ASSERT_FALSE(listed.empty());
  listed.erase(listed.begin());
  EXPECT_EQ(listed, found);
  for (const auto& row : report["front"]) {
    EXPECT_GE(row["scores"]["fisher_change"]["value"].get<double>(), -1.5) << "as it was asked";
    EXPECT_TRUE(row["scores"]["latency"]["estimate"].get<bool>());
  }
  // All of it is in the study.
  const auto again = document({"search", "--resume", "--study", path("s.study")}, "search");
  EXPECT_EQ(again["summary"]["evaluations"], 0);
  EXPECT_EQ(again["front"], report["front"]);
  EXPECT_EQ(again["summary"]["remarks"], report["summary"]["remarks"]);
  const ProcessOutcome words = run({"search", "--resume", "--study", path("s.study")});
  EXPECT_NE(words.errors.find("nothing was fully trained"), std::string::npos) << words.errors;
  EXPECT_NE(words.output.find("Fisher change"), std::string::npos) << words.output;
}

TEST_F(ComposeCli, SaysThatItNeedsMoreCandidatesThanOptions) {
  const ProcessOutcome outcome = run(compose({"--candidates", "3"}));
  ASSERT_TRUE(outcome.succeeded()) << outcome.errors;
  const std::size_t at = outcome.errors.find("note: 3 of ");
  ASSERT_NE(at, std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find(" options were proposed", at), std::string::npos) << outcome.errors;
}

// MACs and Fisher Potential are the same in every run, so that the whole search is.
TEST_F(ComposeCli, GoesOnAfterKillsAsIfItHadBeenLeftAlone) {
  const std::vector<std::string> macs = {
      "--strategy-option", "cost=macs", "--reward",    "macs",
      "--objective",       "macs",      "--objective", "fisher_change"};
  const auto with_study = [&](const char* study) {
    std::vector<std::string> words = compose({"--study", path(study)});
    words.insert(words.end(), macs.begin(), macs.end());
    return words;
  };
  const auto alone = document(with_study("alone.study"), "search");
  const double seconds = alone["summary"]["seconds"].get<double>();
  Rng random(7);
  int kills = 0;
  for (int life = 0; life < 6; ++life) {
    const ProcessOutcome outcome = run(with_study("s.study"), random.uniform(0.1, 0.6) * seconds);
    if (outcome.death == Death::WallTime) ++kills;
    ASSERT_TRUE(outcome.death == Death::WallTime || outcome.succeeded()) << outcome.errors;
  }
  EXPECT_GT(kills, 0);
  const auto report = document(with_study("s.study"), "search");
  EXPECT_EQ(report["front"].size(), alone["front"].size());
  for (std::size_t i = 0; i < report["front"].size(); ++i) {
    EXPECT_EQ(report["front"][i]["candidate"], alone["front"][i]["candidate"]);
  }
  EXPECT_EQ(report["summary"]["remarks"], alone["summary"]["remarks"]);
  EXPECT_NE(alone["summary"]["remarks"].dump().find("predicted macs"), std::string::npos)
      << "compositions were proposed: " << alone["summary"]["remarks"];
  EXPECT_EQ(candidates("s.study"), candidates("alone.study"));
}

}  // namespace
}  // namespace cambium::tests
