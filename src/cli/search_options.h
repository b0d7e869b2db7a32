// The options of `cambium search`, and how they become a new search or continue a search of the
// study. The study stores every option that changes a result; a test checks all options. Refuses
// BadOption, and everything that reading a study refuses. Used by cli/search.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/space_options.h"
#include "engine/search/search.h"

namespace CLI {
class App;
}

namespace cambium::cli {

struct SearchCommand {
  engine::SearchSetup setup;
  engine::SearchRuntime runtime;
  std::vector<std::string> bind, set, strategy_options, objectives, tries;
  SpaceChoice spaces;
  std::string reward = "ratio", only, worker_memory;
  std::string accuracy_drop, perplexity, macs, latency, parameters, memory, activations = "3x";
  bool resume = false, json = false;
  std::set<std::string> given;  // names of the options on the command line
};

void add_search_options(CLI::App& app, SearchCommand& command);
// Call after parsing. Records which options the command line named.
void note_given(const CLI::App& app, SearchCommand& command);

// Parses sizes of how the search runs, for new and continued searches.
Status complete_run(SearchCommand& command);
// Completes the setup of a new search.
Status complete_setup(SearchCommand& command);

// Refuses options beside --resume or --only that would have no effect.
Status check_beside_study(const SearchCommand& command);
// Continues a search with the settings of the study, except those that the command line may change.
// Returns a note on how the changes affect the results; empty if they have no effect.
std::string go_on_with(SearchCommand& command, const engine::KeptSearch& kept);
// The same for the settings of the run only: what the command line omits comes from the study, and
// the stored command of the search stays.
std::string run_on(SearchCommand& command, const engine::KeptSearch& kept);

}  // namespace cambium::cli
