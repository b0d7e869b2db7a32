// A search over toy spaces for tests. It searches a network of three blocks with the stages of the
// fake executor, in its own study or in a given one. Also texts of everything that it leaves, to
// compare two searches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/scratch_folder_testing.h"
#include "search/driver.h"
#include "spaces/testing/toy_blocks.h"
#include "spaces/testing/toy_sites.h"
#include "spaces/testing/toy_tree.h"

namespace cambium::search::testing {

Stage toy_stage(const std::string& evaluator, double fidelity);
// With the strategy of that name, or `mixed`: the tree on one toy space, evolution on the other.
// `compose` probes latencies; `neighbours` is the same with trainings, and with pairs of
// neighbours. All candidates get a latency and a brief training; three get full trainings with
// three seeds, and tuning.
SearchOptions toy_options(const std::string& strategy, std::int64_t candidates = 60);

// A search over fresh spaces, as in a new process. `space`: toy-tree, toy-blocks, both of these, or
// toy-sites.
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
  spaces::testing::ToySites sites;
  std::optional<store::StudyStore> study;
  SearchContext context;
};

std::string text_of(const store::EvaluationKey& key);
// The rows of the finals as `key=value`, one line each.
std::string rows_text(const SearchReport& report);

}  // namespace cambium::search::testing
