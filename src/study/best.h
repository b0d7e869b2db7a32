// The best of a study: which candidates may be it, and by which limits. Those are the limits of the
// search. If it has none, the quality must be near the original's. Reports, `cambium export` and
// `cambium replay` choose by this rule alone. Refuses BadOption for a limit that cannot be read.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/limit.h"
#include "study/scores.h"

namespace cambium::study {

class BestRule {
 public:
  // `quality`: accuracy, perplexity or the Fisher change, whatever the study judges by. Without
  // limits, it is at most one percentage point below the original's, or, of a perplexity, at most
  // one percent above.
  static Result<BestRule> of(const std::vector<LimitText>& texts, const Scores& original,
                             Metric quality);

  // Whether the candidate is within all limits, with a quality that was measured after as long a
  // training as the original's.
  bool allows(const Scores& candidate) const;
  // The one with the least of that cost, which was measured. Null pointers take no part.
  std::optional<std::size_t> cheapest(std::span<const Scores* const> candidates, Metric cost) const;

  // Whether no limit but that of being near the original applies.
  bool is_default() const { return is_default_; }
  // The limits in words: "accuracy at most 2% below the original's, latency at most 5ms".
  const std::string& text() const { return text_; }

 private:
  std::vector<Limit> limits_;
  std::string text_;
  Metric quality_ = Metric::Accuracy;
  std::optional<double> fidelity_;  // of the original's quality
  bool is_default_ = false;
};

}  // namespace cambium::study
