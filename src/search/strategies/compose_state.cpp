#include "search/strategies/compose_state.h"

#include <algorithm>

namespace cambium::search {
namespace {

using Kind = Composition::Kind;
using Standing = OptionTables::Standing;

OptionTables tables_of(spaces::OffersBySite& offers, bool links_neighbours) {
  std::vector<std::size_t> options, changeable;
  std::vector<LinkedSites> links;
  for (std::size_t site = 0; site < offers.site_count(); ++site) {
    options.push_back(offers.options_at(site).size());
    if (options.back() > 0) changeable.push_back(site);
    if (const auto other = offers.linked_to(site)) links.push_back({site, *other});
  }
  for (std::size_t i = 0; links_neighbours && i + 1 < changeable.size(); ++i) {
    links.push_back({changeable[i], changeable[i + 1]});
  }
  OptionTables tables(std::move(options), forest_of(links, offers.site_count()));
  for (std::size_t link = 0; link < tables.links().size(); ++link) {
    const LinkedSites& sites = tables.links()[link];
    if (offers.linked_to(sites.first) != sites.second) continue;
    const auto& own = offers.options_at(sites.first);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].is_linked) tables.mark_linked(link, static_cast<std::int32_t>(i));
    }
  }
  return tables;
}

std::int64_t options_at(spaces::OffersBySite& offers, std::size_t site) {
  return static_cast<std::int64_t>(offers.options_at(site).size());
}

void write(SnapshotWriter& out, const Choice& choice) {
  for (const std::int32_t option : choice) out.number(option);
}

void write(SnapshotWriter& out, const std::optional<double>& value) {
  out.number(value ? 1 : 0);
  if (value) out.real(*value);
}

void write(SnapshotWriter& out, const Prediction& prediction) {
  for (const Weighed& sums : {prediction.summed, prediction.corrected}) {
    out.real(sums.cost).real(sums.gain);
  }
  out.number(prediction.is_by_neighbours ? 1 : 0);
}

void write(SnapshotWriter& out, const Composition& composition) {
  out.number(static_cast<std::int64_t>(composition.kind));
  out.number(static_cast<std::int64_t>(composition.place));
  write(out, composition.choice);
  if (composition.kind == Kind::Whole) write(out, composition.prediction);
}

std::optional<double> read_value(SnapshotReader& in) {
  if (in.number(0, 1) == 0) return std::nullopt;
  return in.real();
}

Prediction read_prediction(SnapshotReader& in) {
  Prediction prediction;
  for (Weighed* sums : {&prediction.summed, &prediction.corrected}) {
    sums->cost = in.real();
    sums->gain = in.real();
  }
  prediction.is_by_neighbours = in.number(0, 1) == 1;
  return prediction;
}

}  // namespace

ComposeState::ComposeState(spaces::OffersBySite& offers, bool links_neighbours)
    : tables(tables_of(offers, links_neighbours)),
      offers_(&offers),
      links_neighbours_(links_neighbours) {
  std::int64_t most = 0;
  for (std::size_t site = 0; site < offers.site_count(); ++site) {
    most = std::max(most, options_at(offers, site));
  }
  for (std::int64_t option = 0; option < most; ++option) {
    for (std::size_t site = 0; site < offers.site_count(); ++site) {
      if (option < options_at(offers, site)) {
        order_.emplace_back(site, static_cast<std::int32_t>(option));
      }
    }
  }
}

std::optional<Composition> ComposeState::next_alone() {
  if (next_alone_ == order_.size()) return std::nullopt;
  const auto [site, option] = order_[next_alone_++];
  Composition composition{Kind::Alone, site, unchanged()};
  composition.choice[site] = option;
  return composition;
}

Composition ComposeState::pair_of(std::size_t link, OptionTables::Pair options) const {
  Composition composition{Kind::Pair, link, unchanged()};
  composition.choice[tables.links()[link].first] = options.first;
  composition.choice[tables.links()[link].second] = options.second;
  return composition;
}

OptionTables::Pair ComposeState::options_of(const Composition& pair) const {
  const LinkedSites& sites = tables.links()[pair.place];
  return {pair.choice[sites.first], pair.choice[sites.second]};
}

void ComposeState::note(const Composition& composition, const std::optional<Weighed>& measured) {
  if (composition.kind == Kind::Alone) {
    const std::int32_t option = composition.choice[composition.place];
    if (measured) {
      tables.set(composition.place, option, *measured);
    } else {
      tables.drop(composition.place, option);
    }
    return;
  }
  const OptionTables::Pair pair = options_of(composition);
  pairs_.push_back({composition.place, pair, measured});
  if (measured) {
    tables.set_pair(composition.place, pair, *measured);
  } else {
    tables.forbid(composition.place, pair);
  }
}

// ---- as a text

std::string ComposeState::text() const {
  SnapshotWriter out;
  out.text("compose");
  for (const bool flag : {has_gain, has_planned_pairs, uses_neighbours, has_probed_pairs}) {
    out.number(flag ? 1 : 0);
  }
  write_alone(out);
  write_pairs(out);
  write_wholes(out);
  write_plans(out);
  tried.write(out);
  return std::move(out).done();
}

Result<ComposeState> ComposeState::read(std::string_view text) const {
  SnapshotReader in(text);
  in.expect("compose");
  ComposeState state(*offers_, links_neighbours_);
  for (bool* flag : {&state.has_gain, &state.has_planned_pairs, &state.uses_neighbours,
                     &state.has_probed_pairs}) {
    *flag = in.number(0, 1) == 1;
  }
  state.read_alone(in);
  state.read_pairs(in);
  state.read_wholes(in);
  if (!state.read_plans(in)) {
    return Rejection(Reason::BadSyntax, "a state of 'compose'", "options that do not exist", 1, 1);
  }
  state.tried.read(in);
  CAMBIUM_REQUIRE(in.finish());
  return state;
}

void ComposeState::write_alone(SnapshotWriter& out) const {
  out.count(order_).number(static_cast<std::int64_t>(next_alone_));
  for (std::size_t i = 0; i < next_alone_; ++i) {
    const auto [site, option] = order_[i];
    const Standing standing = tables.standing(site, option);
    out.number(static_cast<std::int64_t>(standing));
    if (standing != Standing::Known) continue;
    out.real(tables.at(site, option).cost).real(tables.at(site, option).gain);
  }
}

void ComposeState::read_alone(SnapshotReader& in) {
  const auto options = static_cast<std::int64_t>(order_.size());
  in.number(options, options);
  next_alone_ = static_cast<std::size_t>(in.number(0, options));
  for (std::size_t i = 0; i < next_alone_ && in.ok(); ++i) {
    const auto [site, option] = order_[i];
    const auto standing = static_cast<Standing>(in.number(0, 2));
    if (standing == Standing::Dropped) tables.drop(site, option);
    if (standing != Standing::Known) continue;
    const double cost = in.real(), gain = in.real();
    tables.set(site, option, {cost, gain});
  }
}

void ComposeState::write_pairs(SnapshotWriter& out) const {
  out.count(pairs_);
  for (const NotedPair& each : pairs_) {
    out.number(static_cast<std::int64_t>(each.link));
    out.number(each.pair.first).number(each.pair.second).number(each.both ? 1 : 0);
    if (each.both) out.real(each.both->cost).real(each.both->gain);
  }
}

void ComposeState::read_pairs(SnapshotReader& in) {
  const auto links = static_cast<std::int64_t>(tables.links().size());
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left) {
    const auto link = static_cast<std::size_t>(in.number(0, links - 1));
    if (!in.ok()) return;
    const LinkedSites& sites = tables.links()[link];
    const auto first = in.number(0, options_at(*offers_, sites.first) - 1);
    const auto second = in.number(0, options_at(*offers_, sites.second) - 1);
    std::optional<Weighed> both;
    if (in.number(0, 1) == 1) {
      const double cost = in.real(), gain = in.real();
      both = Weighed{cost, gain};
    }
    if (!in.ok()) return;
    note(pair_of(link, {static_cast<std::int32_t>(first), static_cast<std::int32_t>(second)}),
         both);
  }
}

Choice ComposeState::read_choice(SnapshotReader& in) const {
  Choice choice;
  for (std::size_t site = 0; site < offers_->site_count(); ++site) {
    choice.push_back(static_cast<std::int32_t>(in.number(-1, options_at(*offers_, site) - 1)));
  }
  return choice;
}

void ComposeState::write_wholes(SnapshotWriter& out) const {
  out.count(tried_wholes);
  for (const TriedComposition& each : tried_wholes) {
    write(out, each.measured.choice);
    write(out, each.measured.cost);
    write(out, each.measured.gain);
    out.number(each.is_refused ? 1 : 0).real(each.reward);
    write(out, each.prediction);
  }
}

void ComposeState::read_wholes(SnapshotReader& in) {
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left) {
    TriedComposition& each = tried_wholes.emplace_back();
    each.measured.choice = read_choice(in);
    each.measured.cost = read_value(in);
    each.measured.gain = read_value(in);
    each.is_refused = in.number(0, 1) == 1;
    each.reward = in.real();
    each.prediction = read_prediction(in);
  }
}

// Nothing: it cannot be. The sites of its kind must have options.
std::optional<Composition> ComposeState::read_composition(SnapshotReader& in) const {
  Composition composition;
  composition.kind = static_cast<Kind>(in.number(0, 2));
  composition.place = static_cast<std::size_t>(in.number(0, std::int64_t{1} << 40));
  composition.choice = read_choice(in);
  if (composition.kind == Kind::Whole) composition.prediction = read_prediction(in);
  if (!in.ok()) return std::nullopt;
  bool is_possible = true;
  if (composition.kind == Kind::Alone) {
    is_possible =
        composition.place < composition.choice.size() && composition.choice[composition.place] >= 0;
  } else if (composition.kind == Kind::Pair) {
    is_possible = composition.place < tables.links().size() && options_of(composition).first >= 0 &&
                  options_of(composition).second >= 0;
  }
  return is_possible ? std::optional(std::move(composition)) : std::nullopt;
}

void ComposeState::write_plans(SnapshotWriter& out) const {
  out.count(queue);
  for (const Composition& each : queue) write(out, each);
  out.count(under_way);
  for (const auto& [ticket, each] : under_way) {
    out.number(ticket);
    write(out, each);
  }
}

// False: it holds what cannot be.
bool ComposeState::read_plans(SnapshotReader& in) {
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left) {
    auto each = read_composition(in);
    if (in.ok() && !each) return false;
    if (each) queue.push_back(std::move(*each));
  }
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left) {
    const Ticket ticket = in.number(0, std::int64_t{1} << 60);
    auto each = read_composition(in);
    if (in.ok() && !each) return false;
    if (each) under_way.emplace(ticket, std::move(*each));
  }
  return true;
}

}  // namespace cambium::search
