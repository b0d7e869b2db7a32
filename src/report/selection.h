// Which candidates are shown where: fronts over pairs of metrics, the best by fronts one after
// another, and what is plotted when not all can be. Sorting only; the same study gives the same
// selection.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "report/metrics.h"
#include "report/summary.h"

namespace cambium::report {

// Indices of the entries that no other beats in one metric without losing in the other, the best in
// `a` first. Entries that lack one of both take no part; of equals the first stands for all.
std::vector<std::size_t> front_of(std::span<const Entry> entries, Metric a, Metric b);

// The front, the front of what is left, and so on, until `count` are there or none is left.
std::vector<std::size_t> best_of(std::span<const Entry> entries, Metric a, Metric b,
                                 std::size_t count);

struct Selection {
  Metric quality = Metric::Accuracy;  // accuracy, or perplexity where only that is known
  Metric cost = Metric::Latency;      // the first of kCosts that is known
  std::vector<std::size_t> front;     // of both, the best quality first
  std::size_t front_left_out = 0;     // beyond what can have pages
  std::vector<std::size_t> pages;     // original, fronts of quality over any cost, the best
  std::vector<bool> has_page;         // of each entry
  std::vector<std::size_t> plotted;   // in the order of the study
  std::size_t plottable = 0;          // of which `plotted` are all, or the fronts and a sample
};

struct SelectionLimits {
  std::size_t best = 200;      // pages beside those of the fronts
  std::size_t front = 1000;    // pages of one front: a study may consist of nothing else
  std::size_t plotted = 3000;  // points beside those of the fronts
};
Selection select(const Summary& summary, const SelectionLimits& limits);

// Of those whose quality is at most one percentage point below the original's (of a perplexity, one
// percent above): the one that costs least. Nothing where the original's quality is unknown, or
// nobody but the original is there.
std::optional<std::size_t> cheapest_near_original(const Summary& summary, Metric quality,
                                                  Metric cost);

}  // namespace cambium::report
