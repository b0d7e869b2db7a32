#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include <fmt/core.h>

#include "base/escape.h"
#include "cost_model/commands.h"
#include "program/text.h"
#include "schedule/trace/schedule.h"
#include "store/tuning_store.h"
#include "tune/cost_model/xgboost_model.h"
#include "tune/ranking.h"

namespace cambium::bench {
namespace {

using tune::Example;

// Operators of one family have names that begin alike: `C2D-0`, `C2D-3`; or of one model:
// `resnet20(conv1)`.
std::string family_of(const std::string& name) {
  return name.substr(0, name.find_first_of("-( "));
}

using Families = std::map<std::string, std::vector<Example>>;

// Features are computed again from the traces, so that old records serve new features.
Status read(const std::string& path, const Machine& machine, Families& families) {
  CAMBIUM_TRY(store::TuningStore store, store::TuningStore::open(path));
  CAMBIUM_TRY(const std::vector<store::TuningKey> keys, store.keys());
  for (const store::TuningKey& key : keys) {
    CAMBIUM_TRY(const auto program, store.program(key.program));
    if (!program || key.machine != fingerprint_of(machine)) continue;
    CAMBIUM_TRY(const std::vector<store::Trial> trials, store.trials(key));
    for (const store::Trial& trial : trials) {
      program::Context cx;
      const auto lowered = program::parse(cx, program->text);
      const auto trace = schedule::parse_trace(trial.trace);
      if (!lowered.ok() || !trace.ok()) continue;
      const auto s = schedule::replay(cx, *lowered, *trace);
      if (!s.ok()) continue;
      const tune::Analysis analysis = tune::analyse(s->program(), machine);
      const tune::DraftEstimate draft = tune::draft_estimate(analysis, machine, key.threads);
      Example e;
      // Times on other numbers of threads or of other code are another comparison.
      e.program = fingerprint_of(key.program, key.threads, key.codegen);
      e.features = tune::features_of(analysis, draft, machine, key.threads);
      e.seconds = trial.seconds();
      e.draft_seconds = draft.seconds;
      families[family_of(program->name)].push_back(std::move(e));
    }
  }
  return Ok{};
}

std::vector<double> scores(const tune::CostModel& model, const std::vector<Example>& examples) {
  std::vector<tune::Features> features;
  std::vector<double> drafts;
  for (const Example& e : examples) {
    features.push_back(e.features);
    drafts.push_back(e.draft_seconds);
  }
  return model.score(features, drafts);
}

void print_row(const std::string& name, const std::vector<Example>& examples,
               const tune::ModelQuality& model, const tune::ModelQuality& draft) {
  fmt::print("| {:6} | {:8} | {:6.2f} | {:6.2f} | {:6.2f} | {:6.2f} |\n", markdown_text(name),
             examples.size(), draft.rank_correlation, model.rank_correlation, draft.best_of_top_8,
             model.best_of_top_8);
  std::fflush(stdout);
}

}  // namespace

Status train(const Machine& machine, const TrainOptions& options) {
  Families families;
  for (const std::string& path : options.dbs) CAMBIUM_REQUIRE(read(path, machine, families));
  tune::ModelOptions how;
  how.rounds = options.rounds;
  how.depth = options.depth;
  fmt::print(
      "Each family by a model of the others: rank correlation, and the fastest among the 8 "
      "best by the model.\n\n| family | examples | draft | model | draft | model |\n"
      "|---|---|---|---|---|---|\n");
  std::vector<Example> all;
  tune::ModelQuality sum_model, sum_draft;
  for (const auto& [left_out, asked] : families) {
    std::vector<Example> taught;
    for (const auto& [family, examples] : families) {
      if (family != left_out) taught.insert(taught.end(), examples.begin(), examples.end());
    }
    CAMBIUM_TRY(const auto model, tune::new_xgboost_model(how));
    CAMBIUM_REQUIRE(model->train(taught, options.seed));
    const auto quality = tune::quality_of(asked, scores(*model, asked));
    const auto draft = tune::quality_of(asked, scores(*tune::draft_only_model(), asked));
    print_row(left_out, asked, quality, draft);
    sum_model.rank_correlation += quality.rank_correlation;
    sum_model.best_of_top_8 += quality.best_of_top_8;
    sum_draft.rank_correlation += draft.rank_correlation;
    sum_draft.best_of_top_8 += draft.best_of_top_8;
    all.insert(all.end(), asked.begin(), asked.end());
  }
  const double count = std::max(1.0, static_cast<double>(families.size()));
  fmt::print("| mean | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", all.size(),
             sum_draft.rank_correlation / count, sum_model.rank_correlation / count,
             sum_draft.best_of_top_8 / count, sum_model.best_of_top_8 / count);
  CAMBIUM_TRY(const auto model, tune::new_xgboost_model(how));
  CAMBIUM_TRY(const tune::ModelQuality quality, model->train(all, options.seed));
  fmt::print(
      "\nAll families, {} of {} examples held out: rank correlation {:.2f} (draft {:.2f}), "
      "best of 8 {:.2f}\n",
      quality.held_out, quality.examples, quality.rank_correlation, quality.draft_correlation,
      quality.best_of_top_8);
  return options.out.empty() ? Status(Ok{}) : tune::save_model(*model, options.out);
}

}  // namespace cambium::bench
