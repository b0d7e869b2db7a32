// A search, wired up: the model and its spaces, the study, workers that train and workers that
// measure, given to the driver. What this machine or build lacks is pending in the study. Refuses
// what cannot begin: no target matches, the data does not fit, a study of something else. Called by
// `cambium search`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/search/setup.h"
#include "search/driver.h"

namespace cambium::engine {

// A device that trains nothing: candidates wait for a machine that does.
inline constexpr const char* kNoDevice = "none";

// Where and how a search runs; what it searches is the setup's.
struct SearchRuntime {
  std::string study;  // the file; made where there is none
  std::string name;   // of this search, of several in the study; empty: by strategy and seed
  std::int64_t candidates = 100;
  double seconds = 0;                // of exploring; 0: no limit
  int workers = 1;                   // that train at once
  int threads = 1;                   // of each of those
  std::string device = "auto";       // several (`cuda:0,cuda:1`): workers take turns; or kNoDevice
  double job_seconds = 3600;         // that one evaluation may take
  std::int64_t memory_bytes = 0;     // of a worker; 0: no limit
  std::string programs;              // the folder of cambium and cambium-train
  std::string machine_file;          // where the ceilings of this machine are kept
  std::string db;                    // of tuned schedules; empty: STUDY.tuning
  std::string commit;                // of this program
  std::vector<std::string> command;  // that it was started with, for whoever reads the study
};

// Refuses (BadOption) a name under which the study has a search of other spaces, another strategy
// or other goals: one state cannot serve both.
Result<search::SearchReport> run_search(const SearchSetup& setup, const SearchRuntime& runtime,
                                        const search::SearchHooks& hooks = {});
// The setup that a study was begun with. Refuses NotFound.
Result<SearchSetup> setup_of(const std::string& study);

// What a study keeps of one of its searches, to go on with it.
struct KeptSearch {
  std::string name;
  SearchSetup setup;
  // As it was started last; nothing in studies of versions that did not keep it.
  std::optional<std::int64_t> candidates;
  std::optional<double> seconds;
  std::vector<std::string> command;  // that it was begun with; going on does not change it
};
// The search of that name; where none is given, the only one. Refuses NotFound, and BadOption where
// there are several to choose from.
Result<KeptSearch> kept_search(const std::string& study, const std::string& name);
// Evaluates what waits for an evaluator; how many that were.
Result<std::int64_t> complete_search(const SearchRuntime& runtime, const std::string& evaluator,
                                     const search::SearchHooks& hooks = {});

nlohmann::json json_of(const search::Scores& scores);
nlohmann::json to_json(const search::SearchReport& report, const SearchSetup& setup,
                       const std::string& study);

}  // namespace cambium::engine
