// How long the paper's own search takes: so many random networks of its three sequences, judged by
// Fisher Potential, their times composed from the table of kernels. The search runs twice, as
// `cambium search` does it. The first run fills the table, which a user does once; the second one
// finds every kernel there.
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "cli/common.h"
#include "commit.h"
#include "engine/search/search.h"
#include "engine/search/setup.h"
#include "loopnest/parts.h"
#include "lower/nest_form.h"

namespace cambium::bench {
namespace {

constexpr std::int64_t kCandidates = 1000, kQuickCandidates = 3;

engine::SearchSetup paper_setup(const LoopNestBenchOptions& options) {
  engine::SearchSetup setup;
  setup.model = options.model;
  setup.data = options.data;
  setup.spaces = {{std::string(lower::kNestSpace), options.targets, {{"published", "yes"}}}};
  setup.strategy.name = "random";
  setup.strategy.seed = options.seed;
  setup.reward.kind = search::RewardOptions::Kind::Cost;
  setup.legality = "total";
  setup.legality_draws = 1;
  setup.quick_latency = "kernels";
  setup.brief_epochs = 0;
  setup.finalists = 0;
  return setup;
}

nlohmann::json stages_of(const search::SearchReport& report) {
  nlohmann::json stages = nlohmann::json::array();
  for (const search::Passages::Count& count : report.last.stages) {
    stages.push_back(
        {{"evaluator", count.evaluator}, {"entered", count.entered}, {"refused", count.refused}});
  }
  return stages;
}

}  // namespace

Status bench_paper(const LoopNestBenchOptions& options, nlohmann::json& out) {
  if (options.data.empty()) {
    if (options.parts.empty()) return Ok{};
    return Rejection(Reason::BadOption, "--data", "the part `paper` needs images");
  }
  const engine::SearchSetup setup = paper_setup(options);
  CAMBIUM_TRY(const TemporaryFolder folder, TemporaryFolder::make());
  engine::SearchRuntime runtime;
  runtime.programs = cli::own_folder();
  runtime.machine_file = cli::cache_folder() + "/ceilings.json";
  runtime.db = options.db;
  runtime.commit = std::string(commit());
  runtime.run.candidates = options.networks > 0 ? options.networks
                           : options.quick      ? kQuickCandidates
                                                : kCandidates;
  // Networks side by side take less time than one after the other on all cores.
  runtime.run.workers = options.jobs;
  runtime.run.threads = 1;
  runtime.run.device = options.device;
  nlohmann::json row = {{"case", setup.model}, {"jobs", options.jobs}};
  for (const char* run : {"fill", "filled"}) {
    fmt::print(stderr, "{} ...\n", run);
    runtime.study = folder / (std::string(run) + ".study");
    CAMBIUM_TRY(const search::SearchReport report, engine::run_search(setup, runtime));
    row[std::string(run) + "_seconds"] = report.last.seconds;
    row["candidates"] = report.last.folded;
    row["stages"] = stages_of(report);
  }
  out["rows"].push_back(std::move(row));
  return Ok{};
}

std::string paper_text(const nlohmann::json& row) {
  std::string text =
      fmt::format("{}: {} candidates in {:.1f} s with filled tables, {:.1f} s while they filled;",
                  row["case"].get<std::string>(), row["candidates"].get<int>(),
                  row["filled_seconds"].get<double>(), row["fill_seconds"].get<double>());
  for (const nlohmann::json& stage : row["stages"]) {
    text += fmt::format(" {} refused {} of {};", stage["evaluator"].get<std::string>(),
                        stage["refused"].get<int>(), stage["entered"].get<int>());
  }
  text.back() = '\n';
  return text;
}

}  // namespace cambium::bench
