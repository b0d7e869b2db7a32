// The strategies, one maker each. Each refuses NoFacet where the space lacks what it needs, and
// BadOption for settings it does not have. Called by make_strategy alone.
#pragma once

#include <memory>
#include <vector>

#include "search/strategy.h"

namespace cambium::search {

using MadeStrategy = Result<std::unique_ptr<Strategy>>;

// Draws without putting back: from samples, or down the tree, or by a walk of mutations from the
// original. Setting `walk`: the most mutations.
MadeStrategy make_random(const StrategyOptions& options, Fingerprint base, spaces::Space& space);
// Everything in the space's own order, or in the order of its tree, once each.
MadeStrategy make_enumerate(const StrategyOptions& options, Fingerprint base, spaces::Space& space);
MadeStrategy make_tree(const StrategyOptions& options, Fingerprint base, spaces::Space& space);
MadeStrategy make_evolution(const StrategyOptions& options, Fingerprint base, spaces::Space& space);

// Shares the budget among strategies, each under the name of its space. Settings `exploration`,
// `discount`.
struct Arm {
  std::string space;
  std::unique_ptr<Strategy> strategy;
};
MadeStrategy make_bandit(const StrategyOptions& options, std::vector<Arm> arms);

}  // namespace cambium::search
