// Knapsack: chooses one option at each site so that the sum of the costs is low and the sum of the
// gains is high, and gives the whole Pareto front of such choices. Options of two linked sites may
// change each other's sums or exclude each other. Refuses nothing; links must form a forest. Used
// by the strategy `compose`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace cambium::search {

struct Weighed {
  double cost = 0, gain = 0;

  friend bool operator==(const Weighed&, const Weighed&) = default;
};

// Two options that do not simply add up: one of each linked site.
struct CoupledPair {
  std::int32_t first = 0, second = 0;
  Weighed more;  // the effect of both together, beyond the sum of both
  bool is_allowed = true;
};

// At most one entry for each pair of options. Options without an entry add up.
struct SiteLink {
  std::size_t first = 0, second = 0;  // sites
  std::vector<CoupledPair> pairs;
};

struct Knapsack {
  std::vector<std::vector<Weighed>> sites;  // options of each site
  std::vector<SiteLink> links;              // a forest: no two ways between two sites
  double least_gain = -std::numeric_limits<double>::infinity();  // of a choice
  // Sums that each step keeps at least. More are slower and more exact.
  std::size_t buckets = 4096;
};

struct Chosen {
  Weighed sum;
  std::vector<std::int32_t> choice;  // an option of each site
};

// The front, the cheapest choice first; sums are exact. Empty if no choice is allowed.
//
// The sites are added one after the other. After each site, dominated sums are dropped. A step with
// at most 2 x `buckets` sums is exact. A larger one divides the range of gains into `buckets` parts
// and keeps the cheapest sum in each, and the greatest gain. So for every allowed choice, the front
// has one that costs no more and gains less by no more than steps x range / buckets: with 36 sites
// and the default, less than a hundredth of the range. A choice that is nearer than this to
// `least_gain` may be missing.
std::vector<Chosen> front_of(const Knapsack& knapsack);

}  // namespace cambium::search
