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

}  // namespace
}  // namespace cambium::tests
