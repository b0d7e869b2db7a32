// Option tables: the cost and gain of each option of each site, relative to the original, measured
// as candidates with this option alone; and predictions for compositions of options: the sum over
// their options, plus the measured effects of pairs. Measured compositions correct the tables near
// the best of them. Refuses nothing. Used by the strategy `compose`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/knapsack.h"

namespace cambium::search {

// An option of each site; -1: the original. As spaces::OffersBySite composes it.
using Choice = std::vector<std::int32_t>;

// Two linked sites. The first offers options that change what the second reads.
struct LinkedSites {
  std::size_t first = 0, second = 0;

  friend bool operator==(const LinkedSites&, const LinkedSites&) = default;
};

// The links that a knapsack can use. Left out are links that close a ring, and the later of two
// links between the same sites.
std::vector<LinkedSites> forest_of(const std::vector<LinkedSites>& links, std::size_t sites);

// A composition that was measured, as differences to the original.
struct MeasuredChoice {
  Choice choice;
  std::optional<double> cost, gain;
};

class OptionTables {
 public:
  enum class Standing : std::uint8_t { Unknown, Known, Dropped };
  using Pair = std::pair<std::int32_t, std::int32_t>;  // an option of each site of a link

  // `options`: the number of options of each site. `links` must form a forest.
  OptionTables(std::vector<std::size_t> options, std::vector<LinkedSites> links);

  // Declares that this option of the first site changes what the second site reads. It then already
  // saves a share of what an option of the second site saves. The share is estimated from measured
  // pairs with this option, and used for all other pairs.
  void mark_linked(std::size_t link, std::int32_t option);
  bool is_linked(std::size_t link, std::int32_t option) const;

  void set(std::size_t site, std::int32_t option, const Weighed& measured);
  void drop(std::size_t site, std::int32_t option);  // no composition may have it
  std::int32_t options(std::size_t site) const {
    return static_cast<std::int32_t>(rows_[site].size());
  }
  Standing standing(std::size_t site, std::int32_t option) const;
  const Weighed& at(std::size_t site, std::int32_t option) const;

  const std::vector<LinkedSites>& links() const { return links_; }
  // Both options must be known.
  void set_pair(std::size_t link, Pair pair, const Weighed& measured);
  void forbid(std::size_t link, Pair pair);
  // Nothing: the pair was neither set nor forbidden.
  std::optional<bool> is_allowed(std::size_t link, Pair pair) const;

  // Fits corrections to the errors of the tables, by ridge regression over the options of the
  // compositions. Compositions near `around` count most. Replaces earlier corrections.
  void correct(std::span<const MeasuredChoice> measured, const Choice& around);

  // Predictions by the tables alone, and with corrections. All options of the choice must be known.
  Weighed sum_of(const Choice& choice) const;
  Weighed predicted(const Choice& choice) const;
  // The front of all compositions with at least this predicted gain, the cheapest first.
  std::vector<Chosen> front(double least_gain) const;

 private:
  struct Row {
    Standing standing = Standing::Unknown;
    Weighed measured, correction;
  };
  struct Coupling {
    Weighed more;
    bool is_allowed = true;
  };
  // For one linked option, by least squares: the effect of its pairs beyond the sums, as a share of
  // the other options' own values.
  struct Share {
    Weighed products, squares;

    void add(const Weighed& more, const Weighed& other);
    Weighed of(const Weighed& other) const;
    friend bool operator==(const Share&, const Share&) = default;
  };

  const Row& row(std::size_t site, std::int32_t option) const;
  // The effect of the two options beyond their sum: measured, or estimated by the share.
  Weighed more(std::size_t link, Pair pair) const;
  void fit(std::span<const MeasuredChoice> measured, const Choice& around,
           std::optional<double> MeasuredChoice::*value, double Weighed::*part);

  std::vector<std::vector<Row>> rows_;  // by site
  std::vector<LinkedSites> links_;
  std::vector<std::map<Pair, Coupling>> couplings_;    // by link, as measured
  std::vector<std::map<std::int32_t, Share>> linked_;  // by link: options of the first site
  Weighed shift_;                                      // added to every composition
};

}  // namespace cambium::search
