#include "report/selection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "report/values.h"

namespace cambium::report {
namespace {

using study::Metric;

// Null: the entry takes no part in fronts.
std::vector<const study::Scores*> scores_of(std::span<const Entry> entries) {
  std::vector<const study::Scores*> scores;
  for (const Entry& entry : entries) scores.push_back(entry.takes_part ? &entry.scores : nullptr);
  return scores;
}

bool anybody_has(const Summary& summary, Metric metric) {
  for (std::size_t i = 0; i < summary.entries.size(); ++i)
    if (i != summary.original && summary.entries[i].at(metric)) return true;
  return false;
}

// Of the objectives the first that says how good a network is, and the first that says what it
// costs; without objectives those that the study knows.
void choose_metrics(const Summary& summary, Selection& selection) {
  if (!anybody_has(summary, Metric::Accuracy) && anybody_has(summary, Metric::Perplexity))
    selection.quality = Metric::Perplexity;
  for (const Metric cost : kCosts) {
    if (!anybody_has(summary, cost)) continue;
    selection.cost = cost;
    break;
  }
  if (selection.objectives.empty()) {
    selection.objectives = {selection.quality, selection.cost};
    return;
  }
  const auto& objectives = selection.objectives;
  const auto quality = std::find_if(objectives.begin(), objectives.end(), study::is_worth);
  const auto cost = std::find_if(objectives.begin(), objectives.end(), [](Metric metric) {
    return is_shown(metric) && !study::is_worth(metric);
  });
  if (quality != objectives.end()) selection.quality = *quality;
  if (cost != objectives.end()) selection.cost = *cost;
}

void choose_rule(const Summary& summary, const std::vector<study::LimitText>& within,
                 Selection& selection) {
  if (!summary.original) return;
  const study::Scores& original = summary.entries[*summary.original].scores;
  auto rule = study::BestRule::of(within, original, selection.quality);
  if (rule.ok()) selection.best = std::move(rule).value();
}

void choose_pages(const Summary& summary, const SelectionLimits& limits, Selection& selection) {
  const std::span<const Entry> entries = summary.entries;
  selection.has_page.assign(entries.size(), false);
  const auto add = [&selection](std::size_t entry) {
    if (selection.has_page[entry]) return;
    selection.has_page[entry] = true;
    selection.pages.push_back(entry);
  };
  if (summary.original) add(*summary.original);
  selection.front = front_of(entries, selection.objectives);
  if (selection.front.size() > limits.front) {
    selection.front_left_out = selection.front.size() - limits.front;
    selection.front.resize(limits.front);
  }
  for (const std::size_t entry : selection.front) add(entry);
  for (const Metric cost : kCosts) {
    auto front = front_of(entries, std::array{selection.quality, cost});
    if (front.size() > limits.front) front.resize(limits.front);
    for (const std::size_t entry : front) add(entry);
    if (const auto best = best_of(summary, selection, cost)) add(*best);
  }
  const auto best_in = [&](const std::vector<Metric>& objectives) {
    return study::best_by_fronts(scores_of(entries), objectives, limits.best);
  };
  auto best = best_in(selection.objectives);
  if (best.empty())
    best = best_in({selection.cost, Metric::Parameters});  // nothing was trained yet
  for (const std::size_t entry : best) add(entry);
  if (best.empty())  // nothing was measured at all
    for (std::size_t i = 0; i < std::min(entries.size(), limits.best); ++i) add(i);
}

// The identity is a hash: the smallest ones are a fair sample, and the same one in every report.
void sample(const Summary& summary, std::vector<std::size_t>& from, std::size_t count) {
  if (from.size() <= count) return;
  const auto middle = from.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(from.begin(), middle, from.end(), [&summary](std::size_t a, std::size_t b) {
    return summary.entries[a].identity < summary.entries[b].identity;
  });
  from.resize(count);
}

void choose_plotted(const Summary& summary, const SelectionLimits& limits, Selection& selection) {
  const std::span<const Entry> entries = summary.entries;
  std::vector<bool> chosen = selection.has_page;
  for (std::size_t i = 0; i < kShownMetrics.size(); ++i)
    for (std::size_t j = i + 1; j < kShownMetrics.size(); ++j)
      for (const std::size_t entry :
           front_of(entries, std::array{kShownMetrics[i], kShownMetrics[j]})) {
        if (selection.plotted.size() > 3 * limits.plotted) break;
        if (!chosen[entry]) selection.plotted.push_back(entry);
        chosen[entry] = true;
      }
  selection.plotted.insert(selection.plotted.end(), selection.pages.begin(), selection.pages.end());

  std::vector<std::size_t> judged, unjudged;  // whether their quality is known
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto metrics = std::count_if(kShownMetrics.begin(), kShownMetrics.end(),
                                       [&](Metric m) { return entries[i].at(m).has_value(); });
    if (metrics < 2 && !chosen[i]) continue;
    ++selection.plottable;
    if (chosen[i]) continue;
    (entries[i].at(selection.quality) ? judged : unjudged).push_back(i);
  }
  sample(summary, judged, limits.plotted);
  // Those without a quality only show on axes of costs.
  sample(summary, unjudged, std::max(limits.plotted / 4, limits.plotted - judged.size()));
  selection.plotted.insert(selection.plotted.end(), judged.begin(), judged.end());
  selection.plotted.insert(selection.plotted.end(), unjudged.begin(), unjudged.end());
  std::sort(selection.plotted.begin(), selection.plotted.end());
}

}  // namespace

std::vector<std::size_t> front_of(std::span<const Entry> entries,
                                  std::span<const Metric> objectives) {
  return study::pareto_front(scores_of(entries), objectives);
}

Selection select(const Summary& summary, const std::vector<Metric>& objectives,
                 const SelectionLimits& limits, const std::vector<study::LimitText>& within) {
  Selection selection;
  selection.objectives = objectives;
  choose_metrics(summary, selection);
  choose_rule(summary, within, selection);
  choose_pages(summary, limits, selection);
  choose_plotted(summary, limits, selection);
  return selection;
}

std::optional<std::size_t> best_of(const Summary& summary, const Selection& selection,
                                   Metric cost) {
  if (!selection.best) return std::nullopt;
  // A full training says enough. Without one, the candidate must not have been refused.
  const bool is_judged = study::is_of_training(selection.quality);
  std::vector<const study::Scores*> candidates;
  for (std::size_t i = 0; i < summary.entries.size(); ++i) {
    const Entry& entry = summary.entries[i];
    const bool takes_part = i != summary.original && (is_judged || entry.takes_part);
    candidates.push_back(takes_part ? &entry.scores : nullptr);
  }
  return selection.best->cheapest(candidates, cost);
}

}  // namespace cambium::report
