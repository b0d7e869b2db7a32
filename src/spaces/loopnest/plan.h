// Plan: the variant that a candidate puts at each site of a model. Sites are set in the model's
// order, because after an output bottleneck later sites read fewer channels. A plan gives its edits
// and costs without building a model. Refuses what documents and output bottlenecks refuse, naming
// the site.
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

  // The factor by which earlier sites reduce the channels that this site reads.
  std::int64_t narrower(std::size_t site) const;
  Result<Variants*> variants(std::size_t site) const;
  // The original variant leaves the site unchanged.
  Status set(std::size_t site, const Variant& variant);
  // Sets a document or a name of the catalogue.
  Status read(std::size_t site, const std::string& written);
  // Refuses what `set` would refuse.
  Status can_set(std::size_t site, const Variant& variant) const;

  const std::vector<Placed>& placed() const { return placed_; }
  Survey& survey() const { return *survey_; }
  const Variant* at(std::size_t site) const;  // null: the original

  // The edits in canonical form: sites with equal documents share an edit, and edits have the order
  // of their first sites. A site gets a separate edit only if it must be edited after the site that
  // narrows it.
  Edits edits() const;
  // The exact MACs and parameters of the model with these edits.
  Costs costs() const;

 private:
  Survey* survey_;
  std::vector<Placed> placed_;
  std::map<std::size_t, std::int64_t> narrower_;    // by site
  std::map<std::size_t, std::size_t> narrowed_by_;  // by site
};

// A plan of these documents by site, set in the model's order.
Result<Plan> plan_of(Survey& survey, const std::map<std::size_t, std::string>& documents);

}  // namespace cambium::spaces::loopnest
