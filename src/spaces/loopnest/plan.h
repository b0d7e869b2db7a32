// Plan: which variant a candidate puts at which site of a model. Sites are set in the model's
// order, because an output bottleneck makes the sites behind it read fewer channels. A plan tells
// its edits and its costs without building a model. Refuses, naming the site, what documents and
// output bottlenecks refuse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "spaces/candidate.h"
#include "spaces/loopnest/survey.h"
#include "spaces/space.h"

namespace cambium::spaces::loopnest {

struct Placed {
  std::size_t site = 0;
  Variants* variants = nullptr;
  const Variant* variant = nullptr;
};

class Plan {
 public:
  explicit Plan(Survey& survey) : survey_(&survey) {}

  // By which factor the site reads fewer channels, because of sites before it.
  std::int64_t narrower(std::size_t site) const;
  Result<Variants*> variants(std::size_t site) const;
  // The original variant sets nothing.
  Status set(std::size_t site, const Variant& variant);
  // As a document or by a name of the catalogue.
  Status read(std::size_t site, const std::string& written);
  // Whether `set` would take it.
  Status can_set(std::size_t site, const Variant& variant) const;

  const std::vector<Placed>& placed() const { return placed_; }
  Survey& survey() const { return *survey_; }
  const Variant* at(std::size_t site) const;  // null: the original

  // Canonical: sites of equal documents in one edit, edits in the order of their first sites. Only
  // where a site must be edited behind the one that makes it narrower, it has an edit of its own.
  Edits edits() const;
  // Exactly what the model costs with these edits: MACs and parameters.
  Costs costs() const;

 private:
  Survey* survey_;
  std::vector<Placed> placed_;
  std::map<std::size_t, std::int64_t> narrower_;    // by site
  std::map<std::size_t, std::size_t> narrowed_by_;  // by site
};

// The documents by site, set in the model's order.
Result<Plan> plan_of(Survey& survey, const std::map<std::size_t, std::string>& documents);

}  // namespace cambium::spaces::loopnest
