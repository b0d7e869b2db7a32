// A search, wired up: the model and its spaces, the study, workers that train and workers that
// measure, given to the driver. What this machine or build lacks is pending in the study. Refuses
// what cannot begin: no target matches, the data does not fit, a study of something else. Called by
// `cambium search`.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/search/setup.h"
#include "search/driver.h"

namespace cambium::engine {

// Where and how a search runs; what it searches is the setup's.
struct SearchRuntime {
  std::string study;  // the file; made where there is none
  std::string name;   // of this search; empty: by strategy and seed
  std::int64_t candidates = 100;
  double seconds = 0;  // of exploring; 0: no limit
  int workers = 1;     // that train at once
  int threads = 1;     // of each of those
  std::string device = "auto";
  double job_seconds = 3600;         // that one evaluation may take
  std::int64_t memory_bytes = 0;     // of a worker; 0: no limit
  std::string programs;              // the folder of cambium and cambium-train
  std::string machine_file;          // where the ceilings of this machine are kept
  std::string db;                    // of tuned schedules; empty: STUDY.tuning
  std::string commit;                // of this program
  std::vector<std::string> command;  // that it was started with, for whoever reads the study
};

Result<search::SearchReport> run_search(const SearchSetup& setup, const SearchRuntime& runtime,
                                        const search::SearchHooks& hooks = {});
// The setup that a study was begun with. Refuses NotFound.
Result<SearchSetup> setup_of(const std::string& study);
// Evaluates what waits for an evaluator; how many that were.
Result<std::int64_t> complete_search(const SearchRuntime& runtime, const std::string& evaluator,
                                     const search::SearchHooks& hooks = {});

nlohmann::json json_of(const search::Scores& scores);
nlohmann::json to_json(const search::SearchReport& report, const SearchSetup& setup,
                       const std::string& study);

}  // namespace cambium::engine
