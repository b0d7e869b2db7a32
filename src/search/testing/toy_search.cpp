#include "search/testing/toy_search.h"

#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "model/fingerprint.h"
#include "spaces/testing/toy_net.h"

namespace cambium::search::testing {

Stage toy_stage(const std::string& evaluator, double fidelity) {
  Stage stage;
  stage.evaluator = evaluator;
  stage.fidelity = fidelity;
  return stage;
}

SearchOptions toy_options(const std::string& strategy, std::int64_t candidates) {
  SearchOptions options;
  options.strategy.name = strategy;
  if (strategy == "mixed") {
    options.strategy.name = "evolution";
    options.strategy.settings = {{"toy-tree.strategy", "tree"}};
  }
  if (strategy == "compose") {
    options.strategy.settings = {{"cost", "latency"}, {"gain", "none"}, {"front", "10"}};
  }
  if (strategy == "neighbours") {
    options.strategy.name = "compose";
    options.strategy.settings = {{"cost", "latency"},  {"gain", "accuracy"}, {"front", "6"},
                                 {"least-gain", "-1"}, {"pairs", "0"},       {"neighbours", "yes"}};
  }
  options.strategy.seed = 7;
  options.strategy.in_flight = 4;
  options.strategy.objectives = {study::Metric::Accuracy, study::Metric::Latency};
  options.candidates = candidates;
  options.folds_per_snapshot = 5;
  options.funnel.explore = {toy_stage("latency", 0), toy_stage("accuracy", 2)};
  options.funnel.finals = {toy_stage("accuracy", 10), toy_stage("latency", 64)};
  options.funnel.finals[0].seeds = {1, 2, 3};
  options.funnel.finalists = 3;
  return options;
}

ToySearch::ToySearch(const std::string& space, const std::string& path)
    : base(spaces::testing::toy_net()), tree(), blocks(base), sites(3) {
  file = path.empty() ? folder / "study.db" : path;
  auto opened = store::StudyStore::open(file);
  CAMBIUM_CHECK(opened.ok(), opened.rejection().message());
  study.emplace(std::move(opened).value());
  store::StudyHead head;
  head.base = model::structure_of(base);
  const Status is_set = study->set_head(head);
  CAMBIUM_CHECK(is_set.ok(), is_set.rejection().message());
  context.base = &base;
  if (space == "toy-sites") context.spaces.push_back(&sites);
  if (space == "toy-tree" || space == "both") context.spaces.push_back(&tree);
  if (space == "toy-blocks" || space == "both") context.spaces.push_back(&blocks);
  context.study = &*study;
}

Result<SearchReport> ToySearch::run(const SearchOptions& options, Executor& executor,
                                    const SearchHooks& hooks) {
  context.executor = &executor;
  return search::run(context, options, hooks);
}

std::map<std::int64_t, std::string> ToySearch::proposals() {
  std::map<std::int64_t, std::string> all;
  const Status read = study->each_candidate([&](const store::StudyCandidate& candidate) {
    all[candidate.ticket] = candidate.identity.text();
    return true;
  });
  CAMBIUM_CHECK(read.ok(), read.rejection().message());
  return all;
}

std::string text_of(const store::EvaluationKey& key) {
  return fmt::format("{} {} {} {} {} {} {}", key.candidate.text(), key.evaluator, key.version,
                     key.options, key.fidelity, key.seed, key.machine.text());
}

std::string rows_text(const SearchReport& report) {
  std::string text;
  for (const SearchRow& row : report.finalists) {
    text += fmt::format("candidate={} title={} holds={} refused={}", row.identity.text(), row.title,
                        row.holds_limits, row.refused);
    for (std::size_t i = 0; i < study::kMetrics; ++i) {
      const auto metric = static_cast<study::Metric>(i);
      if (const auto& value = row.scores.at(metric)) {
        text += fmt::format(" {}={}±{}", name_of(metric), value->value, value->spread);
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace cambium::search::testing
