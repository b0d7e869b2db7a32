#include "report/selection.h"

#include <algorithm>
#include <cmath>

namespace cambium::report {
namespace {

std::vector<std::size_t> sorted_by(std::span<const Entry> entries, Metric a, Metric b) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& x = entries[i].at(a);
    const auto& y = entries[i].at(b);
    // What is no number would have no place in the order.
    if (x && y && std::isfinite(x->value) && std::isfinite(y->value)) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const double xi = entries[i].at(a)->value, xj = entries[j].at(a)->value;
    if (xi != xj) return better(a, xi, xj);
    return better(b, entries[i].at(b)->value, entries[j].at(b)->value);
  });
  return order;
}

// Moves the front of `order` (sorted by a) behind `front`.
void peel(std::span<const Entry> entries, Metric b, std::vector<std::size_t>& order,
          std::vector<std::size_t>& front) {
  std::vector<std::size_t> rest;
  std::optional<double> best;
  for (const std::size_t i : order) {
    const double value = entries[i].at(b)->value;
    if (best && !better(b, value, *best)) {
      rest.push_back(i);
    } else {
      best = value;
      front.push_back(i);
    }
  }
  order = std::move(rest);
}

bool anybody_has(const Summary& summary, Metric metric) {
  for (std::size_t i = 0; i < summary.entries.size(); ++i)
    if (i != summary.original && summary.entries[i].at(metric)) return true;
  return false;
}

void choose_metrics(const Summary& summary, Selection& selection) {
  if (!anybody_has(summary, Metric::Accuracy) && anybody_has(summary, Metric::Perplexity))
    selection.quality = Metric::Perplexity;
  for (const Metric cost : kCosts) {
    if (!anybody_has(summary, cost)) continue;
    selection.cost = cost;
    return;
  }
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
  selection.front = front_of(entries, selection.quality, selection.cost);
  if (selection.front.size() > limits.front) {
    selection.front_left_out = selection.front.size() - limits.front;
    selection.front.resize(limits.front);
  }
  for (const std::size_t entry : selection.front) add(entry);
  for (const Metric cost : kCosts) {
    auto front = front_of(entries, selection.quality, cost);
    if (front.size() > limits.front) front.resize(limits.front);
    for (const std::size_t entry : front) add(entry);
    if (const auto cheapest = cheapest_near_original(summary, selection.quality, cost))
      add(*cheapest);
  }
  auto best = best_of(entries, selection.quality, selection.cost, limits.best);
  if (best.empty())  // nothing was trained yet
    best = best_of(entries, selection.cost, Metric::Parameters, limits.best);
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
  for (std::size_t i = 0; i < kMetrics; ++i)
    for (std::size_t j = i + 1; j < kMetrics; ++j)
      for (const std::size_t entry : front_of(entries, kAllMetrics[i], kAllMetrics[j])) {
        if (selection.plotted.size() > 3 * limits.plotted) break;
        if (!chosen[entry]) selection.plotted.push_back(entry);
        chosen[entry] = true;
      }
  selection.plotted.insert(selection.plotted.end(), selection.pages.begin(), selection.pages.end());

  std::vector<std::size_t> judged, unjudged;  // whether their quality is known
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto metrics = std::count_if(kAllMetrics.begin(), kAllMetrics.end(),
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

std::vector<std::size_t> front_of(std::span<const Entry> entries, Metric a, Metric b) {
  std::vector<std::size_t> order = sorted_by(entries, a, b), front;
  peel(entries, b, order, front);
  return front;
}

std::vector<std::size_t> best_of(std::span<const Entry> entries, Metric a, Metric b,
                                 std::size_t count) {
  std::vector<std::size_t> order = sorted_by(entries, a, b), best;
  while (best.size() < count && !order.empty()) peel(entries, b, order, best);
  if (best.size() > count) best.resize(count);
  return best;
}

Selection select(const Summary& summary, const SelectionLimits& limits) {
  Selection selection;
  choose_metrics(summary, selection);
  choose_pages(summary, limits, selection);
  choose_plotted(summary, limits, selection);
  return selection;
}

std::optional<std::size_t> cheapest_near_original(const Summary& summary, Metric quality,
                                                  Metric cost) {
  if (!summary.original) return std::nullopt;
  const auto& original = summary.entries[*summary.original].at(quality);
  if (!original) return std::nullopt;
  const double bound =
      info_of(quality).unit == "share" ? original->value - 0.01 : original->value * 1.01;
  std::optional<std::size_t> cheapest;
  for (std::size_t i = 0; i < summary.entries.size(); ++i) {
    const Entry& entry = summary.entries[i];
    if (i == summary.original || !entry.at(quality) || !entry.at(cost)) continue;
    if (entry.at(quality)->is_estimate || entry.at(cost)->is_estimate) continue;
    if (better(quality, bound, entry.at(quality)->value)) continue;
    if (!cheapest ||
        better(cost, entry.at(cost)->value, summary.entries[*cheapest].at(cost)->value))
      cheapest = i;
  }
  return cheapest;
}

}  // namespace cambium::report
