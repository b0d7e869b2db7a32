#include "search/exploring.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace cambium::search {
namespace {

// Describing a candidate takes time: only candidates within the limits on cost get a better title.
std::string plain_title(const spaces::Candidate& candidate) {
  std::string title;
  for (const spaces::Edit& edit : candidate.edits) {
    title += fmt::format("{}{} at {} place{}", title.empty() ? "" : "; ", edit.space,
                         edit.sites.size(), edit.sites.size() == 1 ? "" : "s");
  }
  return title;
}

Rejection bad_state(const std::string& search) {
  return Rejection(Reason::BadRecord, "the state of search '" + search + "' cannot be read");
}

}  // namespace

store::StudyCandidate candidate_row(const SearchOptions& options,
                                    const spaces::Candidate& candidate) {
  store::StudyCandidate row;
  row.identity = spaces::identity_of(candidate);
  row.document = spaces::to_json(candidate);
  row.parent = candidate.parent;
  if (!candidate.edits.empty()) row.space = candidate.edits.front().space;
  row.seed = options.strategy.seed;
  row.ticket = -1;
  row.search = options.name;
  row.title = plain_title(candidate);
  return row;
}

Exploring::Exploring(const SearchContext& context, const SearchOptions& options, Strategy& strategy,
                     Evaluations& evaluations, Passages& passages, Known& known,
                     const study::Scores& original)
    : context_(context),
      options_(options),
      strategy_(strategy),
      evaluations_(evaluations),
      passages_(passages),
      known_(known),
      original_(original) {}

Status Exploring::restore() {
  CAMBIUM_TRY(const auto stored, context_.study->state(options_.name));
  if (!stored) return Ok{};
  CAMBIUM_TRY(const nlohmann::json json, parse_json(stored->state));
  if (!json.is_object() || !json.contains("strategy") || !json["strategy"].is_string() ||
      !json.contains("in_flight") || !json["in_flight"].is_array()) {
    return bad_state(options_.name);
  }
  CAMBIUM_REQUIRE(strategy_.restore(json["strategy"].get<std::string>()));
  folded_ = next_ = kept_ = stored->folded;
  for (const nlohmann::json& one : json["in_flight"]) {
    if (!one.is_object() || !one.contains("candidate") || !one.contains("space") ||
        !one["space"].is_string()) {
      return bad_state(options_.name);
    }
    Proposal proposal;
    CAMBIUM_TRY(proposal.candidate, spaces::read_candidate(one["candidate"]));
    proposal.space = one["space"].get<std::string>();
    for (const nlohmann::json& name : one.value("probed", nlohmann::json::array())) {
      if (!name.is_string()) return bad_state(options_.name);
      proposal.probed.push_back(name.get<std::string>());
    }
    CAMBIUM_REQUIRE(begin(proposal));
  }
  return Ok{};
}

bool Exploring::wants_more() const {
  return !is_closed_ && !is_stuck_ && next_ < options_.candidates &&
         next_ - folded_ < options_.strategy.in_flight;
}

// Folds only when it may not propose. So the strategy knows the same outcomes at every proposal,
// however many results have arrived.
Status Exploring::advance() {
  for (;;) {
    if (wants_more()) {
      if (const std::optional<Proposal> proposal = strategy_.propose(next_)) {
        CAMBIUM_REQUIRE(begin(*proposal));
      } else {
        is_stuck_ = true;
      }
      continue;
    }
    // Only a longer search folds outcomes after the last proposal.
    if (!is_closed_ && next_ >= options_.candidates) {
      CAMBIUM_REQUIRE(snapshot());
      is_closed_ = true;
    }
    is_exhausted_ = is_stuck_ && is_idle();
    if (is_idle() || !passages_.at(folded_).is_over) return Ok{};
    fold();
    // States grow with the search. Storing them ever more seldom costs little and loses nothing.
    const std::int64_t apart = std::max(options_.folds_per_snapshot, folded_ / 20);
    if (!is_closed_ && folded_ - kept_ >= apart) CAMBIUM_REQUIRE(snapshot());
  }
}

Status Exploring::begin(const Proposal& proposal) {
  const Ticket ticket = next_++;
  store::StudyCandidate row = candidate_row(options_, proposal.candidate);
  row.strategy = options_.strategy.name;
  row.space = proposal.space;
  row.ticket = ticket;
  CAMBIUM_TRY([[maybe_unused]] const bool is_new, context_.study->add(row));
  in_flight_.emplace(ticket, proposal);
  return passages_.begin(ticket, proposal.candidate, proposal.probed);
}

Status Exploring::take(Answer answer) {
  CAMBIUM_REQUIRE(passages_.take(std::move(answer)));
  return advance();
}

void Exploring::fold() {
  const Passage& passage = passages_.at(folded_);
  Outcome outcome;
  outcome.candidate = passage.candidate;
  outcome.is_refused = passage.is_refused;
  outcome.is_over_threshold = passage.is_over_threshold;
  outcome.is_probe = passage.is_probe();
  outcome.scores = passage.scores;
  outcome.values = passage.all_values;
  if (passage.is_refused) {
    ++refusals_[passage.reason];
  } else {
    outcome.reward = reward_of(options_.reward, passage.scores, original_);
  }
  if (passage.is_complete) known_.add(passage.identity, passage.scores);
  if (!is_closed_) strategy_.fold(folded_, outcome);
  passages_.forget(folded_);
  in_flight_.erase(folded_);
  ++folded_;
  is_stuck_ = false;
}

Status Exploring::close() {
  if (is_closed_) return Ok{};
  CAMBIUM_REQUIRE(snapshot());
  is_closed_ = true;
  return advance();
}

Status Exploring::snapshot() {
  kept_ = folded_;
  nlohmann::json in_flight = nlohmann::json::array();
  for (const auto& [ticket, proposal] : in_flight_) {
    in_flight.push_back(
        {{"candidate", spaces::json_of(proposal.candidate)}, {"space", proposal.space}});
    if (!proposal.probed.empty()) in_flight.back()["probed"] = proposal.probed;
  }
  const nlohmann::json state = {{"strategy", strategy_.state()}, {"in_flight", in_flight}};
  return context_.study->set_state(options_.name, {folded_, json_text(state)});
}

}  // namespace cambium::search
