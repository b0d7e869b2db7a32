// Searching from the command line, with the real compiler and real training at a tiny scale.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search/evaluators.h"
#include "search_testing.h"

namespace cambium::tests {
namespace {

TEST_F(SearchCli, FindsTrainsTunesReportsAndExports) {
  if (!require_feature("torch").ok() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const auto report = document(search(), "search");
  EXPECT_EQ(report["summary"]["folded"], 3);
  ASSERT_TRUE(report["original"].contains("accuracy")) << report.dump();
  EXPECT_GT(report["original"]["latency"]["value"].get<double>(), 0);
  ASSERT_EQ(report["finalists"].size(), 1u) << report.dump();
  const auto& best = report["finalists"][0];
  EXPECT_EQ(best["refused"], "");
  EXPECT_GT(best["scores"]["latency"]["value"].get<double>(), 0);
  // All of it is in the study: again means nothing to do.
  const auto again =
      document({"search", "--resume", "--candidates", "3", "--study", path("s.study")}, "search");
  EXPECT_EQ(again["summary"]["evaluations"], 0);
  EXPECT_EQ(again["finalists"][0]["scores"], best["scores"]);
  const auto list = document({"study", "list", path("s.study")}, "study_list");
  EXPECT_EQ(list["candidates"], 4) << "the original is one";
  const std::string id = best["candidate"].get<std::string>().substr(0, 10);
  const ProcessOutcome exported = run({"export", path("s.study"), id, "-o", path("out")});
  EXPECT_TRUE(exported.succeeded()) << exported.errors;
  for (const char* name : {"model.cambium", "model.py", "model.safetensors", "candidate.json",
                           "equation.txt", "native/manifest.json"}) {
    EXPECT_TRUE(fs::exists(path("out/") + name)) << name << exported.output << exported.errors;
  }
  const ProcessOutcome fastest =
      run({"export", path("s.study"), "best", "-o", path("best"), "--without-native"});
  EXPECT_EQ(fastest.succeeded(), best["holds_limits"].get<bool>()) << fastest.errors;
  const ProcessOutcome checked =
      run({"run", path("out/model.cambium"), "--random", "--native", "--check"});
  EXPECT_TRUE(checked.succeeded()) << checked.errors;
  const ProcessOutcome reported = run({"report", path("s.study"), "-o", path("site")});
  EXPECT_TRUE(reported.succeeded() || reported.errors.find("libjs-vega") != std::string::npos)
      << reported.errors;
}

// How far it was to go is in the study too.
TEST_F(SearchCli, GoesOnAsFarAsItWasToGo) {
  // Nothing is evaluated: whatever is asked for, the spaces are drawn from and refused by cost.
  const std::vector<std::string> changes = {"--max-parameters", "0.0001x", "--candidates", "7"};
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const auto first = document(search(changes), "search");
  EXPECT_EQ(first["summary"]["folded"], 7);
  const auto again = document({"search", "--resume", "--study", path("s.study")}, "search");
  EXPECT_EQ(again["summary"]["folded"], 7) << "not the 100 of a search that says nothing";
  const auto more = document(
      {"search", "--resume", "--study", path("s.study"), "--candidates", "9", "--finalists", "2"},
      "search");
  EXPECT_EQ(more["summary"]["folded"], 9);
  EXPECT_EQ(more["setup"]["finalists"], 2);
  const auto last = document({"search", "--resume", "--study", path("s.study")}, "search");
  EXPECT_EQ(last["summary"]["folded"], 9);
  EXPECT_EQ(last["setup"]["finalists"], 2);
  // Another search needs another name: one state cannot serve both.
  std::vector<std::string> other = search(changes);
  *std::find(other.begin(), other.end(), "g=2") = "g=4";
  expect_refusal(other, {"random 1", "spaces", "--name"});
  other.insert(other.end(), {"--name", "another"});
  EXPECT_EQ(document(other, "search")["summary"]["folded"], 7);
  expect_refusal({"search", "--resume", "--study", path("s.study")}, {"'random 1', 'another'"});
  const ProcessOutcome words =
      run({"search", "--resume", "--study", path("s.study"), "--name", "another"});
  EXPECT_NE(words.errors.find("no candidate reached the finals"), std::string::npos)
      << words.errors;
  // Each has the command that it was begun with.
  ASSERT_TRUE(run({"study", "pack", path("s.study"), "-o", path("lines")}).succeeded());
  std::istringstream lines(read_file(path("lines")).value());
  std::map<std::string, nlohmann::json> commands;
  for (std::string line; std::getline(lines, line);) {
    const auto record = parse_json(line).value();
    if (!record.contains("search")) continue;
    const auto options = parse_json(record["search"]["options"].get<std::string>()).value();
    commands[record["search"]["name"]] = options["command"];
  }
  ASSERT_EQ(commands.size(), 2u);
  for (const auto& [name, command] : commands) {
    const auto has = [&](const char* word) {
      return std::count(command.begin(), command.end(), word) > 0;
    };
    EXPECT_FALSE(has("--resume")) << command;
    EXPECT_EQ(has("g=4"), name == "another") << command;
  }
}

// Killed at random moments, with the real compiler and real trainings.
TEST_F(SearchCli, LeavesTrainingsToAnotherMachine) {
  if (!has_torch()) GTEST_SKIP() << "needs libtorch";
  const auto here = document(search({"--device", "none"}), "search");
  EXPECT_EQ(here["summary"]["folded"], 3);
  EXPECT_FALSE(here["original"].contains("accuracy"));
  const auto there = [&] {
    const ProcessOutcome done = run({"search", "--resume", "--only", "accuracy", "--device", "cpu",
                                     "--train-threads", "1", "--study", path("s.study")});
    EXPECT_TRUE(done.succeeded()) << done.errors;
  };
  const std::vector<std::string> again = {"search", "--resume", "--device",
                                          "none",   "--study",  path("s.study")};
  there();
  // Brief trainings may choose other finalists than those that had none.
  EXPECT_TRUE(document(again, "search")["original"].contains("accuracy"));
  there();
  const auto last = document(again, "search");
  ASSERT_EQ(last["finalists"].size(), 1u);
  EXPECT_TRUE(last["finalists"][0]["scores"].contains("accuracy"));
}

TEST_F(SearchCli, GoesOnAfterKillsAsIfItHadBeenLeftAlone) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const auto alone = document(search({"--study", path("alone.study")}), "search");
  ASSERT_EQ(alone["finalists"].size(), 1u) << alone.dump();
  const double seconds = alone["summary"]["seconds"].get<double>();
  Rng random(5);
  int kills = 0;
  for (int life = 0; life < 6; ++life) {
    const ProcessOutcome outcome = run(search(), random.uniform(0.1, 0.6) * seconds);
    if (outcome.death == Death::WallTime) ++kills;
    ASSERT_TRUE(outcome.death == Death::WallTime || outcome.succeeded()) << outcome.errors;
  }
  EXPECT_GT(kills, 0);
  const auto report = document(search(), "search");
  EXPECT_EQ(report["summary"]["folded"], alone["summary"]["folded"]);
  EXPECT_EQ(report["original"]["accuracy"], alone["original"]["accuracy"]);
  const auto candidates = [&](const std::string& study) {
    std::map<std::int64_t, std::string> all;  // by ticket
    EXPECT_TRUE(run({"study", "pack", path(study), "-o", path("lines")}).succeeded());
    std::istringstream in(read_file(path("lines")).value());
    for (std::string line; std::getline(in, line);) {
      const auto record = parse_json(line).value();
      if (!record.contains("candidate")) continue;
      all[record["candidate"]["ticket"].get<std::int64_t>()] = record["candidate"]["identity"];
    }
    EXPECT_GT(all.size(), 2u);
    return all;
  };
  EXPECT_EQ(candidates("s.study"), candidates("alone.study"));
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().string().find(".work."), std::string::npos) << "left: " << entry.path();
  }
}

TEST_F(SearchCli, SaysByItsExitCodeThatItWasInterrupted) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const auto expect_stopped = [&](const std::vector<std::string>& arguments,
                                  const std::string& signal, const std::string& end) {
    const ProcessOutcome outcome = signalled(arguments, signal, "study ");
    EXPECT_EQ(outcome.text(), end) << outcome.errors;
    EXPECT_NE(outcome.errors.find("--resume"), std::string::npos) << outcome.errors;
    (void)document({"study", "list", path("s.study")}, "study_list");
  };
  expect_stopped(search({"--candidates", "100000"}), "INT", "exit code 130");
  expect_stopped({"search", "--resume", "--study", path("s.study")}, "TERM", "exit code 143");
}

// One command for all evaluators, whatever program has them.
TEST_F(SearchCli, AWorkerAnswersJobsOfEveryEvaluator) {
  std::string jobs;
  int id = 0;
  for (const char* evaluator : {"accuracy", "latency", "proxy", "legality", "accuracy"}) {
    // The candidate edits another model: a worker that knows the evaluator and its version says so.
    // The latency job asks for a version that no worker has.
    const bool is_known = std::string_view(evaluator) != "latency";
    const nlohmann::json key = {
        {"candidate", std::string(32, '0')},
        {"evaluator", evaluator},
        {"version", is_known ? engine::evaluator_version(evaluator) : "another"},
        {"options", "{}"},
        {"fidelity", 1},
        {"seed", 1},
        {"machine", std::string(32, '0')}};
    jobs += json_text({{"id", ++id},
                       {"key", key},
                       {"candidate", R"({"base": ")" + std::string(32, '1') + R"(", "edits": []})"},
                       {"model", model_},
                       {"bind", nlohmann::json::object()},
                       {"data", "mnist:" + folder_.path()},
                       {"spaces", "[]"},
                       {"db", ""},
                       {"machine_file", ""},
                       {"device", "cpu"},
                       {"threads", 1}}) +
            "\n";
  }
  ProcessRequest request{{CAMBIUM_PROGRAM, "evaluate", "--scratch", folder_.path()}, jobs, {}};
  const auto outcome = run_process(request);
  ASSERT_TRUE(outcome.ok() && outcome->succeeded());
  std::istringstream lines(outcome->output);
  id = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto result = parse_json(line).value();
    EXPECT_EQ(result["id"], ++id) << "in the order of the jobs";
    EXPECT_EQ(result["state"], "refused");
    const char* const trained = has_torch() ? "NotThisBase" : "Unavailable";
    EXPECT_EQ(result["reason"], id == 2 ? "BadJob" : trained) << line;
  }
  EXPECT_EQ(id, 5);
}

TEST_F(SearchCli, AWorkerAnswersWhatIsNoJob) {
  ProcessRequest request{{CAMBIUM_PROGRAM, "evaluate"}, "nonsense\n{}\n", {}};
  const auto outcome = run_process(request);
  ASSERT_TRUE(outcome.ok() && outcome->succeeded());
  EXPECT_EQ(std::count(outcome->output.begin(), outcome->output.end(), '\n'), 2);
  EXPECT_NE(outcome->output.find("BadJob"), std::string::npos) << outcome->output;
}

}  // namespace
}  // namespace cambium::tests
