// The search. Proposals get tickets and go down the funnel, a fixed number at a time. Their
// outcomes reach the strategy strictly in the order of tickets. In the end the best candidates are
// fully trained and tuned. The study is complete at every moment, so a killed search can continue
// as if nothing had happened. Refuses a search that cannot begin: the original fails an evaluation
// (ImpossibleBudget), or the study belongs to another model. A candidate never stops the search.
// Called by engine.
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
  std::string name = "search";  // of this search; several searches may share a study
  StrategyOptions strategy;
  Funnel funnel;
  RewardOptions reward;
  // Candidates that the user named: no limit stops them, and they join the finals.
  std::vector<spaces::Candidate> given;
  std::int64_t candidates = 100;  // proposals in all, with earlier runs
  double seconds = 0;             // to explore in this run; 0: no limit
  std::int64_t folds_per_snapshot = 25;
};

// What a user wants to see while the search runs.
struct SearchProgress {
  // Complete: evaluates what is pending.
  enum class Phase : std::uint8_t { Original, Given, Explore, Finals, Complete };
  Phase phase = Phase::Original;
  std::int64_t proposed = 0, folded = 0, planned = 0;
  std::int64_t known = 0;                     // distinct candidates with scores
  std::vector<Passages::Count> stages;        // of exploring
  std::vector<Passages::Count> final_stages;  // of the finals, without the original
  std::int64_t finals_done = 0,
               finals_planned = 0;               // evaluations, with those of the original
  std::map<std::string, std::int64_t> refusals;  // by reason, of this run
  study::Scores original;
  std::vector<study::Metric> objectives;
  struct Best {
    Fingerprint candidate;
    study::Scores scores;
  };
  // The candidate of the front with the highest reward, without the original. Candidates within the
  // limits come first.
  std::optional<Best> best;
  std::size_t front = 0;  // candidates on the front
  std::int64_t evaluations = 0;
  double evaluation_seconds = 0, seconds = 0;
  double seconds_left = 0;  // of this phase; 0: not known yet (time_left.h)
};

struct SearchRow {
  Fingerprint identity;
  std::string title;
  study::Scores scores;  // of the finals if it reached them, otherwise of exploring
  bool is_finalist = false;
  bool holds_limits = false;  // all limits: in the finals, or those that exploring can tell
  std::string refused;        // why it was refused in the finals
  // The latency of the original divided by this one, measured side by side; if it was measured.
  std::optional<double> speedup;
};

// A candidate that the user named and that exploring refused.
struct RefusedGiven {
  Fingerprint identity;
  std::string evaluator, detail;  // who refused it, and why
};

struct SearchReport {
  SearchProgress last;
  study::Scores original, original_final;
  std::vector<RefusedGiven> refused_given;
  std::vector<SearchRow> finalists;  // by reward, the highest first
  std::vector<SearchRow> front;      // of exploring, the best of the first objective first
  std::vector<std::string> remarks;  // of the strategy, for people
  bool was_stopped = false;
  bool is_exhausted = false;  // the strategy has nothing more to propose
  double own_seconds = 0;     // in driver, strategy and study, without waiting for evaluations
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

// Checks that the limits can be read and the strategy can be made. Changes nothing, so that a
// refused command leaves the study as it was.
Status check(const SearchContext& context, const SearchOptions& options);

// The study must have its head.
Result<SearchReport> run(const SearchContext& context, const SearchOptions& options,
                         const SearchHooks& hooks = {});

// Makes the pending evaluations of this evaluator, on a machine that has it. Returns their number.
Result<std::int64_t> complete_pending(const SearchContext& context, const std::string& evaluator,
                                      const SearchHooks& hooks = {});

}  // namespace cambium::search
