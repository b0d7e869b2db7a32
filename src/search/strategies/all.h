// The strategies: a maker and the list of settings of each. A maker refuses NoFacet if the space
// lacks what the strategy needs, and BadOption for unknown settings. Called only by strategy.cpp.
#pragma once

#include <memory>
#include <vector>

#include "search/strategy.h"

namespace cambium::search {

using MadeStrategy = Result<std::unique_ptr<Strategy>>;

// Draws without replacement: from samples, down the tree, or by a walk of mutations from the
// original.
MadeStrategy make_random(const StrategyOptions& options, Fingerprint base, spaces::Space& space);
std::vector<SettingInfo> random_settings();
// Proposes everything once, in the space's own order or in the order of its tree.
MadeStrategy make_enumerate(const StrategyOptions& options, Fingerprint base, spaces::Space& space);
std::vector<SettingInfo> enumerate_settings();
MadeStrategy make_tree(const StrategyOptions& options, Fingerprint base, spaces::Space& space);
std::vector<SettingInfo> tree_settings();
MadeStrategy make_evolution(const StrategyOptions& options, Fingerprint base, spaces::Space& space);
std::vector<SettingInfo> evolution_settings();
// Composes candidates from options by site (spaces::OffersBySite). Also refuses BadOption if no
// stage measures the values that settings `cost` and `gain` name.
MadeStrategy make_compose(const StrategyOptions& options, Fingerprint base, spaces::Space& space);
std::vector<SettingInfo> compose_settings();

// Shares the budget among the strategies of several spaces.
struct Arm {
  std::string space;
  std::unique_ptr<Strategy> strategy;
};
MadeStrategy make_bandit(const StrategyOptions& options, std::vector<Arm> arms);
std::vector<SettingInfo> bandit_settings();

}  // namespace cambium::search
