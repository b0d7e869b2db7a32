// What the strategy `compose` has learned: its tables of options, what it has tried, and what it
// will propose next. Reading refuses (BadSyntax) a text that was not written for the same options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "search/option_tables.h"
#include "search/strategies/tried.h"
#include "search/strategy.h"
#include "spaces/space.h"

namespace cambium::search {

// The prediction for a whole composition before it was measured: the sum of its options, without
// and with the corrections at that time.
struct Prediction {
  Weighed summed, corrected;
  bool is_by_neighbours = false;  // pairs of neighbours were measured then
};

// A candidate that `compose` proposes.
struct Composition {
  // Alone: one site has an option. Pair: two linked sites have options. Whole: any number of sites
  // has options.
  enum class Kind : std::uint8_t { Alone, Pair, Whole };
  Kind kind = Kind::Whole;
  std::size_t place = 0;  // for Alone: the site; for Pair: the link
  Choice choice;
  Prediction prediction = {};  // of a whole composition
};

// A whole composition that was tried.
struct TriedComposition {
  MeasuredChoice measured;
  bool is_refused = false;
  double reward = 0;
  Prediction prediction = {};
};

class ComposeState {
 public:
  // Links of the space come first. `links_neighbours`: in addition, each site is linked to the
  // next.
  ComposeState(spaces::OffersBySite& offers, bool links_neighbours);

  // Nothing: all options of all sites were proposed alone.
  std::optional<Composition> next_alone();
  // The number of options that were proposed alone, and of all options.
  std::pair<std::size_t, std::size_t> alone() const { return {next_alone_, order_.size()}; }
  Composition pair_of(std::size_t link, OptionTables::Pair options) const;
  Choice unchanged() const { return Choice(offers_->site_count(), -1); }

  // Notes the measured cost and gain of an option or a pair. Nothing: no composition may have it.
  void note(const Composition& composition, const std::optional<Weighed>& measured);

  std::string text() const;
  // A state for the same options, read from a text.
  Result<ComposeState> read(std::string_view text) const;

  OptionTables tables;
  // Whether compositions have a gain. A later run may know more about the original, but must
  // continue as the first run began.
  bool has_gain = true;
  bool has_planned_pairs = false;
  bool uses_neighbours = false;   // measures pairs of neighbours too
  bool has_probed_pairs = false;  // for the compositions that are planned next
  std::vector<TriedComposition> tried_wholes;
  std::deque<Composition> queue;  // what to propose next
  std::map<Ticket, Composition> under_way;
  Tried tried;

 private:
  struct NotedPair {
    std::size_t link = 0;
    OptionTables::Pair pair;
    std::optional<Weighed> both;  // nothing: it is not allowed
  };

  OptionTables::Pair options_of(const Composition& pair) const;
  void write_alone(SnapshotWriter& out) const;
  void read_alone(SnapshotReader& in);
  void write_pairs(SnapshotWriter& out) const;
  void read_pairs(SnapshotReader& in);
  Choice read_choice(SnapshotReader& in) const;
  void write_wholes(SnapshotWriter& out) const;
  void read_wholes(SnapshotReader& in);
  std::optional<Composition> read_composition(SnapshotReader& in) const;
  void write_plans(SnapshotWriter& out) const;
  bool read_plans(SnapshotReader& in);

  spaces::OffersBySite* offers_;
  bool links_neighbours_;
  // Sites and options, in the order in which they are proposed alone: the first option of every
  // site, then the second, and so on.
  std::vector<std::pair<std::size_t, std::int32_t>> order_;
  std::size_t next_alone_ = 0;
  std::vector<NotedPair> pairs_;  // in the order in which they were noted
};

}  // namespace cambium::search
