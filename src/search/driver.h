// The search: proposals under tickets go down the funnel, a fixed number at a time; outcomes are
// folded into the strategy strictly in the order of tickets; the best are trained fully and tuned
// in the end. Everything is in the study at every moment: a search that was killed goes on as if it
// had not been. Refuses what cannot begin (the original fails an evaluation, ImpossibleBudget,
// another model's study); what a candidate does is never a reason to stop. Called by engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "search/executor.h"
#include "search/funnel.h"
#include "search/passage.h"
#include "search/reward.h"
#include "search/strategy.h"
#include "spaces/space.h"
#include "store/study_store.h"

namespace cambium::search {

struct SearchOptions {
  std::string name = "search";  // of this search: several may share a study
  StrategyOptions strategy;
  Funnel funnel;
  RewardOptions reward;
  // Candidates that somebody named: no limit ends their way, and they are in the finals.
  std::vector<spaces::Candidate> given;
  std::int64_t candidates = 100;  // proposals in all, those of earlier runs included
  double seconds = 0;             // of exploring in this run; 0: no limit
  std::int64_t folds_per_snapshot = 25;
};

// What a person wants to see while it runs.
struct SearchProgress {
  // Complete: what was pending.
  enum class Phase : std::uint8_t { Original, Given, Explore, Finals, Complete };
  Phase phase = Phase::Original;
  std::int64_t proposed = 0, folded = 0, planned = 0;
  std::int64_t known = 0;                     // distinct candidates with scores
  std::vector<Passages::Count> stages;        // of exploring
  std::vector<Passages::Count> final_stages;  // of the finals, without the original
  std::int64_t finals_done = 0,
               finals_planned = 0;  // evaluations, with those of the original, or pending
  std::map<std::string, std::int64_t> refusals;  // by reason, of this run
  Scores original;
  std::vector<Metric> objectives;
  struct Best {
    Fingerprint candidate;
    Scores scores;
  };
  // One candidate of the front, never the original: of those that hold the limits, or of all where
  // none does, the one with the highest reward.
  std::optional<Best> best;
  std::size_t front = 0;  // candidates on it
  std::int64_t evaluations = 0;
  double evaluation_seconds = 0, seconds = 0;
  double seconds_left = 0;  // of exploring, or of the finals; 0: nothing to go by yet (time_left.h)
};

struct SearchRow {
  Fingerprint identity;
  std::string title;
  Scores scores;  // of the finals where it got there, otherwise of exploring
  bool is_finalist = false;
  bool holds_limits = false;  // all of them, under the evaluations of the finals
  std::string refused;        // in the finals: why
  // How many times as long the original takes, side by side, where an evaluator has measured that.
  std::optional<double> speedup;
};

// A candidate of the user's own that did not come through exploring.
struct RefusedGiven {
  Fingerprint identity;
  std::string evaluator, detail;  // which refused it, and why
};

struct SearchReport {
  SearchProgress last;
  Scores original, original_final;
  std::vector<RefusedGiven> refused_given;
  std::vector<SearchRow> finalists;  // the best reward first
  bool was_stopped = false;
  bool is_exhausted = false;  // the spaces have nothing more
  double own_seconds = 0;     // of driver, strategy and study: all but waiting for evaluations
};

struct SearchHooks {
  std::function<void(const SearchProgress&)> progress;
  const std::atomic<bool>* stop = nullptr;
};

struct SearchContext {
  const model::Model* base = nullptr;
  std::vector<spaces::Space*> spaces;
  store::StudyStore* study = nullptr;
  Executor* executor = nullptr;
  Evaluations::Place place;
  std::function<Estimates(const model::Model&, const std::string& evaluator)> estimate;
};

// Whether limits can be read and the strategy can be made. Changes nothing, so that a command that
// is refused leaves the study as it was.
Status check(const SearchContext& context, const SearchOptions& options);

// The study has its head.
Result<SearchReport> run(const SearchContext& context, const SearchOptions& options,
                         const SearchHooks& hooks = {});

// Evaluates what waits for this evaluator, on a machine that has it. How many that were.
Result<std::int64_t> complete_pending(const SearchContext& context, const std::string& evaluator,
                                      const SearchHooks& hooks = {});

}  // namespace cambium::search
