// What a study amounts to, read once: one entry a candidate with the best that is known of each
// metric, the funnel, machines, searches and how the best values came about. Keeps no documents and
// no curves, so that a hundred thousand candidates stay small. Refuses what the store refuses.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"
#include "report/metrics.h"
#include "store/study_store.h"

namespace cambium::report {

// A measurement beats an estimate, a higher fidelity a lower one; among equals what came later, but
// seeds of one evaluator are averaged.
struct Known {
  double value = 0;
  // Relative: of one evaluation its own; of several seeds their standard deviation, as the search
  // itself joins them (search/passage.h).
  double spread = 0;
  double fidelity = 0;
  std::int64_t seeds = 1;
  bool is_estimate = false;
};

struct Entry {
  Fingerprint identity;
  std::string title;
  std::int64_t ticket = 0;
  std::uint32_t space = 0, strategy = 0, search = 0;  // in Summary::names
  std::uint32_t reason = 0;                           // of the last refusal, in Summary::names
  std::array<std::optional<Known>, kMetrics> known;
  std::uint32_t done = 0, refused = 0, pending = 0;  // one bit a stage of the funnel

  const std::optional<Known>& at(Metric metric) const {
    return known[static_cast<std::size_t>(metric)];
  }
};

// One evaluator at one fidelity. Counts candidates, not evaluations.
struct Stage {
  std::string evaluator;
  double fidelity = 0;
  std::int64_t done = 0, refused = 0, pending = 0;
  double depth = 0;  // how many stages candidates had met before this one, on average

  std::int64_t entered() const { return done + refused + pending; }
  std::string label() const;  // "accuracy, 2 epochs"
};

// A value that was better than all before it.
struct Improvement {
  Metric metric = Metric::Accuracy;
  std::int64_t candidates = 0;  // that had been evaluated by then
  double seconds = 0;           // that evaluating had taken by then, all workers together
  double value = 0;
  std::size_t entry = 0;
};

struct Place {  // where evaluations were made
  Fingerprint machine;
  std::string host;
  std::int64_t evaluations = 0;
};

struct SearchRun {  // one search of the study
  std::string name, strategy;
  std::uint64_t seed = 0;
  std::int64_t candidates = 0;
};

struct Summary {
  std::optional<store::StudyHead> head;
  std::vector<std::string> names;  // "" first
  std::vector<Entry> entries;      // in the order in which they came
  std::optional<std::size_t> original;
  std::vector<Stage> stages;          // in the order in which they first came
  std::vector<std::size_t> funnel;    // of stages: by depth
  std::vector<Improvement> progress;  // without the original
  std::vector<Place> places;          // the busiest first
  std::vector<SearchRun> searches;
  std::map<std::string, std::string> options;  // of searches, by name: JSON of how each runs
  std::vector<store::StudyStore::ReasonCount> rejections;
  Fingerprint latency_machine;  // whose latencies the entries hold
  std::int64_t evaluations = 0;
  std::int64_t evaluated = 0;  // candidates with at least one evaluation
  double seconds = 0;
  std::vector<std::string> commits;
};

// Latencies are those of `machine`; without it, of the machine with the most of them.
Result<Summary> read_summary(store::StudyStore& study, const std::optional<Fingerprint>& machine);

// How far the candidate came: "original", "refused: OverBudget", "pending: latency", or the
// stage.
std::string status_of(const Summary& summary, std::size_t entry);

// By how a stage that has a fidelity counts it: "2 epochs", "64 trials"; empty for none.
std::string fidelity_text(const std::string& evaluator, double fidelity);

// The digits that name a candidate on pages and in commands.
std::string short_name(Fingerprint identity);

}  // namespace cambium::report
