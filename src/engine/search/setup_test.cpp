#include "engine/search/setup.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "engine/search/evaluators.h"

namespace cambium::engine {
namespace {

std::vector<std::string> explored(const SearchSetup& setup) {
  std::vector<std::string> evaluators;
  for (const search::Stage& stage : setup.funnel().explore) evaluators.push_back(stage.evaluator);
  return evaluators;
}

const search::Stage& stage_of(const search::Funnel& funnel, const std::string& evaluator) {
  for (const search::Stage& stage : funnel.explore) {
    if (stage.evaluator == evaluator) return stage;
  }
  ADD_FAILURE() << "no stage " << evaluator;
  return funnel.explore.front();
}

nlohmann::json options_of(const search::Stage& stage) {
  return parse_json(stage.options).value();
}

// The paper's search: one draw decides, nothing is trained while exploring.
SearchSetup paper_mode() {
  SearchSetup setup;
  setup.legality = "total";
  setup.legality_draws = 1;
  setup.brief_epochs = 0;
  setup.strategy.name = "random";
  return setup;
}

TEST(SearchSetup, ComesBackFromItsText) {
  SearchSetup setup = paper_mode();
  setup.legality = "layers";
  setup.legality_hooks = "block-outputs";
  setup.legality_draws = 6;
  setup.quick_latency = "kernels";
  const auto read = parse_setup(to_json(setup));
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  EXPECT_EQ(read->legality, "layers");
  EXPECT_EQ(read->legality_hooks, "block-outputs");
  EXPECT_EQ(read->legality_draws, 6);
  EXPECT_EQ(read->quick_latency, "kernels");
  EXPECT_EQ(read->brief_epochs, 0);
  EXPECT_EQ(to_json(*read), to_json(setup));
}

// What older versions kept says nothing of legality.
TEST(SearchSetup, OfAnOlderStudyAsksForNoLegality) {
  nlohmann::json text = json_of(paper_mode());
  for (const char* name : {"legality", "legality_draws", "legality_hooks", "quick_latency"}) {
    ASSERT_EQ(text.erase(name), 1u) << name;
  }
  const auto read = parse_setup(json_text(text));
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  EXPECT_EQ(read->legality, "none");
  EXPECT_EQ(read->quick_latency, "model");
  EXPECT_EQ(to_json(*read), to_json([] {
              SearchSetup setup = paper_mode();
              setup.legality = "none";
              setup.legality_draws = 32;
              return setup;
            }()));
}

TEST(SearchSetup, RefusesWordsThatItDoesNotKnow) {
  for (const char* name : {"legality", "legality_hooks", "quick_latency"}) {
    nlohmann::json text = json_of(SearchSetup());
    text[name] = "some";
    const auto read = parse_setup(json_text(text));
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_EQ(read.rejection().reason(), Reason::BadOption);
    EXPECT_NE(read.rejection().message().find("some"), std::string::npos);
    text[name] = 1;
    EXPECT_EQ(parse_setup(json_text(text)).rejection().reason(), Reason::MissingField) << name;
  }
}

TEST(SearchSetup, ExploresInTheOrderOfTheFunnel) {
  SearchSetup setup;
  EXPECT_EQ(explored(setup), (std::vector<std::string>{kLatency, kAccuracy}));
  setup.proxy = "zico";
  setup.legality = "total";
  EXPECT_EQ(explored(setup), (std::vector<std::string>{kProxy, kLegality, kLatency, kAccuracy}));
}

TEST(SearchSetup, WithoutBriefEpochsTrainsOnlyFinalists) {
  const search::Funnel funnel = paper_mode().funnel();
  EXPECT_EQ(explored(paper_mode()), (std::vector<std::string>{kLegality, kLatency}));
  ASSERT_EQ(funnel.finals.size(), 2u);
  EXPECT_EQ(funnel.finals[0].evaluator, kAccuracy);
  EXPECT_EQ(funnel.finals[0].fidelity, 10);
}

TEST(SearchSetup, AsksForLegalityAsItIsTold) {
  SearchSetup setup = paper_mode();
  setup.legality_hooks = "block-outputs";
  const search::Funnel funnel = setup.funnel();
  const search::Stage& stage = stage_of(funnel, kLegality);
  const nlohmann::json options = options_of(stage);
  EXPECT_EQ(options,
            (nlohmann::json{{"of", "total"}, {"hooks", "block-outputs"}, {"most_draws", 1}}));
  // Illegal is -1; undecided candidates go on.
  ASSERT_EQ(stage.gates.size(), 1u);
  EXPECT_EQ(stage.gates[0].value, "legal");
  EXPECT_EQ(stage.gates[0].least, 0);
  EXPECT_FALSE(stage.gates[0].is_relative);
  for (const auto& [name, value] : options.items()) {
    const auto& known = find_evaluator(kLegality)->options;
    EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << name;
  }
}

TEST(SearchSetup, SumsKernelsIfAskedOrComposing) {
  SearchSetup setup = paper_mode();
  EXPECT_FALSE(setup.sums_kernels());
  setup.quick_latency = "kernels";
  EXPECT_TRUE(setup.sums_kernels());
  EXPECT_EQ(explored(setup), (std::vector<std::string>{kLegality, kKernelSum}));
  setup.quick_latency = "model";
  setup.strategy.name = "compose";
  EXPECT_TRUE(setup.sums_kernels());
  setup.strategy.settings = {{"cost", "macs"}};
  EXPECT_FALSE(setup.sums_kernels()) << "MACs need no table of times";
  setup.strategy.settings = {{"toy.cost", kKernelSumValue}};
  EXPECT_TRUE(setup.sums_kernels());
}

// The strategy `compose` needs the change of Fisher Potential, whether a verdict was asked for or
// not; its own setting says which change is enough.
TEST(SearchSetup, JudgesLegalityIfAskedOrComposing) {
  SearchSetup setup = paper_mode();
  EXPECT_TRUE(setup.judges_legality());
  setup.legality = "none";
  EXPECT_FALSE(setup.judges_legality());
  setup.strategy.name = "compose";
  EXPECT_TRUE(setup.judges_legality());
  const search::Funnel usual = setup.funnel();
  EXPECT_EQ(options_of(stage_of(usual, kLegality))["of"], "total");
  EXPECT_EQ(stage_of(usual, kLegality).gates.at(0).value, "fisher_change");
  EXPECT_EQ(stage_of(usual, kLegality).gates.at(0).least, 0);
  setup.strategy.settings = {{"least-gain", "-0.05"}};
  const search::Funnel loose = setup.funnel();
  EXPECT_EQ(stage_of(loose, kLegality).gates.at(0).least, -0.05);
  setup.strategy.settings = {{"gain", "none"}};
  EXPECT_FALSE(setup.judges_legality());
  setup.strategy = {};
  setup.strategy.name = "random";
  setup.strategy.settings = {{"toy.strategy", "compose"}};
  EXPECT_TRUE(setup.judges_legality()) << "of one of several spaces";
}

// A sum is an estimate of the latency, which no limit refuses.
TEST(SearchSetup, GatesASumByTheLimitOnTheLatency) {
  SearchSetup setup = paper_mode();
  setup.quick_latency = "kernels";
  setup.limits = {{study::Metric::Latency, "0.5x", false}, {study::Metric::Macs, "0.7x", false}};
  const search::Funnel funnel = setup.funnel();
  const search::Stage& stage = stage_of(funnel, kKernelSum);
  ASSERT_EQ(stage.gates.size(), 1u);
  EXPECT_EQ(stage.gates[0].value, kKernelSumValue);
  EXPECT_EQ(stage.gates[0].most, 0.5);
  EXPECT_TRUE(stage.gates[0].is_relative);
  setup.limits[0].text = "3ms";
  const search::Funnel absolute = setup.funnel();
  EXPECT_TRUE(stage_of(absolute, kKernelSum).gates.empty()) << "only the finals compare times";
}

}  // namespace
}  // namespace cambium::engine
