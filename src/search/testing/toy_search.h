// A search over toy spaces for tests: of a network of three blocks, with stages that the fake
// executor serves, in a study of its own or in a given one; and all that it leaves, to compare two.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/scratch_folder_testing.h"
#include "search/driver.h"
#include "spaces/testing/toy_blocks.h"
#include "spaces/testing/toy_tree.h"

namespace cambium::search::testing {

Stage toy_stage(const std::string& evaluator, double fidelity);
// By a strategy of that name, or `mixed`: the tree on the one toy space, evolution on the other.
// A latency and a brief training for all, full trainings by three seeds and tuning for three.
SearchOptions toy_options(const std::string& strategy, std::int64_t candidates = 60);

// One search over fresh spaces, as in a new process. `space`: toy-tree, toy-blocks or both.
struct ToySearch {
  explicit ToySearch(const std::string& space = "toy-tree", const std::string& path = {});

  Result<SearchReport> run(const SearchOptions& options, Executor& executor,
                           const SearchHooks& hooks = {});
  // Identities by ticket.
  std::map<std::int64_t, std::string> proposals();

  ScratchFolder folder;
  std::string file;
  model::Model base;
  spaces::testing::ToyTree tree;
  spaces::testing::ToyBlocks blocks;
  std::optional<store::StudyStore> study;
  SearchContext context;
};

std::string text_of(const store::EvaluationKey& key);
// The rows of the finals, a line each, as `key=value`.
std::string rows_text(const SearchReport& report);

}  // namespace cambium::search::testing
