// Synthesis from the command line: operators are drawn, listed, counted and explained; what cannot
// be is refused in one line.
#include <set>
#include <string>
#include <vector>

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
  EXPECT_NE(run({"synth", "draw", "conv1d"}).output.find("digraph"), std::string::npos);
}

TEST_F(SynthCli, RefusesInOneLine) {
  expect_refusal(
      {"synth", "sample", "--in", "[N, Ci", "--out", "[N, Co]", "--bind", "N=1, Ci=2, Co=2"},
      {"expected"});
  expect_refusal({"synth", "sample", "--in", "[N, Ci]", "--out", "[N, Co]", "--bind", "N=1, Ci=2"},
                 {"Co"});
  expect_refusal(with_space({"sample"}, {"--max-macs", "few"}), {"--max-macs", "few"});
  expect_refusal(with_space({"sample"}, {"--max-macs", "1"}), {"budgets"});
  expect_refusal(with_space({"sample"}, {}, "1"), {"no operator within the limits"});
  expect_refusal(with_space({"sample"}, {"--without", "nonsense"}), {"nonsense"});
  expect_refusal(
      {"synth", "parse", file("bad.txt", "operator [N, Ci] -> [N, Co]\nout n, o\nx n, o, o\n"),
       "--bind", "N=1, Ci=2, Co=2"},
      {"x: 3 coordinates"});
  expect_refusal({"synth", "parse", path("missing.txt")}, {"missing.txt"});
}

}  // namespace
}  // namespace cambium::tests
