#include "search/strategy.h"

#include "base/text.h"
#include "search/strategies/all.h"

namespace cambium::search {
namespace {

using Maker = MadeStrategy (*)(const StrategyOptions&, Fingerprint, spaces::Space&);
struct Named {
  std::string_view name;
  Maker make;
  std::vector<SettingInfo> (*settings)();
};
constexpr Named kStrategies[] = {{"random", make_random, random_settings},
                                 {"enumerate", make_enumerate, enumerate_settings},
                                 {"tree", make_tree, tree_settings},
                                 {"evolution", make_evolution, evolution_settings},
                                 {"compose", make_compose, compose_settings}};
constexpr std::string_view kBandit = "bandit";

MadeStrategy make_one(const StrategyOptions& options, Fingerprint base, spaces::Space& space) {
  for (const Named& strategy : kStrategies) {
    if (strategy.name == options.name) return strategy.make(options, base, space);
  }
  return Rejection(Reason::UnknownStrategy, options.name, join(strategy_names(), ", "));
}

// The part after `prefix.`, if the text begins with that.
std::optional<std::string> after(std::string_view prefix, const std::string& name) {
  if (name.size() <= prefix.size() || !name.starts_with(prefix) || name[prefix.size()] != '.') {
    return std::nullopt;
  }
  return name.substr(prefix.size() + 1);
}

// The settings for the strategy of one space.
StrategyOptions options_of(std::string_view space, std::size_t place,
                           const StrategyOptions& options) {
  StrategyOptions own = options;
  own.seed = Rng(options.seed).split(place).next_u64();
  own.settings.clear();
  for (const auto& [name, value] : options.settings) {
    if (after(space, name) == "strategy") own.name = value;
  }
  for (const auto& [name, value] : options.settings) {
    if (const auto rest = after(space, name)) {
      if (*rest != "strategy") own.settings.emplace_back(*rest, value);
    } else if (name.find('.') == std::string::npos && own.name == options.name) {
      own.settings.emplace_back(name, value);
    }
  }
  return own;
}

Status check_prefixes(const StrategyOptions& options, const std::vector<spaces::Space*>& spaces) {
  for (const auto& [name, value] : options.settings) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) continue;
    const std::string prefix = name.substr(0, dot);
    if (prefix != kBandit && spaces::space_named(prefix, spaces) == nullptr) {
      return Rejection(Reason::BadOption, name, "there is no space '" + prefix + "'");
    }
  }
  return Ok{};
}

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Named& strategy : kStrategies) names.emplace_back(strategy.name);
  return names;
}

std::vector<SettingInfo> strategy_settings(std::string_view name) {
  if (name == kBandit) return bandit_settings();
  for (const Named& strategy : kStrategies) {
    if (strategy.name == name) return strategy.settings();
  }
  return {};
}

Result<std::unique_ptr<Strategy>> make_strategy(const StrategyOptions& options, Fingerprint base,
                                                const std::vector<spaces::Space*>& spaces) {
  if (spaces.empty()) return Rejection(Reason::NoFacet, options.name, "exists");
  if (spaces.size() == 1) return make_one(options, base, *spaces[0]);
  CAMBIUM_REQUIRE(check_prefixes(options, spaces));
  std::vector<Arm> arms;
  for (spaces::Space* space : spaces) {
    const std::string name(space->name());
    CAMBIUM_TRY(
        auto strategy,
        make_one(options_of(name, arms.size(), options), base, *space).at("space '" + name + "'"));
    arms.push_back({name, std::move(strategy)});
  }
  StrategyOptions own = options;
  own.settings.clear();
  for (const auto& [name, value] : options.settings) {
    if (const auto rest = after(kBandit, name)) own.settings.emplace_back(*rest, value);
  }
  return make_bandit(own, std::move(arms));
}

}  // namespace cambium::search
