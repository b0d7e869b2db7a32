// A search, wired up: the model and its spaces, the study, workers that train and workers that
// measure, given to the driver. What this machine or build lacks is pending in the study. Refuses
// what cannot begin: no target matches, the data does not fit, a study of something else. Called by
// `cambium search`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/search/kept.h"
#include "engine/search/setup.h"
#include "search/driver.h"

namespace cambium::engine {

// Where a search runs and how; what it searches is the setup's.
struct SearchRuntime {
  std::string study;  // the file; made where there is none
  std::string name;   // of this search, of several in the study; empty: by strategy and seed
  SearchRun run;
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
// Evaluates what waits for an evaluator; how many that were.
Result<std::int64_t> complete_search(const SearchRuntime& runtime, const std::string& evaluator,
                                     const search::SearchHooks& hooks = {});

nlohmann::json json_of(const search::Scores& scores);
nlohmann::json to_json(const search::SearchReport& report, const SearchSetup& setup,
                       const std::string& study);

}  // namespace cambium::engine
