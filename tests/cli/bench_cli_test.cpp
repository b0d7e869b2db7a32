// Benchmarks from the command line: small runs whose documents keep their schemas.
#include "cli_testing.h"

namespace cambium::tests {
namespace {

class BenchCli : public Cli {
 protected:
  void SetUp() override {
    if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch";
  }
};

TEST_F(BenchCli, TimesOperatorsBesideAConvolution) {
  const auto bench = document({"bench", "train", "--quick", "--only", "1x1"}, "bench_train");
  ASSERT_EQ(bench["rows"].size(), 1u);
  EXPECT_EQ(bench["rows"][0]["case"], "conv 1x1");
  EXPECT_EQ(bench["rows"][0]["ways"].size(), 2u);
  EXPECT_GT(bench["rows"][0]["ways"]["f32"]["ratio"], 0);
}

TEST_F(BenchCli, ScoresNetworksWithoutTraining) {
  const std::string table = file("table.csv",
                                 "ArchitectureString,CIFAR10TestAccuracy200Epochs\n"
                                 "|none~0|+|none~0|none~1|+|skip_connect~0|none~1|none~2|,60\n"
                                 "|none~0|+|none~0|none~1|+|nor_conv_1x1~0|none~1|none~2|,80\n");
  const std::vector<std::string> words{
      "bench", "proxies",   "--quick",    "--variants",  "3",   "--checked",
      "2",     "--against", "4",          "--nasbench",  table, "--workers",
      "1",     "--results", path("rows"), "--minibatch", "2"};
  const auto bench = document(words, "bench_proxies");
  ASSERT_EQ(bench["rows"].size(), 4u);  // two of variants, one each of the table's cells
  EXPECT_EQ(bench["rows"][0]["totals"].size(), 3u);
  EXPECT_EQ(bench["rows"][1]["which"], nlohmann::json({0, 1}));
  EXPECT_EQ(bench["rows"][2]["scores"].size(), bench["rows"][2]["seconds"].size() + 2);
  EXPECT_EQ(document(words, "bench_proxies")["rows"], bench["rows"]) << "computed again";
}

TEST_F(BenchCli, TellsWhatStoppingRulesWouldSave) {
  std::string lines;
  for (const char* scores : {"[0.5,0.7,0.9]", "[0.1,0.2,0.3]", "[0.4,0.6,0.8]"}) {
    lines +=
        std::string(R"({"name":"n","parameters":1,"ending":"finished","scores":)") + scores + "}\n";
  }
  const auto bench = document({"bench", "stopping", "study", file("curves.jsonl", lines), "--rule",
                               "curve:0.9", "--rule", "halving:1,2"},
                              "bench_stopping");
  EXPECT_EQ(bench["curves"], 3);
  EXPECT_EQ(bench["epochs"], 3);
  ASSERT_EQ(bench["rows"].size(), 2u);
  EXPECT_EQ(bench["rows"][0]["rule"], "curve:0.9");
  EXPECT_GT(bench["rows"][0]["saved"], 0);
  expect_refusal({"bench", "stopping", "study", file("none.jsonl", "{}\n")}, {"none.jsonl"});
}

class BenchSearchCli : public Cli {};

TEST_F(BenchSearchCli, ReplaysStrategiesAndRewards) {
  const auto bench = document(
      {"bench", "search", "--quick", "--part", "replay", "--part", "canonical"}, "bench_search");
  ASSERT_EQ(bench["rows"].size(),
            9u);  // two strategies for two rewards, these, three sets of rules
  EXPECT_EQ(bench["rows"][0]["name"], "tree");
  EXPECT_EQ(bench["rows"][1]["name"], "random");
  EXPECT_EQ(bench["rows"][0]["curve"].size(), 20u);
  EXPECT_EQ(bench["summary"]["candidates_in_tree"], 60);
}

TEST_F(BenchSearchCli, RefusesATableThatIsNone) {
  expect_refusal({"bench", "search", "--part", "replay", "--table", file("t.jsonl", "{}\n")},
                 {"t.jsonl", "line 1"});
  expect_refusal({"bench", "search", "--part", "replay", "--table", path("none")}, {"none"});
  expect_refusal({"bench", "search", "--from", path("none"), "--table", path("t")}, {"none"});
}

class BenchSynthCli : public Cli {};

// They would silently measure the coordinate space.
TEST_F(BenchSynthCli, RefusesPartsThatKnowOneSpaceForAnother) {
  expect_refusal({"bench", "synth", "--space", "loopnest", "--part", "sampling"},
                 {"--part sampling", "proposals"});
  expect_refusal(
      {"bench", "synth", "--space", "loopnest", "--part", "proposals", "--part", "fingerprints"},
      {"--part fingerprints"});
}

class BenchLoopnestCli : public Cli {
 protected:
  void SetUp() override {
    if (!has_llvm()) GTEST_SKIP() << "needs LLVM";
  }
  nlohmann::json part(const std::string& name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"bench", "loopnest", "--quick", "--part", name, "--db"};
    words.push_back(path("tuning.db"));
    words.insert(words.end(), more.begin(), more.end());
    return document(words, "bench_loopnest");
  }
};

TEST_F(BenchLoopnestCli, CountsWhatThePaperCounts) {
  const auto bench = part("algebra");
  EXPECT_EQ(bench["summary"]["counts_compared"], 12 * 4 + 7);
  EXPECT_EQ(bench["summary"]["counts_that_differ"], 0);
  EXPECT_NEAR(bench["summary"]["release_legal_share"].get<double>(),
              bench["summary"]["release_expected_share"].get<double>(), 5e-5);
}

TEST_F(BenchLoopnestCli, ComparesLayersWithTheOriginal) {
  const auto bench = part("layers");
  ASSERT_EQ(bench["rows"].size(), 3u);
  EXPECT_EQ(bench["rows"][0]["document"], "");
  EXPECT_EQ(bench["rows"][1]["document"], "group 2");
  EXPECT_EQ(bench["rows"][1]["macs"], bench["rows"][0]["macs"].get<std::int64_t>() / 2);
  EXPECT_GT(bench["rows"][1]["ratio"], 0);
  EXPECT_EQ(bench["summary"]["layers"]["group 2"]["layers"], 1);
}

TEST_F(BenchLoopnestCli, ComposesTimesOfRandomNetworks) {
  const auto bench = part("tables", {"--networks", "2"});
  ASSERT_EQ(bench["rows"].size(), 3u);  // the original first
  for (const auto& row : bench["rows"]) {
    EXPECT_GT(row["composed_seconds"], 0);
    EXPECT_GT(row["seconds"], 0);
  }
}

TEST_F(BenchLoopnestCli, MeasuresNetworksOfFilesBesideTheOriginal) {
  const auto bench =
      part("beside", {"--model", "zoo:tiny-resnet", "--file", "zoo:tiny-resnet", "--trials", "0"});
  ASSERT_EQ(bench["rows"].size(), 1u);
  EXPECT_GT(bench["rows"][0]["speedup"], 0);
  expect_refusal({"bench", "loopnest", "--part", "beside", "--trials", "0", "--model",
                  "zoo:tiny-resnet", "--file", "zoo:resnet20"},
                 {"expected f32[1, 1, 28, 28]"});
}

TEST_F(BenchLoopnestCli, TellsRates) {
  const auto bench = part("rates");
  ASSERT_EQ(bench["rows"].size(), 4u);
  EXPECT_GT(bench["rows"][0]["documents"], 0);
  EXPECT_GT(bench["rows"][1]["functions"], 10);
  EXPECT_GE(bench["rows"][2]["points"], 100);
}

TEST_F(BenchLoopnestCli, RefusesWhatItCannotRead) {
  expect_refusal({"bench", "loopnest", "--part", "networks"}, {"--study", "METHOD=FILE"});
  expect_refusal({"bench", "loopnest", "--part", "networks", "--study", "none"}, {"none"});
  expect_refusal({"bench", "loopnest", "--part", "networks", "--study", "a=" + path("none")},
                 {"none"});
  expect_refusal({"bench", "loopnest", "--part", "layers", "--only", "C99"}, {"--only"});
  expect_refusal({"bench", "loopnest", "--part", "paper"}, {"--data"});
  expect_refusal({"bench", "loopnest", "--part", "beside"}, {"--file"});
}

class BenchFisherCli : public BenchLoopnestCli {
 protected:
  void SetUp() override {
    if (!require_feature("torch").ok() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  }
};

TEST_F(BenchFisherCli, AddsChangesOfSitesUp) {
  const auto bench = part("fisher", {"--networks", "2"});
  std::size_t networks = 0;
  for (const auto& row : bench["rows"]) networks += row["kind"] == "network";
  EXPECT_EQ(networks, 2u);
  EXPECT_EQ(bench["rows"].size(),
            networks + bench["summary"]["fisher_tables"]["options"].get<std::size_t>());
}

TEST_F(BenchFisherCli, ChoosesANetworkOfTheBudget) {
  const std::string out = path("nas.cambium");
  const auto bench = part("blockswap", {"--budget", "0.4", "--out", out});
  ASSERT_EQ(bench["rows"].size(), 1u);
  const auto& row = bench["rows"][0];
  const auto budget = row["budget"].get<double>();
  EXPECT_NEAR(row["parameters"].get<double>(), budget, 0.025 * budget + 1);
  EXPECT_EQ(row["types"].size(), 9u);
  const auto inspected = document({"inspect", out}, "inspect");
  EXPECT_EQ(inspected["totals"]["params"], row["parameters"]);
}

}  // namespace
}  // namespace cambium::tests
