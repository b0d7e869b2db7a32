// Ways: a study may hold several answers to one question, by several versions of an evaluator and
// from several machines. They are never mixed: of a candidate those of one version and one machine
// count, which are this search's own where it has them, otherwise those that have answered most in
// the study. Used by what reads studies as wholes.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "store/study.h"

namespace cambium::search {

struct Way {
  std::string version;
  Fingerprint machine;

  friend auto operator<=>(const Way&, const Way&) = default;
};

// Of one evaluator, under one set of options and one fidelity.
class Ways {
 public:
  explicit Ways(std::optional<Way> own = std::nullopt) : own_(std::move(own)) {}

  // Each evaluation of the study once, of any candidate.
  void count(const store::Evaluation& evaluation);
  // Of those of one candidate the ones that count together. What waits counts where nothing else is
  // known, once for each seed.
  std::vector<store::Evaluation> chosen(std::vector<store::Evaluation> evaluations) const;

 private:
  bool is_before(const Way& a, const Way& b) const;

  std::optional<Way> own_;
  std::map<Way, std::int64_t> done_;
};

}  // namespace cambium::search
