#include <deque>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "model/fingerprint.h"
#include "search/driver.h"
#include "search/parts.h"
#include "search/planted.h"
#include "search/setting.h"

namespace cambium::bench {
namespace {

// Answers at once, with planted numbers.
class PlantedExecutor final : public search::Executor {
 public:
  explicit PlantedExecutor(const spaces::coordinate::CoordinateSpace& space) : space_(space) {}

  Result<search::Offer> offer(const std::string&) const override { return search::Offer{"1", {}}; }
  void submit(search::Job job) override { waiting_.push_back(std::move(job)); }
  std::optional<search::JobResult> wait(double) override {
    if (waiting_.empty()) return std::nullopt;
    const search::Job job = std::move(waiting_.front());
    waiting_.pop_front();
    search::JobResult result;
    result.id = job.id;
    const auto candidate = spaces::parse_candidate(job.candidate);
    study::Scores scores = planted_original();
    if (candidate.ok() && !candidate->edits.empty()) {
      const auto planted = planted_scores(space_, candidate->edits[0]);
      if (planted.ok()) scores = *planted;
    }
    if (const auto metric = study::metric_named(job.key.evaluator)) {
      result.evaluation.values[job.key.evaluator] = {scores.at(*metric)->value, 0, 1, false};
    }
    return result;
  }
  void cancel() override { waiting_.clear(); }

 private:
  const spaces::coordinate::CoordinateSpace& space_;
  std::deque<search::Job> waiting_;
};

Result<search::SearchReport> searched(const SearchBenchOptions& options,
                                      const SearchSetting& setting, const std::string& strategy,
                                      const std::string& file) {
  CAMBIUM_TRY(store::StudyStore study, store::StudyStore::open(file));
  CAMBIUM_REQUIRE(study.set_head({model::structure_of(setting.base), options.model, "", "", ""}));
  PlantedExecutor executor(*setting.space);
  search::SearchContext context;
  context.base = &setting.base;
  context.spaces = engine::pointers(setting.spaces);
  context.study = &study;
  context.executor = &executor;
  search::SearchOptions search;
  search.strategy.name = strategy;
  search.strategy.seed = options.seed;
  search.strategy.in_flight = options.in_flight;
  search.reward = planted_reward(study::Metric::Latency);
  search.candidates = options.quick ? 20 : 4 * options.tickets;
  search.funnel.explore.resize(2);
  search.funnel.explore[0].evaluator = "latency";
  search.funnel.explore[1].evaluator = "accuracy";
  search.funnel.finalists = 0;
  return search::run(context, search);
}

}  // namespace

Status bench_overhead(const SearchBenchOptions& options, nlohmann::json& out) {
  CAMBIUM_TRY(const SearchSetting setting, setting_of(options));
  for (const char* strategy : {"tree", "random"}) {
    CAMBIUM_TRY(const TemporaryFolder folder, TemporaryFolder::make());
    const auto report = searched(options, setting, strategy, folder / "study");
    if (!report.ok()) return report.rejection();
    const auto candidates = static_cast<double>(report->last.folded);
    const double own = report->own_seconds / candidates;
    out["rows"].push_back({{"name", strategy},
                           {"candidates", report->last.folded},
                           {"own_seconds", report->own_seconds},
                           {"own_seconds_per_candidate", own},
                           // Below which the driver would take more than two hundredths.
                           {"least_evaluation_seconds", own / 0.02}});
  }
  return Ok{};
}

std::string overhead_text(const nlohmann::json& row) {
  return fmt::format(
      "{:7} {} candidates, {:.1f} ms of the driver's own for each: less than 2 % where evaluating "
      "one takes more than {:.2f} s\n",
      row["name"].get<std::string>(), row["candidates"].get<std::int64_t>(),
      1e3 * row["own_seconds_per_candidate"].get<double>(),
      row["least_evaluation_seconds"].get<double>());
}

}  // namespace cambium::bench
