// The options of `cambium search`, and what becomes of them: a new search, or one that goes on as
// the study keeps it. Everything that changes a result is kept; a test goes over all options.
// Refuses BadOption, and what reading a study refuses. Used by cli/search.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/search/search.h"

namespace CLI {
class App;
}

namespace cambium::cli {

struct SearchCommand {
  engine::SearchSetup setup;
  engine::SearchRuntime runtime;
  std::vector<std::string> bind, set, space_options, strategy_options, objectives, tries;
  std::vector<std::string> spaces = {"coordinate"};
  std::string targets = "conv:k=3,groups=1";
  std::string reward = "ratio", only, worker_memory;
  std::string accuracy_drop, perplexity, macs, latency, parameters, memory, activations = "3x";
  bool resume = false, json = false;
  std::set<std::string> given;  // options of the command line, by name
};

void add_search_options(CLI::App& app, SearchCommand& command);
// After parsing: which options the command line named.
void note_given(const CLI::App& app, SearchCommand& command);

// Sizes and pairs read, for a search that begins or goes on.
Status complete_run(SearchCommand& command);
// The setup of a search that begins.
Status complete_setup(SearchCommand& command);

// What is named beside --resume or --only and would not count is refused, not ignored.
Status check_beside_study(const SearchCommand& command);
// Goes on with a search as the study keeps it, but for what the command line may change. What that
// changes of the results, in words; nothing: they are those of a search that was left alone.
std::string go_on_with(SearchCommand& command, const engine::KeptSearch& kept);
// The same of how it runs alone: what the command line does not say is as the study keeps it, and
// the command that the search was begun with stays.
std::string run_on(SearchCommand& command, const engine::KeptSearch& kept);

}  // namespace cambium::cli
