// What comes out of a search, from the command line: the front as files, and a candidate evaluated
// again with the command that its page shows.
#include <string>
#include <vector>

#include "search_testing.h"

namespace cambium::tests {
namespace {

class ExportCli : public SearchCli {
 protected:
  std::string packed() const {
    EXPECT_TRUE(run({"study", "pack", path("s.study"), "-o", path("lines")}).succeeded());
    return read_file(path("lines")).value();
  }
};

TEST_F(ExportCli, RefusesWhatCannotBeReplayed) {
  expect_refusal({"replay", path("none.study"), "12"}, {"none.study"});
  expect_refusal({"export", path("none.study"), "front", "-o", path("out")}, {"none.study"});
}

TEST_F(ExportCli, WritesTheFrontAndDoesTheSameAgain) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const auto report = document(search({"--candidates", "2"}), "search");
  ASSERT_EQ(report["finalists"].size(), 1u) << report.dump();

  const auto list = document({"study", "list", path("s.study")}, "study_list");
  ASSERT_GT(list["rows"].size(), 1u) << list.dump();
  const ProcessOutcome exported =
      run({"export", path("s.study"), "front", "-o", path("front"), "--without-native"});
  ASSERT_TRUE(exported.succeeded()) << exported.errors;
  for (std::size_t i = 1; i < list["rows"].size(); ++i) {
    const std::string id = list["rows"][i]["candidate"];
    for (const char* name : {"/README.txt", "/model.py", "/candidate.json"})
      EXPECT_TRUE(fs::exists(path("front/" + id.substr(0, 16)) + name)) << id << name;
  }

  const std::string before = packed();
  const std::string id = report["finalists"][0]["candidate"].get<std::string>().substr(0, 16);
  const auto replayed = document(
      {"replay", path("s.study"), id, "--device", "cpu", "--train-threads", "1"}, "replay");
  int trainings = 0, times = 0;
  for (const auto& each : replayed["evaluations"]) {
    EXPECT_EQ(each["again"]["state"], "done") << each;
    if (each["evaluator"] == "accuracy") {
      ++trainings;
      EXPECT_EQ(each["again"]["values"], each["recorded"]["values"]);
      EXPECT_TRUE(each["same"].get<bool>()) << each;
    } else if (each["evaluator"] == "latency") {
      ++times;
      EXPECT_GT(each["again"]["values"]["latency"]["value"].get<double>(), 0) << each;
    }
  }
  EXPECT_EQ(trainings, 2) << "briefly and fully";
  EXPECT_EQ(times, 2) << "as it comes and tuned";
  EXPECT_EQ(packed(), before) << "the study is as it was";

  // As the page says it.
  const ProcessOutcome reported = run({"report", path("s.study"), "-o", path("site")});
  ASSERT_TRUE(reported.succeeded()) << reported.errors;
  const std::string page = read_file(path("site/c/" + id + ".html")).value();
  const std::string begin = "<code>cambium replay ";
  const std::size_t at = page.find(begin);
  ASSERT_NE(at, std::string::npos);
  const std::string words =
      page.substr(at + begin.size(), page.find("</code>", at) - at - begin.size());
  const auto outcome = run_process(
      {{"sh", "-c", std::string(CAMBIUM_PROGRAM) + " replay " + words + " --only accuracy"},
       "",
       {}});
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome->succeeded()) << words << outcome->errors;
  EXPECT_NE(outcome->output.find("the same"), std::string::npos) << outcome->output;
  EXPECT_EQ(outcome->output.find("refused"), std::string::npos) << outcome->output;
}

}  // namespace
}  // namespace cambium::tests
