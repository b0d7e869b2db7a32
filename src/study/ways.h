// Ways: a study may hold several answers to one question, from several versions of an evaluator and
// from several machines. They are never mixed: of the answers for one candidate, those of one
// version and one machine count. A search prefers its own way; otherwise the way that has answered
// most in the study counts. Used by the search and by the census of a study.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "store/study.h"

namespace cambium::study {

struct Way {
  std::string version;
  Fingerprint machine;

  friend auto operator<=>(const Way&, const Way&) = default;
};
Way way_of(const store::EvaluationKey& key);

// The ways to answer one question: one evaluator with one set of options and one fidelity.
class Ways {
 public:
  explicit Ways(std::optional<Way> own = std::nullopt) : own_(std::move(own)) {}

  // Counts every evaluation of the study once, of any candidate.
  void count(const store::Evaluation& evaluation);
  // Of the evaluations of one candidate, those that count together. A pending evaluation counts
  // only if nothing else is known, once for each seed.
  std::vector<store::Evaluation> chosen(std::vector<store::Evaluation> evaluations) const;
  // Whether `a` counts before `b`.
  bool is_before(const Way& a, const Way& b) const;
  // The machine whose answers count first; nothing: there is no answer.
  std::optional<Fingerprint> machine() const;
  std::int64_t answers() const;  // of all ways
  const std::map<Way, std::int64_t>& counts() const { return done_; }

 private:
  std::optional<Way> own_;
  std::map<Way, std::int64_t> done_;
};

}  // namespace cambium::study
