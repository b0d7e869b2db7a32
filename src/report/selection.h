// Which candidates are shown where: the Pareto front, the best by one front after the other, and
// which points are plotted when not all can be. The same study gives the same selection.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "report/summary.h"
#include "study/best.h"
#include "study/metric.h"

namespace cambium::report {

// The Pareto front of all entries that take part (study/scores.h).
std::vector<std::size_t> front_of(std::span<const Entry> entries,
                                  std::span<const study::Metric> objectives);

struct Selection {
  study::Metric quality = study::Metric::Accuracy;  // of the objectives, or what is known
  study::Metric cost = study::Metric::Latency;      // likewise
  std::vector<study::Metric> objectives;            // of the front: the search's, or these two
  std::optional<study::BestRule> best;  // nothing: no original, or limits that nobody can read
  std::vector<std::size_t> front;       // the best of the first objective first
  std::size_t front_left_out = 0;       // too many to have pages
  std::vector<std::size_t> pages;       // the original, the fronts, the best
  std::vector<bool> has_page;           // of each entry
  std::vector<std::size_t> plotted;     // in the order of the study
  std::size_t plottable = 0;            // `plotted` holds all of them, or a sample
};

struct SelectionLimits {
  std::size_t best = 200;      // pages beside the fronts
  std::size_t front = 1000;    // pages of one front
  std::size_t plotted = 3000;  // points beside the fronts
};
// `objectives`: of the search; empty: the study does not say. `within`: the limits of the search.
Selection select(const Summary& summary, const std::vector<study::Metric>& objectives,
                 const SelectionLimits& limits, const std::vector<study::LimitText>& within = {});

// The candidate with the least of that cost among those that the rule of the best allows. Nothing:
// the original's quality is unknown, or there is no such candidate.
std::optional<std::size_t> best_of(const Summary& summary, const Selection& selection,
                                   study::Metric cost);

}  // namespace cambium::report
