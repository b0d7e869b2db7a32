// The loop-nest space from the command line: what documents cost, what is refused and how, and
// proposals of whole networks.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cli_testing.h"
#include "search_testing.h"

namespace cambium::tests {
namespace {

// A convolution in 2 groups, one behind it whose sum with the input is the end of a block, and one
// whose result is the output.
constexpr const char* kNet = R"(cambium model 1 "net"
%0 "x" = input : f32[1, 16, 9, 9]
%1 "w1" = weight normal(0.3, 3) : f32[16, 8, 3, 3]
%2 "grouped" = conv(%0, %1) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 2} : f32[1, 16, 9, 9]
%3 "w2" = weight normal(0.1, 4) : f32[16, 16, 3, 3]
%4 "dense" = conv(%2, %3) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 16, 9, 9]
%5 "sum" = binary.add(%0, %4) : f32[1, 16, 9, 9]
%6 "w3" = weight normal(0.1, 4) : f32[12, 16, 1, 1]
%7 "last" = conv(%5, %6) {strides = [1, 1], pads = [0, 0, 0, 0], dilations = [1, 1], groups = 1} : f32[1, 12, 9, 9]
output "y" = %7
)";

class LoopNestCli : public Cli {
 protected:
  std::vector<std::string> inspect(const std::string& model, const std::string& edit,
                                   const std::string& targets = "conv:*") const {
    return {"inspect", model, "--space", "loopnest", "--edit", edit, "--targets", targets};
  }
  std::vector<std::string> synth(const std::string& what,
                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"synth", what};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--model", net_, "--space", "loopnest"});
    return words;
  }
  std::string net_ = file("net.cambium", kNet);
};

// ---- costs

struct Total {
  const char* model;
  const char* edit;
  std::int64_t parameters, macs;
};

// Totals of the networks in the authors' release of NAS-PTE (pytorch/models/resnet.py), where both
// convolutions of every block have one operator: its Conv with groups=2, and its sequences with
// these numbers.
constexpr Total kTotals[] = {
    {"zoo:resnet34-cifar", "group 2", 10'739'018, 583'734'272},
    {"zoo:resnet34-cifar", "halves 2 4", 8'103'242, 439'817'216},
    {"zoo:resnet34-cifar", "peel 16 2", 10'743'626, 592'102'400},
    {"zoo:resnet34-cifar", "slabs 2", 42'368'330, 1'159'402'496},
    {"zoo:resnet18-cifar", "group 2", 5'681'226, 281'744'384},
};

TEST_F(LoopNestCli, InspectCountsANetworkAndItsSites) {
  for (const Total& total : kTotals) {
    SCOPED_TRACE(std::string(total.model) + ", " + total.edit);
    const auto report = document(inspect(total.model, total.edit, "conv:k=3,block=basic"), "edits");
    const auto& made = report["proposals"][0];
    EXPECT_EQ(made["parameters"].get<std::int64_t>(), total.parameters);
    EXPECT_EQ(made["macs"].get<std::int64_t>(), total.macs);
    // What changes at the sites is what changes in all.
    std::int64_t macs = report["before"]["macs"], parameters = report["before"]["parameters"];
    for (const auto& site : report["sites"]) {
      EXPECT_TRUE(site["edited"].get<bool>());
      macs += site["macs"].get<std::int64_t>() - site["macs_before"].get<std::int64_t>();
      parameters +=
          site["parameters"].get<std::int64_t>() - site["parameters_before"].get<std::int64_t>();
    }
    EXPECT_EQ(macs, total.macs);
    EXPECT_EQ(parameters, total.parameters);
    EXPECT_EQ(report["sites"].size(), total.model == std::string("zoo:resnet34-cifar") ? 32u : 16u);
  }
}

TEST_F(LoopNestCli, InspectReadsNamesAndFiles) {
  const std::string steps = "group(outer: co, inner: ci, factor: 4)\n";
  const auto named = document(inspect(net_, "group 4"), "edits");
  const auto written = document(inspect(net_, file("steps", steps)), "edits");
  EXPECT_EQ(named, written);
  const auto& edits = named["proposals"][0]["candidate"]["edits"];
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0]["document"], steps);
  EXPECT_EQ(edits[0]["sites"].size(), 3u);
  const auto candidate =
      document(inspect(net_, file("c.json", named["proposals"][0]["candidate"].dump())), "edits");
  EXPECT_EQ(candidate["proposals"], named["proposals"]);
  // Another order of other steps with the same meaning.
  const auto again =
      document(inspect(net_,
                       "group(outer: co, inner: ci, factor: 2)\nreorder(loops: [w, h])\n"
                       "group(outer: co, inner: ci, factor: 2)"),
               "edits");
  EXPECT_EQ(again["proposals"][0]["identity"], named["proposals"][0]["identity"]);
}

TEST_F(LoopNestCli, InspectShowsWhatFollowsABottleneck) {
  const auto report = document(inspect(net_, "bottleneck 2", "conv:groups=2"), "edits");
  ASSERT_EQ(report["sites"].size(), 2u);
  EXPECT_EQ(report["sites"][0]["site"], "grouped");
  EXPECT_TRUE(report["sites"][0]["edited"].get<bool>());
  EXPECT_EQ(report["sites"][1]["site"], "dense");
  EXPECT_FALSE(report["sites"][1]["edited"].get<bool>());
  for (const auto& site : report["sites"]) {
    EXPECT_EQ(site["macs"].get<std::int64_t>() * 2, site["macs_before"].get<std::int64_t>());
  }
}

// ---- proposals

TEST_F(LoopNestCli, SamplesListsAndCounts) {
  const auto sampled = document(synth("sample", {"--count", "8", "--seed", "3"}), "edits");
  EXPECT_EQ(sampled["proposals"].size(), 8u);
  EXPECT_EQ(sampled["summary"]["illegal"], 0);
  EXPECT_EQ(sampled["proposals"],
            document(synth("sample", {"--count", "8", "--seed", "3"}), "edits")["proposals"]);
  const std::vector<std::string> one{"--space-option", "list-steps=1"};
  const auto listed = document(synth("list", {one[0], one[1], "--count", "100000"}), "edits");
  EXPECT_TRUE(listed["summary"]["all"].get<bool>());
  std::set<std::string> identities;
  for (const auto& each : listed["proposals"]) identities.insert(each["identity"]);
  EXPECT_EQ(identities.size(), listed["proposals"].size());
  const auto count = document(synth("count", one), "edits");
  EXPECT_EQ(count["count"], listed["proposals"].size());
  EXPECT_GT(count["count"].get<int>(), 60);
}

TEST_F(LoopNestCli, OptionsOfTheSpaceLimitProposals) {
  const auto count = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"--space-option", "list-steps=1"};
    for (const std::string& option : options) {
      words.insert(words.end(), {"--space-option", option});
    }
    return document(synth("count", words), "edits")["count"].get<int>();
  };
  const int all = count({});
  for (const char* option :
       {"most-factor=2", "outputs=no", "slabs=no", "rows=no", "separate=no", "interleave=no"}) {
    EXPECT_LT(count({option}), all) << option;
  }
  expect_refusal(synth("count", {"--space-option", "tie=colour"}), {"tie", "none, shape or stage"});
  expect_refusal(synth("count", {"--space-option", "steps=9"}), {"steps", "9"});
}

// Which targets a document leaves alone, and why.
TEST_F(LoopNestCli, WhyTellsWhatDoesNotFitWhere) {
  const auto report = document(synth("why", {"bottleneck 2"}), "edits");
  ASSERT_EQ(report["unedited"].size(), 2u);
  const auto why = [&](std::size_t row) {
    return report["unedited"][row]["why"].get<std::string>();
  };
  EXPECT_EQ(report["unedited"][0]["site"], "dense");
  EXPECT_NE(why(0).find("'sum' joins them with another value"), std::string::npos) << why(0);
  EXPECT_EQ(report["unedited"][1]["site"], "last");
  EXPECT_NE(why(1).find("output 'y'"), std::string::npos) << why(1);
}

// ---- what is refused

struct Refusal {
  const char* edit;
  const char* targets;
  std::vector<std::string> named;  // the site, the step, the loop, the numbers
};

TEST_F(LoopNestCli, RefusesInOneLine) {
  const Refusal rows[] = {
      // A factor that does not divide.
      {"group 3", "conv:groups=2", {"'grouped'", "step 1", "group(", "'co'", "8", "3"}},
      {"halves 2 3", "conv:k=3,groups=1", {"'dense'", "step 3", "'co.2'", "8", "3"}},
      {"partition(loop: co, points: [Co/5])", "conv:k=1", {"'last'", "'Co'", "12", "5"}},
      // A role that the nest lacks.
      {"bottleneck(loop: g, factor: 2)", "conv:k=3,groups=1", {"'dense'", "step 1", "'g'"}},
      {"bottleneck(loop: kh, factor: 3)", "conv:k=1", {"'last'", "step 1", "kh"}},
      {"bottleneck(loop: d, factor: 2)", "conv:k=3,groups=1", {"'dense'", "step 1", "'d'"}},
      {"partition(loop: co, points: [G])", "conv:k=3,groups=1", {"'dense'", "G"}},
      // A document for another kind of site.
      {"peel 4 2", "conv:groups=2", {"'grouped'", "step"}},
      {"rows then depthwise columns", "conv:k=1", {"'last'", "step 1", "separate"}},
      {"depthwise", "conv:k=1", {"'last'", "step 1", "depthwise", "12", "16"}},
      // Slabs on too few rows.
      {"slabs 2", "conv:k=3,groups=1", {"'dense'", "step 1", "'h'", "9", "2"}},
      {"channel slabs 10", "conv:k=3,groups=1", {"'dense'", "step 1", "'h'", "9", "10"}},
      // A step of the loop half.
      {"vectorize(loop: w)", "conv:k=3,groups=1", {"'dense'", "step 1", "vectorize", "loop half"}},
      {"group(outer: co, inner: ci, factor: 2)\ntile(loops: [h, w], sizes: [4, 4])",
       "conv:k=3,groups=1",
       {"'dense'", "tile"}},
      {"split(loop: w, factors: [0, 4], tail: guard)",
       "conv:k=3,groups=1",
       {"'dense'", "step 1", "split"}},
      // An output that must stay.
      {"bottleneck 2", "conv:k=3,groups=1", {"'dense'", "16", "'sum'"}},
      {"bottleneck 3", "conv:k=1", {"'last'", "12", "output 'y'"}},
      // Neither steps nor a name.
      {"no such name 2", "conv:*", {"line 1"}},
      {"halves 2", "conv:*", {"halves G1 G2", "G2"}},
      {"group 0", "conv:*", {"group G", "G"}},
      {"reorder(loops: [ci, co])", "conv:*", {"leaves every convolution as it is"}},
  };
  const std::string before = read_file(net_).value();
  for (const Refusal& row : rows) {
    SCOPED_TRACE(row.edit);
    expect_refusal(inspect(net_, row.edit, row.targets), row.named);
    expect_refusal(inspect(net_, file("edit", row.edit), row.targets), row.named);
  }
  EXPECT_EQ(read_file(net_).value(), before) << "nothing changed";
}

TEST_F(LoopNestCli, RefusesTargetsWithoutAConvolution) {
  expect_refusal(inspect("zoo:tiny-resnet", "group 2", "linear:*"), {"loopnest", "convolution"});
  expect_refusal(inspect(net_, "group 2", "conv:k=5"), {"k=5"});
}

}  // namespace

// ---- searches

class LoopNestSearchCli : public SearchCli {
 protected:
  void SetUp() override {
    if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  }
  std::vector<std::string> nests(std::vector<std::string> changes) const {
    const std::vector<std::string> usual{"--space",     "loopnest",  "--space-option",
                                         "outputs=yes", "--targets", "conv:*"};
    changes.insert(changes.begin(), usual.begin(), usual.end());
    return search(changes);
  }
};

TEST_F(LoopNestSearchCli, EveryStrategyProposes) {
  // Nothing is evaluated: what no candidate can keep is refused by cost.
  for (const char* strategy : {"random", "enumerate", "tree", "evolution"}) {
    const auto report =
        document(nests({"--strategy", strategy, "--max-parameters", "0.0001x", "--candidates", "20",
                        "--study", path(std::string(strategy) + ".study")}),
                 "search");
    EXPECT_EQ(report["summary"]["folded"], 20) << strategy;
  }
}

TEST_F(LoopNestSearchCli, TrainsTunesAndExportsAFinalist) {
  const auto report = document(nests({"--candidates", "2"}), "search");
  ASSERT_EQ(report["finalists"].size(), 1u) << report.dump();
  const auto& best = report["finalists"][0];
  EXPECT_EQ(best["refused"], "");
  EXPECT_GT(best["scores"]["accuracy"]["value"].get<double>(), 0);
  EXPECT_GT(best["scores"]["latency"]["value"].get<double>(), 0);
  const std::string id = best["candidate"].get<std::string>().substr(0, 10);
  const ProcessOutcome exported = run({"export", path("s.study"), id, "-o", path("out")});
  EXPECT_TRUE(exported.succeeded()) << exported.errors;
  const ProcessOutcome checked =
      run({"run", path("out/model.cambium"), "--random", "--native", "--check"});
  EXPECT_TRUE(checked.succeeded()) << checked.errors;
}

}  // namespace cambium::tests
