// Synthesis from the command line: operators are drawn, listed, counted and explained; what cannot
// be is refused in one line.
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli_testing.h"

namespace cambium::tests {
namespace {

class SynthCli : public Cli {
 protected:
  static std::vector<std::string> with_space(std::vector<std::string> arguments,
                                             const std::vector<std::string>& more = {},
                                             const char* primitives = "6") {
    arguments.insert(arguments.begin(), "synth");
    for (const char* each : {"--in", "[N, Ci, L]", "--out", "[N, Co, L]", "--bind",
                             "N=1, Ci=8, Co=8, L=16, k=3", "--max-primitives", primitives}) {
      arguments.emplace_back(each);
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(SynthCli, DrawsTheSameOperatorsFromTheSameSeed) {
  const auto once = document(with_space({"sample"}, {"--count", "5", "--seed", "3"}), "synth");
  const auto again = document(with_space({"sample"}, {"--count", "5", "--seed", "3"}), "synth");
  const auto other = document(with_space({"sample"}, {"--count", "5", "--seed", "4"}), "synth");
  EXPECT_EQ(once["operators"].size(), 5u);
  EXPECT_EQ(once["operators"], again["operators"]);
  EXPECT_NE(once["operators"], other["operators"]);
}

TEST_F(SynthCli, KeepsBudgetsThatAreSharesOfTheConvolution) {
  const auto all =
      document(with_space({"sample"}, {"--count", "20", "--max-macs", "0.5x"}), "synth");
  const auto conv =
      document({"synth", "parse", "conv1d", "--bind", "N=1, Ci=8, Co=8, L=16, k=3"}, "synth");
  ASSERT_GT(all["operators"].size(), 0u);
  for (const auto& op : all["operators"]) {
    EXPECT_LE(op["macs"].get<double>(), 0.5 * conv["operator"]["macs"].get<double>());
  }
}

TEST_F(SynthCli, KeepsABudgetOfMemory) {
  // Input and output take 1024 bytes: what is left is for weights and what lies between stages.
  const std::vector<std::string> more = {"--count", "20", "--max-memory", "1300"};
  for (const char* what : {"sample", "list"}) {
    const auto all = document(with_space({what}, more), "synth");
    ASSERT_GT(all["operators"].size(), 0u);
    for (const auto& op : all["operators"]) EXPECT_LE(op["memory"].get<int>(), 1300);
  }
  const ProcessOutcome text = run(with_space({"sample"}, more));
  EXPECT_NE(text.errors.find("outside of the budgets"), std::string::npos) << text.errors;
  EXPECT_NE(text.errors.find("pruned by bounds"), std::string::npos) << text.errors;
}

TEST_F(SynthCli, SaysWhenAllOperatorsAreDrawn) {
  const auto drawn = document(with_space({"sample"}, {"--count", "1000000"}, "3"), "synth");
  const auto listed = document(with_space({"list"}, {"--count", "1000000"}, "3"), "synth");
  EXPECT_TRUE(drawn["summary"]["all"].get<bool>());
  EXPECT_GT(drawn["summary"]["valid"].get<int>(), 0);
  EXPECT_EQ(drawn["summary"]["valid"], listed["summary"]["valid"]);
  EXPECT_EQ(drawn["summary"]["dead_ends"].get<int>() <= 1, true);
  EXPECT_EQ(drawn["summary"]["distinct"], listed["summary"]["distinct"]);
}

// Weights of a convolution do not differ from place to place unless that is asked for.
TEST_F(SynthCli, WeightsReadAxesOfBothShapesOnlyWhenTheyMay) {
  const auto none = document(with_space({"count"}, {}, "3"), "synth");
  const auto thrice = document(with_space({"count"}, {"--occurrences", "L=3"}, "3"), "synth");
  EXPECT_LT(none["count"]["operators"].get<int>(), thrice["count"]["operators"].get<int>());
  const auto no_input = document(with_space({"count"}, {"--occurrences", "Ci=0, Co=2"}), "synth");
  EXPECT_EQ(no_input["count"]["operators"].get<int>(), 0);
  expect_refusal(with_space({"sample"}, {"--occurrences", "Q=1"}), {"--occurrences", "Q=1"});
  expect_refusal(with_space({"sample"}, {"--occurrences", "L"}), {"--occurrences", "H=0"});
  expect_refusal(with_space({"sample"}, {"--occurrences", "L=-1"}), {"--occurrences", "0 to 9"});
}

TEST_F(SynthCli, PadsSizesThatDoNotDivide) {
  const std::vector<std::string> grouped = {
      "synth", "parse",
      file("grouped.txt",
           "operator [N, Ci, L] -> [N, Co, L]\nout n, o, l\nsum i: Ci/g\n"
           "x n, split(high(o, Co/g), i), l\nw1 high(o, Co/g), low(o, Co/g), i\n"),
      "--bind", "N=1, Ci=7, Co=9, L=16, g=2"};
  expect_refusal(grouped, {"Ci/g"});
  std::vector<std::string> padded = grouped;
  padded.emplace_back("--pad");
  const auto report = document(padded, "synth");
  // As if there were 8 and 10 channels.
  EXPECT_EQ(report["operator"]["macs"].get<int>(), 10 * 4 * 16);
  EXPECT_EQ(report["operator"]["parameters"].get<int>(), 10 * 4);
  std::vector<std::string> sample = {"synth", "sample", "--in", "[N, Ci, L]"};
  for (const char* each : {"--out", "[N, Co, L]", "--bind", "N=1, Ci=7, Co=9, L=16, g=2",
                           "--max-primitives", "4", "--count", "100000", "--max-macs", "800"}) {
    sample.emplace_back(each);
  }
  const auto whole = document(sample, "synth");
  sample.emplace_back("--pad");
  const auto all = document(sample, "synth");
  EXPECT_GT(all["operators"].size(), whole["operators"].size());
  EXPECT_TRUE(whole["summary"]["all"].get<bool>() && all["summary"]["all"].get<bool>());
  for (const auto& op : all["operators"]) EXPECT_LE(op["macs"].get<int>(), 800);
}

// Not a size that a primitive makes but one of the shapes.
TEST_F(SynthCli, PadsShapesThatDoNotDivide) {
  const std::vector<std::string> pool = {
      "synth", "parse",
      file("pool.txt",
           "operator [N, C, L] -> [N, C, L/k]\nout n, c, l\nsum r: k\nx n, c, split(l, r)\n"),
      "--bind", "N=1, C=4, L=128, k=5"};
  expect_refusal(pool, {"L/k", "128/5"});
  std::vector<std::string> padded = pool;
  padded.emplace_back("--pad");
  const auto report = document(padded, "synth");
  // As if the axis were 130 long.
  EXPECT_EQ(report["operator"]["places"][0]["macs"].get<int>(), 4 * 130);
  EXPECT_NE(report["operator"]["places"][0]["binding"].get<std::string>().find("L=130"),
            std::string::npos);
  const std::vector<std::string> sample = {"synth",
                                           "sample",
                                           "--in",
                                           "[N, C, L]",
                                           "--out",
                                           "[N, D, L/k]",
                                           "--bind",
                                           "N=1, C=4, D=6, L=128, k=5",
                                           "--count",
                                           "3",
                                           "--max-primitives",
                                           "5",
                                           "--pad"};
  EXPECT_EQ(document(sample, "synth")["operators"].size(), 3u);
}

// Coefficients that an operator does not use are no obstacle.
TEST_F(SynthCli, PadsWhateverElseIsBound) {
  const std::string doc = file("shuffle.txt",
                               "operator [N, C, L] -> [N, C, L]\nout n, c, l\n"
                               "x n, split(low(c, g), high(c, g)), l\n");
  for (const char* more : {"", ", k=3, s=2, k2=7", ", k=3, s=2, k2=7, q=11, r=13"}) {
    const auto report = document(
        {"synth", "parse", doc, "--pad", "--bind", std::string("N=1, C=48, L=10, g=32") + more},
        "synth");
    EXPECT_NE(report["operator"]["places"][0]["binding"].get<std::string>().find("C=64"),
              std::string::npos)
        << more;
  }
}

// From what is given: not from what the shapes alone would have needed.
TEST_F(SynthCli, PadsNoMoreThanTheOperatorNeeds) {
  const auto report = document({"synth", "parse",
                                file("rows.txt",
                                     "operator [N, L, M] -> [N, L*M/k]\nout n, z\nsum r: k\n"
                                     "x n, split(high(z, M), r), low(z, M)\n"),
                                "--pad", "--bind", "N=1, L=3, M=3, k=5"},
                               "synth");
  EXPECT_EQ(report["operator"]["places"][0]["binding"].get<std::string>(), "N=1, L=5, M=3, k=5");
}

TEST_F(SynthCli, CountsWhatItLists) {
  const auto count = document(with_space({"count"}, {}, "4"), "synth");
  const auto list = document(with_space({"list"}, {"--count", "1000000"}, "4"), "synth");
  EXPECT_GT(count["count"]["operators"].get<std::size_t>(), 0u);
  EXPECT_EQ(count["count"]["operators"].get<std::size_t>(), list["operators"].size());
}

TEST_F(SynthCli, ReadsBackTheDocumentsItPrints) {
  const auto drawn = document(with_space({"sample"}, {"--count", "3"}), "synth");
  for (const auto& op : drawn["operators"]) {
    const auto read = document({"synth", "parse", file("op.txt", op["text"].get<std::string>()),
                                "--bind", "N=1, Ci=8, Co=8, L=16, k=3"},
                               "synth");
    EXPECT_EQ(read["operator"]["identity"], op["identity"]);
    EXPECT_EQ(read["operator"]["macs"], op["macs"]);
  }
}

TEST_F(SynthCli, ShowsTheWayToAConvolutionAndWhatForbidsIt) {
  const ProcessOutcome in = run({"synth", "why", "conv1d"});
  EXPECT_NE(in.output.find("in the space"), std::string::npos) << in.output << in.errors;
  const ProcessOutcome out = run({"synth", "why", "conv1d", "--max-unfolds", "0"});
  EXPECT_NE(out.output.find("not in the space"), std::string::npos) << out.output << out.errors;
  EXPECT_NE(out.output.find("it would be with --max-unfolds 1\n"), std::string::npos) << out.output;
  EXPECT_NE(run({"synth", "draw", "conv1d"}).output.find("digraph"), std::string::npos);
}

// What the catalogue has is in the space, or what `why` advises makes it so: all of that and no
// less.
TEST_F(SynthCli, LeadsToEveryOperatorOfTheCatalogue) {
  const auto why = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"synth", "why"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return document(arguments, "synth")["operator"];
  };
  for (const char* name : {"linear", "scale", "conv1d", "conv2d", "depthwise_conv2d",
                           "separable_conv2d", "shift_conv2d", "operator1", "operator2"}) {
    EXPECT_TRUE(why({name})["in_space"].get<bool>()) << name;
  }
  for (const auto& row : document({"synth", "known"}, "synth")["known"]) {
    const auto name = row["name"].get<std::string>();
    const auto plain = why({name});
    if (plain["in_space"].get<bool>()) continue;
    std::vector<std::string> advised = {name};
    for (const auto& word : plain["options_needed"]) advised.push_back(word.get<std::string>());
    EXPECT_GT(advised.size(), 1u) << name << ": " << plain["forbidden_by"];
    EXPECT_TRUE(why(advised)["in_space"].get<bool>()) << join(advised, " ");
    for (std::size_t i = 1; i < advised.size(); ++i) {
      if (!advised[i].starts_with("--")) continue;
      const bool has_value = i + 1 < advised.size() && !advised[i + 1].starts_with("--");
      std::vector<std::string> less = advised;
      const auto begin = less.begin() + static_cast<std::ptrdiff_t>(i);
      less.erase(begin, begin + (has_value ? 2 : 1));
      EXPECT_FALSE(why(less)["in_space"].get<bool>()) << join(less, " ");
    }
  }
}

// By the interface that every space has, for a model instead of shapes.
TEST_F(SynthCli, ProposesEditsOfAModel) {
  const std::vector<std::string> sample = {"synth",   "sample",     "--model", "zoo:tiny-resnet",
                                           "--space", "coordinate", "--count", "2"};
  const auto drawn = document(sample, "edits");
  ASSERT_EQ(drawn["proposals"].size(), 2u);
  EXPECT_EQ(drawn["proposals"], document(sample, "edits")["proposals"]);
  // What was drawn can be looked at.
  const auto& first = drawn["proposals"][0];
  const std::string candidate = file("candidate.json", json_text(first["candidate"]));
  const auto shown = document({"inspect", "zoo:tiny-resnet", "--edit", candidate}, "edits");
  EXPECT_EQ(shown["proposals"][0]["identity"], first["identity"]);
  EXPECT_EQ(shown["proposals"][0]["macs"], first["macs"]);
}

TEST_F(SynthCli, ShowsWhatAnEditCostsAtEachPlace) {
  const std::vector<std::string> edit = {"inspect",   "zoo:tiny-resnet",
                                         "--edit",    "grouped_conv2d g=4",
                                         "--targets", "conv:k=3,stride=1"};
  const auto shown = document(edit, "edits");
  std::int64_t saved = shown["before"]["macs"].get<std::int64_t>();
  for (const auto& site : shown["sites"]) {
    EXPECT_EQ(4 * site["macs"].get<std::int64_t>(), site["macs_before"].get<std::int64_t>());
    saved += site["macs"].get<std::int64_t>() - site["macs_before"].get<std::int64_t>();
  }
  EXPECT_EQ(shown["proposals"][0]["macs"], saved);
  auto parse = edit;
  parse.erase(parse.begin(), parse.begin() + 3);
  parse.insert(parse.begin(), {"synth", "parse", "--model", "zoo:tiny-resnet"});
  EXPECT_EQ(document(parse, "edits")["sites"], shown["sites"]);
  const ProcessOutcome text = run(edit);
  EXPECT_NE(text.output.find("the whole model"), std::string::npos) << text.errors;
}

TEST_F(SynthCli, RefusesInOneLine) {
  expect_refusal(
      {"synth", "sample", "--in", "[N, Ci", "--out", "[N, Co]", "--bind", "N=1, Ci=2, Co=2"},
      {"expected"});
  expect_refusal({"synth", "sample", "--in", "[N, Ci]", "--out", "[N, Co]", "--bind", "N=1, Ci=2"},
                 {"Co"});
  expect_refusal(with_space({"sample"}, {"--max-macs", "few"}), {"--max-macs", "few"});
  expect_refusal(with_space({"sample"}, {"--max-macs", "1"}), {"no operator within the budgets"});
  expect_refusal(with_space({"sample"}, {"--max-memory", "100"}), {"within the budgets"});
  expect_refusal(with_space({"sample"}, {}, "1"), {"no operator within the limits"});
  expect_refusal(with_space({"sample"}, {"--without", "nonsense"}), {"nonsense"});
  expect_refusal(
      {"synth", "parse", file("bad.txt", "operator [N, Ci] -> [N, Co]\nout n, o\nx n, o, o\n"),
       "--bind", "N=1, Ci=2, Co=2"},
      {"x: 3 coordinates"});
  expect_refusal({"synth", "parse", path("missing.txt")}, {"missing.txt"});
  expect_refusal({"synth", "sample", "--out", "[N, Co]", "--bind", "N=1, Co=2"}, {"--in"});
  expect_refusal({"synth", "sample", "--model", "zoo:tiny-resnet", "--in", "[N, Ci]"}, {"--in"});
  expect_refusal({"synth", "sample", "--model", "zoo:tiny-resnet", "--space", "loops"},
                 {"loops", "coordinate"});
  expect_refusal({"inspect", "zoo:tiny-resnet", "--edit", "operator [N, Ci] -> [N, Co]"},
                 {"the problem is [N, Ci, H, W]"});
}

}  // namespace
}  // namespace cambium::tests
