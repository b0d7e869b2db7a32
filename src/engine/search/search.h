// Runs a search: gives the driver the model, its spaces, the study, and workers that train and
// measure. Evaluations that this machine or build cannot make stay pending. Refuses a search that
// cannot begin: no target matches, the data does not fit, the study belongs to another model.
// Called by `cambium search`.
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

// Where and how a search runs. The setup says what it searches.
struct SearchRuntime {
  std::string study;  // the file; made if it is missing
  std::string name;   // of the search; empty: strategy and seed
  SearchRun run;
  std::string programs;              // the folder of cambium and cambium-train
  std::string machine_file;          // the ceilings of this machine
  std::string db;                    // of tuned schedules; empty: STUDY.tuning
  std::string commit;                // of this program
  std::vector<std::string> command;  // the arguments of the program, for readers of the study
};

// Refuses (BadOption) the name of an existing search with other spaces, another strategy or other
// goals, because a search has only one state.
Result<search::SearchReport> run_search(const SearchSetup& setup, const SearchRuntime& runtime,
                                        const search::SearchHooks& hooks = {});
// Makes the pending evaluations of an evaluator. Returns their number.
Result<std::int64_t> complete_search(const SearchRuntime& runtime, const std::string& evaluator,
                                     const search::SearchHooks& hooks = {});

nlohmann::json json_of(const study::Scores& scores);
nlohmann::json to_json(const search::SearchReport& report, const SearchSetup& setup,
                       const std::string& study);

}  // namespace cambium::engine
