// Exploring: proposes candidates and tells the strategy their outcomes, in an order that does not
// depend on which evaluations end first. When it proposes ticket t, the strategy knows the outcomes
// of exactly the tickets up to t - in_flight. Used by the driver.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "search/driver.h"
#include "search/known.h"

namespace cambium::search {

// The row of a candidate in the study, without the strategy and the ticket.
store::StudyCandidate candidate_row(const SearchOptions& options,
                                    const spaces::Candidate& candidate);

class Exploring {
 public:
  // All arguments must outlive it.
  Exploring(const SearchContext& context, const SearchOptions& options, Strategy& strategy,
            Evaluations& evaluations, Passages& passages, Known& known,
            const study::Scores& original);

  // Continues the search of this name if the study has its state.
  Status restore();
  // Proposes candidates and folds outcomes in turn, as long as no further answer is needed.
  Status advance();
  Status take(Answer answer);
  // Ends proposing. Results of running evaluations are still stored, but not told to the strategy,
  // so that a later run continues as if the search had never stopped.
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
  const study::Scores& original_;
  std::map<Ticket, Proposal> in_flight_;
  Ticket next_ = 0, folded_ = 0;
  Ticket kept_ = 0;  // number of folded tickets when the state was last stored
  bool is_closed_ = false;
  bool is_stuck_ = false;  // the strategy needs an outcome before it can propose
  bool is_exhausted_ = false;
  std::map<std::string, std::int64_t> refusals_;
};

}  // namespace cambium::search
