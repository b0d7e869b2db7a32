// A search that was killed and goes on with --resume is the one that was left alone: it runs as the
// study keeps it, whatever this machine would do by itself.
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "search_testing.h"

namespace cambium::tests {
namespace {

class SearchResumeCli : public SearchCli {
 protected:
  // The lines of a study, by what they are of.
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

  // What trainings gave, to the last bit.
  using Key = std::tuple<std::string, double, std::int64_t>;  // candidate, epochs, seed
  std::map<Key, std::string> trainings(const std::string& study) const {
    std::map<Key, std::string> all;
    for (const nlohmann::json& each : lines(study, "evaluation")) {
      if (each["evaluator"] != "accuracy") continue;
      std::string result = each["values"].dump();
      for (const nlohmann::json& point : each["curve"]) result += " " + point["loss"].dump();
      all[{each["candidate"], each["fidelity"], each["seed"]}] = result;
    }
    EXPECT_GT(all.size(), 3u);
    return all;
  }

  // Of a search that is killed once its study has the first training: then all others are to come.
  ProcessOutcome killed_after_a_training(const std::vector<std::string>& arguments,
                                         const std::string& study) const {
    const std::string script =
        "study=$1; lines=$2; shift 2; \"$@\" > /dev/null & p=$!\n"
        "until grep -q '\"evaluator\":\"accuracy\"' \"$lines\" 2> /dev/null; do\n"
        "  sleep 0.05; \"$1\" study pack \"$study\" -o \"$lines\" > /dev/null 2>&1\n"
        "done\n"
        "kill -9 $p || exit 3; wait $p; echo status $?\n";
    ProcessRequest request{
        {"sh", "-c", script, "sh", study, path("seen"), CAMBIUM_PROGRAM}, "", {}};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.limits.wall_seconds = 300;
    auto outcome = run_process(request);
    EXPECT_TRUE(outcome.ok()) << outcome.rejection().message();
    return std::move(outcome).value();
  }

  nlohmann::json kept(const std::string& study) const {
    const auto searches = lines(study, "search");
    EXPECT_EQ(searches.size(), 1u);
    return parse_json(searches[0]["options"].get<std::string>()).value();
  }

  // Another number than a search has by itself here.
  const std::string threads_ = std::thread::hardware_concurrency() == 1 ? "2" : "1";
};

TEST_F(SearchResumeCli, RunsAsTheSearchDidBeforeItWasKilled) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const std::vector<std::string> how = {"--train-threads", threads_, "--job-seconds",   "1234",
                                        "--workers",       "2",      "--worker-memory", "20GiB"};
  std::vector<std::string> alone = how;
  alone.insert(alone.end(), {"--study", path("alone.study")});
  const auto whole = document(search(alone), "search");
  const ProcessOutcome killed = killed_after_a_training(search(how), path("s.study"));
  ASSERT_NE(killed.output.find("status 137"), std::string::npos)
      << "it was not killed at work: " << killed.output << killed.errors;
  const nlohmann::json before = kept("s.study");
  EXPECT_EQ(before["run"]["train_threads"], std::stoi(threads_));
  const auto report = document({"search", "--resume", "--study", path("s.study")}, "search");
  EXPECT_EQ(report["original"]["accuracy"], whole["original"]["accuracy"]);
  EXPECT_EQ(kept("s.study"), before);
  EXPECT_EQ(trainings("s.study"), trainings("alone.study"));

  // A replay without a word runs as the search did, and its page says how.
  const std::string id = report["finalists"][0]["candidate"].get<std::string>().substr(0, 16);
  const auto again = document({"replay", path("s.study"), id, "--only", "accuracy"}, "replay");
  for (const nlohmann::json& each : again["evaluations"]) EXPECT_EQ(each["same"], true) << each;
  const ProcessOutcome site = run({"report", path("s.study"), "-o", path("site")});
  if (site.errors.find("libjs-vega") != std::string::npos) GTEST_SKIP() << site.errors;
  ASSERT_TRUE(site.succeeded()) << site.errors;
  std::string pages;
  for (const auto& file : fs::recursive_directory_iterator(path("site"))) {
    if (file.path().extension() == ".html") pages += read_file(file.path().string()).value();
  }
  EXPECT_NE(pages.find(id + " --device cpu --train-threads " + threads_ + "<"), std::string::npos);
}

// On another machine it may have to run in another way: that is said, and kept from then on.
TEST_F(SearchResumeCli, SaysWhatAnotherWayToRunChanges) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  // All is refused by its cost: nothing but the original is trained.
  const std::vector<std::string> none = {"--max-parameters", "0.0001x", "--candidates", "1",
                                         "--device",         "auto"};
  ASSERT_TRUE(run(search(none)).succeeded());
  const std::string device = kept("s.study")["run"]["device"];
  EXPECT_TRUE(device == "cpu" || device.starts_with("cuda:")) << "it stays where it began";
  const auto resume = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"search", "--resume", "--study", path("s.study")};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessOutcome outcome = run(words);
    EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
    return outcome.errors;
  };
  EXPECT_EQ(resume({}).find("last run"), std::string::npos);
  const std::string words = resume({"--train-threads", "3"});
  EXPECT_NE(words.find("last run: --train-threads"), std::string::npos) << words;
  EXPECT_EQ(kept("s.study")["run"]["train_threads"], 3);
  EXPECT_EQ(resume({}).find("last run"), std::string::npos);
  EXPECT_EQ(kept("s.study")["run"]["train_threads"], 3);
  EXPECT_EQ(kept("s.study")["run"]["device"], device);
}

// The same command once more goes on too, and runs as the study keeps it.
TEST_F(SearchResumeCli, GoesOnAsItRanWhenItIsNamedOnceMore) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  std::vector<std::string> begun =
      search({"--max-parameters", "0.0001x", "--candidates", "1", "--train-threads", "3"});
  ASSERT_TRUE(run(begun).succeeded());
  const nlohmann::json before = kept("s.study");
  std::vector<std::string> again = begun;
  for (const char* option : {"--train-threads", "--device", "--candidates"}) {
    const auto at = std::find(again.begin(), again.end(), option);
    again.erase(at, at + 2);
  }
  const ProcessOutcome same = run(again);
  ASSERT_TRUE(same.succeeded()) << same.errors;
  EXPECT_EQ(same.errors.find("last run"), std::string::npos) << same.errors;
  EXPECT_EQ(kept("s.study"), before);
  *std::next(std::find(begun.begin(), begun.end(), "--train-threads")) = "2";
  const ProcessOutcome changed = run(begun);
  ASSERT_TRUE(changed.succeeded()) << changed.errors;
  EXPECT_NE(changed.errors.find("last run: --train-threads"), std::string::npos) << changed.errors;
  EXPECT_EQ(kept("s.study")["run"]["train_threads"], 2);
  EXPECT_EQ(kept("s.study")["command"], before["command"]) << "as it was begun";
}

// What is timed needs no data set, which need not be on the machine that times.
TEST_F(SearchResumeCli, CompletesLatenciesWithoutTheDataSet) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  ASSERT_TRUE(run(search({"--device", "none", "--candidates", "1"})).succeeded());
  const nlohmann::json before = kept("s.study");
  for (const auto& each : fs::directory_iterator(path(""))) {
    if (each.path().string().ends_with("-ubyte")) fs::remove(each.path());
  }
  const auto only = [&](const char* evaluator) {
    return std::vector<std::string>{"search",  "--resume", "--only",
                                    evaluator, "--study",  path("s.study")};
  };
  const ProcessOutcome done = run(only("latency"));
  EXPECT_TRUE(done.succeeded()) << done.errors;
  EXPECT_EQ(kept("s.study"), before);
  expect_refusal(only("accuracy"), {"t10k-images"});
}

// Trainings that waited are known as they were made.
TEST_F(SearchResumeCli, KeepsHowTrainingsWereCompleted) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  ASSERT_TRUE(run(search({"--device", "none", "--candidates", "1"})).succeeded());
  ASSERT_TRUE(run({"search", "--resume", "--only", "accuracy", "--train-threads", "2", "--device",
                   "cpu", "--study", path("s.study")})
                  .succeeded());
  EXPECT_EQ(kept("s.study")["run"]["train_threads"], 2);
  EXPECT_EQ(kept("s.study")["run"]["device"], "none") << "others are left to others as before";
  EXPECT_EQ(kept("s.study")["budget"]["candidates"], 1);
}

// A limit on activations shapes the space: a strategy that counts its candidates would skip some.
TEST_F(SearchResumeCli, RefusesAnotherLimitThatShapesTheSpaces) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  std::vector<std::string> none = {"--max-parameters", "0.0001x", "--candidates", "1"};
  ASSERT_TRUE(run(search(none)).succeeded());
  none.insert(none.end(), {"--max-macs", "0.9x"});
  EXPECT_TRUE(run(search(none)).succeeded()) << "other limits may change";
  none.insert(none.end(), {"--max-activations", "2x"});
  expect_refusal(search(none), {"another --max-activations", "--name"});
}

// The strategy has rewards of other trainings: they cannot be compared.
TEST_F(SearchResumeCli, RefusesOtherTrainingsUnderTheSameName) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  std::vector<std::string> none = {"--max-parameters", "0.0001x", "--candidates", "1"};
  ASSERT_TRUE(run(search(none)).succeeded());
  none.insert(none.end(), {"--stopping", "below-original:0.6"});
  expect_refusal(search(none), {"begun with other stopping", "--name"});
}

// `--candidates 0`: those of one's own and no others. The same convolution once more begins with
// the same weights, so that it scores and trains as the original does.
TEST_F(SearchResumeCli, EvaluatesCandidatesOfOnesOwnAlone) {
  expect_refusal(search({"--candidates", "0"}), {"--candidates", "--try"});
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const auto report = document(
      search({"--candidates", "0", "--try", "conv2d", "--proxy", "fisher", "--epochs", "1"}),
      "search");
  EXPECT_EQ(report["summary"]["proposed"], 0);
  ASSERT_EQ(report["finalists"].size(), 1u) << "what was given is in the finals";
  EXPECT_EQ(lines("s.study", "candidate").size(), 2u) << "the original and the one";
  std::map<std::string, std::vector<double>> scores, losses;  // by candidate
  for (const nlohmann::json& each : lines("s.study", "evaluation")) {
    if (each["evaluator"] == "proxy") {
      scores[each["candidate"]].push_back(each["values"]["fisher"]["value"].get<double>());
    } else if (each["evaluator"] == "accuracy" &&
               each["options"].get<std::string>().find("keep") == std::string::npos) {
      losses[each["candidate"]].push_back(each["curve"][0]["loss"].get<double>());
    }
  }
  for (const auto& of : {scores, losses}) {
    ASSERT_EQ(of.size(), 2u);
    const double first = of.begin()->second.at(0), second = of.rbegin()->second.at(0);
    EXPECT_NEAR(second / first, 1, 1e-3);
  }
  const auto again = document({"search", "--resume", "--study", path("s.study")}, "search");
  EXPECT_EQ(again["summary"]["evaluations"], 0);
}

// As `inspect --edit` prints it: the candidate of any space, with the edits of any sites.
TEST_F(SearchResumeCli, EvaluatesACandidateOfAFile) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const auto inspected = document(
      {"inspect", model_, "--edit", "conv2d", "--targets", "conv:in=16", "--space-option", "g=2"},
      "edits");
  const nlohmann::json& proposal = inspected["proposals"].at(0);
  const std::string written = file("mine.json", proposal["candidate"].dump());
  ASSERT_TRUE(
      run(search({"--candidates", "0", "--try", written, "--brief-epochs", "0", "--epochs", "1"}))
          .succeeded());
  std::vector<std::string> found;
  for (const nlohmann::json& each : lines("s.study", "candidate")) {
    found.push_back(each["identity"].get<std::string>());
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), proposal["identity"].get<std::string>()), 1);
}

}  // namespace
}  // namespace cambium::tests
