#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/settings.h"
#include "search/strategies/all.h"
#include "search/strategies/compose_planner.h"
#include "search/strategies/compose_state.h"
#include "search/strategies/table_fit.h"

// Composes candidates from tables. First it probes the options of each site alone, then pairs of
// linked options. A knapsack over these tables gives the front of all compositions. The cheapest
// ones that gain enough are proposed and measured; what they show corrects the tables around the
// best of them, and so on. It draws nothing: every run of a search is the same.
namespace cambium::search {
namespace {

using Kind = Composition::Kind;

constexpr const char* kUsualGain = "fisher_change";
constexpr const char* kNoGain = "none";

struct ComposeSettings {
  std::string cost = "kernel_sum", gain = kUsualGain;
  double least_gain = 0;
  std::int64_t front = 50;
  std::int64_t pairs = 500;
  std::string neighbours = "auto";
  bool is_by_meaning = false;
};

Settings settings_of(ComposeSettings& s) {
  Settings settings("the strategy");
  settings.name("cost", s.cost, "the name of a value", "value that compositions should keep low")
      .name("gain", s.gain, "the name of a value, or none",
            "value that compositions should keep high; none, or a default that nothing measures: "
            "each changed site counts as a loss of 1")
      .real("least-gain", s.least_gain, -1e9, 1e9,
            "least gain of a composition, as a share of the original's value; in the value's own "
            "unit if the original's is 0")
      .whole("front", s.front, 1, 100000, "number of compositions that a round measures")
      .whole("pairs", s.pairs, 0, 1000000,
             "up to this many pairs of linked options, all pairs are measured in advance; beyond "
             "it, one for each linked option, and those in promising compositions")
      .name("neighbours", s.neighbours, "auto, yes or no",
            "whether to measure pairs of neighbouring sites too; auto: if sums of options rank at "
            "least 20 compositions poorly (rank correlation of gains below 0.8)");
  Sameness::add_setting(settings, s.is_by_meaning);
  return settings;
}

Result<Neighbours> neighbours_of(const std::string& text) {
  if (text == "auto") return Neighbours::Auto;
  if (text == "yes") return Neighbours::Yes;
  if (text == "no") return Neighbours::No;
  return Rejection(Reason::BadOption, "neighbours",
                   fmt::format("expected auto, yes or no, found '{}'", text));
}

ComposeGoal goal_of(const ComposeSettings& settings, Neighbours neighbours,
                    const Values& original) {
  const auto gain = original.find(settings.gain);
  return {settings.gain != kNoGain && gain != original.end() && std::isfinite(gain->second.value),
          settings.least_gain, static_cast<std::size_t>(settings.front),
          static_cast<std::size_t>(settings.pairs), neighbours};
}

class Compose final : public Strategy {
 public:
  Compose(const StrategyOptions& options, Fingerprint base, spaces::Space& space,
          const ComposeSettings& settings, const ComposeGoal& goal)
      : original_(options.original),
        base_(base),
        space_(space),
        settings_(settings),
        goal_(goal),
        same_(space, settings.is_by_meaning),
        planner_(*space.offers(), goal_),
        state_(*space.offers(), goal.neighbours != Neighbours::No) {
    state_.has_gain = goal_.has_gain;
  }

  std::optional<Proposal> propose(Ticket ticket) override {
    while (std::optional<Composition> planned = next()) {
      auto edits = planner_.edits_of(*planned);
      Proposal proposal{{base_, {}, std::nullopt}, std::string(space_.name()), {}};
      if (edits.ok()) proposal.candidate.edits = std::move(*edits);
      if (!edits.ok() || !state_.tried.add(same_.key_of(proposal.candidate))) {
        note_failure(*planned);
        continue;
      }
      if (planned->kind != Kind::Whole) {
        proposal.probed = {settings_.cost};
        if (goal_.has_gain) proposal.probed.push_back(settings_.gain);
      }
      state_.under_way.emplace(ticket, std::move(*planned));
      return proposal;
    }
    return std::nullopt;
  }

  void fold(Ticket ticket, const Outcome& outcome) override {
    const auto found = state_.under_way.find(ticket);
    if (found == state_.under_way.end()) return;
    MeasuredChoice measured;
    measured.choice = found->second.choice;
    measured.cost = difference(outcome.values, settings_.cost);
    if (goal_.has_gain) measured.gain = difference(outcome.values, settings_.gain);
    if (found->second.kind == Kind::Whole) {
      state_.tried_wholes.push_back(
          {std::move(measured), outcome.is_refused, outcome.reward, found->second.prediction});
    } else {
      state_.note(found->second, goal_.weighed(measured));
    }
    state_.under_way.erase(found);
  }

  std::string state() const override { return state_.text(); }
  Status restore(std::string_view state) override {
    CAMBIUM_TRY(state_, state_.read(state));
    goal_.has_gain = state_.has_gain;
    return Ok{};
  }

  std::vector<std::string> remarks() const override;

 private:
  std::optional<Composition> next() {
    if (auto alone = state_.next_alone()) return alone;
    // What comes next follows from all that was asked.
    if (state_.queue.empty() && (!state_.under_way.empty() || !planner_.plan(state_))) {
      return std::nullopt;
    }
    Composition planned = std::move(state_.queue.front());
    state_.queue.pop_front();
    return planned;
  }

  // A candidate that does not fit together, or that was tried already.
  void note_failure(const Composition& planned) {
    if (planned.kind == Kind::Whole) {
      state_.tried_wholes.push_back({{planned.choice, {}, {}}, true, 0, planned.prediction});
    } else {
      state_.note(planned, {});
    }
  }

  // The original's value, if differences are shares of it: if it is not 0.
  std::optional<double> unit_of(const std::string& name) const {
    const auto reference = original_.find(name);
    if (reference == original_.end() || reference->second.value == 0) return std::nullopt;
    return std::abs(reference->second.value);
  }

  // A measurement is never compared with an estimate.
  std::optional<double> difference(const Values& values, const std::string& name) const {
    const auto value = values.find(name), reference = original_.find(name);
    if (value == values.end()) return std::nullopt;
    double change = value->second.value;
    if (reference != original_.end()) {
      if (value->second.is_estimate != reference->second.is_estimate) return std::nullopt;
      change = (change - reference->second.value) / unit_of(name).value_or(1);
    }
    return std::isfinite(change) ? std::optional(change) : std::nullopt;
  }

  std::string fit_text(const std::string& name, const TableFit& fit, PairsOf pairs) const;
  void add_fit(PairsOf pairs, std::vector<std::string>& remarks) const;

  Values original_;
  Fingerprint base_;
  spaces::Space& space_;
  ComposeSettings settings_;
  ComposeGoal goal_;
  Sameness same_;
  ComposePlanner planner_;
  ComposeState state_;
};

// ---- for people

// "sums of options predicted kernel_sum of 40 compositions with a median error of 0.8 % of the
// original's and a rank correlation of 0.97"
std::string Compose::fit_text(const std::string& name, const TableFit& fit, PairsOf pairs) const {
  const bool is_share = unit_of(name).has_value();
  const auto error_text = [&](double error) {
    if (fit.is_exact) return std::string("0");
    return is_share ? fmt::format("{:.2g} % of the original's", 100 * error)
                    : fmt::format("{:.2g}", error);
  };
  std::string text = fmt::format(
      "{} predicted {} of {} composition{} with a median error of {}",
      pairs == PairsOf::Neighbours ? "sums with pairs of neighbours" : "sums of options", name,
      fit.compositions, fit.compositions == 1 ? "" : "s", error_text(fit.error));
  if (!fit.is_exact && fit.corrected_error != fit.error) {
    text += fmt::format(" ({} with the corrected tables)", error_text(fit.corrected_error));
  }
  return text + fmt::format(" and a rank correlation of {:.2f}", fit.correlation);
}

void Compose::add_fit(PairsOf pairs, std::vector<std::string>& remarks) const {
  const TableFit costs = fit_of(state_.tried_wholes, kCosts, pairs),
                 gains = fit_of(state_.tried_wholes, kGains, pairs);
  if (costs.compositions > 0) remarks.push_back(fit_text(settings_.cost, costs, pairs));
  if (gains.compositions > 0) remarks.push_back(fit_text(settings_.gain, gains, pairs));
  if (!gains.is_poor()) return;
  std::string verdict = fmt::format(
      "options do not add up: sums of options rank compositions poorly by {}", settings_.gain);
  if (pairs == PairsOf::Neighbours) {
    verdict += ", even with pairs of neighbours";
  } else if (goal_.neighbours == Neighbours::No) {
    verdict += "; try the setting neighbours=yes";
  } else {
    verdict += state_.uses_neighbours ? "; pairs of neighbours have been measured since then"
                                      : "; pairs of neighbours will be measured next";
  }
  remarks.push_back(std::move(verdict));
}

std::vector<std::string> Compose::remarks() const {
  std::vector<std::string> all;
  const auto [begun, options] = state_.alone();
  const bool has_planned = state_.has_planned_pairs;  // all options are known
  if (!has_planned) {
    all.push_back(
        fmt::format("{} of {} options were proposed; compositions come after all options, so this "
                    "search needs more than {} candidates",
                    begun, options, options));
  }
  const bool is_idle = state_.queue.empty() && state_.under_way.empty();
  if (has_planned && is_idle && goal_.has_gain && state_.tried_wholes.empty()) {
    all.push_back(
        fmt::format("no composition is predicted to keep {} at {} or more; lower the setting "
                    "least-gain to allow some",
                    settings_.gain, settings_.least_gain));
  }
  add_fit(PairsOf::LinkedOptions, all);
  add_fit(PairsOf::Neighbours, all);
  return all;
}

}  // namespace

std::vector<SettingInfo> compose_settings() {
  ComposeSettings settings;
  return settings_of(settings).list();
}

MadeStrategy make_compose(const StrategyOptions& options, Fingerprint base, spaces::Space& space) {
  ComposeSettings settings;
  CAMBIUM_REQUIRE(settings_of(settings).read(options.settings));
  CAMBIUM_TRY(const Neighbours neighbours, neighbours_of(settings.neighbours));
  if (space.offers() == nullptr) {
    return Rejection(Reason::NoFacet, "compose", "offers options by site");
  }
  // Before the original is judged, nothing is known of it.
  const auto is_missing = [&](const std::string& name) {
    return !options.original.empty() && options.original.count(name) == 0;
  };
  for (const std::string* name : {&settings.cost, &settings.gain}) {
    const bool may_be_missing = name == &settings.gain && (*name == kUsualGain || *name == kNoGain);
    if (may_be_missing || !is_missing(*name)) continue;
    return Rejection(Reason::BadOption, name == &settings.cost ? "cost" : "gain",
                     "no stage of exploring measures '" + *name + "'");
  }
  return std::unique_ptr<Strategy>(std::make_unique<Compose>(
      options, base, space, settings, goal_of(settings, neighbours, options.original)));
}

}  // namespace cambium::search
