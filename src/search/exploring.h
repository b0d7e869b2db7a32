// Exploring: tickets, proposals, passages and folds, in the one order that makes a search the same
// for any order in which evaluations end. When ticket t is proposed, the strategy has been told of
// exactly the tickets up to t - in_flight. Used by the driver.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "search/driver.h"
#include "search/known.h"

namespace cambium::search {

// What the study says of a candidate, but for who proposed it under which ticket.
store::StudyCandidate candidate_row(const SearchOptions& options,
                                    const spaces::Candidate& candidate);

class Exploring {
 public:
  // All that it is given must outlive it.
  Exploring(const SearchContext& context, const SearchOptions& options, Strategy& strategy,
            Evaluations& evaluations, Passages& passages, Known& known, const Scores& original);

  // Goes on from where the search of this name was, if the study has it.
  Status restore();
  // Proposes and folds, in turn, as far as that goes without further answers.
  Status advance();
  Status take(Answer answer);
  // No more proposals: what is under way is still noted down, but the strategy hears nothing, so
  // that a later run goes on as if it had never stopped.
  Status close();

  bool is_idle() const { return folded_ == next_; }
  bool is_exhausted() const { return is_exhausted_; }
  std::int64_t proposed() const { return next_; }
  std::int64_t folded() const { return folded_; }
  const std::map<std::string, std::int64_t>& refusals() const { return refusals_; }

 private:
  bool wants_more() const;
  Status begin(const Proposal& proposal);
  void fold();
  Status snapshot();

  const SearchContext& context_;
  const SearchOptions& options_;
  Strategy& strategy_;
  Evaluations& evaluations_;
  Passages& passages_;
  Known& known_;
  const Scores& original_;
  std::map<Ticket, Proposal> in_flight_;
  Ticket next_ = 0, folded_ = 0;
  Ticket kept_ = 0;  // folded when the state was kept last
  bool is_closed_ = false;
  bool is_stuck_ = false;  // the strategy has nothing to propose before it hears more
  bool is_exhausted_ = false;
  std::map<std::string, std::int64_t> refusals_;
};

}  // namespace cambium::search
