// Summary: the contents of a study, read once: the best known values of each candidate, the funnel,
// machines, searches, and the progress of the best values. It keeps no documents and no curves, so
// that a hundred thousand candidates stay small. Refuses what the store refuses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "base/result.h"
#include "store/study_store.h"
#include "study/record.h"

namespace cambium::report {

struct Entry {
  Fingerprint identity;
  std::string title;
  std::int64_t ticket = 0;
  std::uint32_t space = 0, strategy = 0, search = 0;  // in Summary::names
  std::uint32_t reason = 0;                           // of the last refusal, in Summary::names
  study::Scores scores;                               // the best known values (study/record.h)
  bool takes_part = false;  // in the Pareto front: it has passed what the search asks for
  std::uint32_t done = 0, refused = 0, pending = 0;  // one bit for each stage of the funnel

  const std::optional<study::Value>& at(study::Metric metric) const { return scores.at(metric); }
};

// One evaluator at one fidelity. Counts candidates, not evaluations.
struct Stage {
  std::string evaluator;
  double fidelity = 0;
  std::int64_t done = 0, refused = 0, pending = 0;
  double depth = 0;  // mean number of stages that candidates passed before

  std::int64_t entered() const { return done + refused + pending; }
};

// A value that was better than all earlier ones.
struct Improvement {
  study::Metric metric = study::Metric::Accuracy;
  std::int64_t candidates = 0;  // evaluated until then
  double seconds = 0;           // spent evaluating until then, over all workers
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

// The evaluators that workers run, by name, with what their fidelity counts: "epochs". Empty: the
// fidelity is unused.
using Evaluators = std::map<std::string, std::string>;

struct Summary {
  std::optional<store::StudyHead> head;
  std::vector<std::string> names;  // the first is empty
  std::vector<Entry> entries;      // in the order of the study
  std::optional<std::size_t> original;
  std::vector<Stage> stages;          // in the order of their first evaluation
  std::vector<std::size_t> funnel;    // the stages, by depth
  std::vector<Improvement> progress;  // without the original
  std::vector<Place> places;          // by evaluations, the most first
  std::vector<SearchRun> searches;
  std::map<std::string, std::string> options;  // by name of the search: JSON
  std::vector<store::StudyStore::ReasonCount> rejections;
  Fingerprint latency_machine;  // whose latencies count
  std::int64_t evaluations = 0;
  std::int64_t evaluated = 0;  // candidates with at least one evaluation
  double seconds = 0;
  std::vector<std::string> commits;
  Evaluators evaluators;
  std::optional<double> longest;  // epochs of training, of any candidate

  // Trained for fewer epochs than another candidate of the study.
  bool is_brief(std::size_t entry) const;
};

// What the writer of a report knows beside the study.
struct SummaryOptions {
  std::optional<Fingerprint> machine;  // whose latencies count; nothing: see study/census.h
  study::Goals goals;
  Evaluators evaluators;
};
Result<Summary> read_summary(store::StudyStore& study, const SummaryOptions& options);

// How far the candidate came: "original", "refused: OverBudget", "pending: latency", or its last
// stage.
std::string status_of(const Summary& summary, std::size_t entry);

// A fidelity by its unit: "2 epochs", "64 trials"; empty for none.
std::string fidelity_text(const Summary& summary, const std::string& evaluator, double fidelity);
std::string label_of(const Summary& summary, const Stage& stage);  // "accuracy, 2 epochs"

}  // namespace cambium::report
