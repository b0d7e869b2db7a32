#include "spaces/loopnest/plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "lower/nest_form.h"

namespace cambium::spaces::loopnest {
namespace {

std::int64_t elements_of(const model::Model& model, model::NodeId weight) {
  return model.type({weight, 0}).elements();
}

}  // namespace

std::int64_t Plan::narrower(std::size_t site) const {
  const auto found = narrower_.find(site);
  return found == narrower_.end() ? 1 : found->second;
}

Result<Variants*> Plan::variants(std::size_t site) const {
  return survey_->variants(site, narrower(site)).at("'" + survey_->sites()[site].name + "'");
}

Status Plan::can_set(std::size_t site, const Variant& variant) const {
  if (variant.narrowed == 1) return Ok{};
  const ConvSite& here = survey_->sites()[site];
  const Result<Followers>& followers = survey_->followers(site);
  if (!followers.ok()) return Rejection(followers.rejection()).at("'" + here.name + "'");
  return followers->can_be_cut(here, variant.narrowed).at("'" + here.name + "'");
}

Status Plan::set(std::size_t site, const Variant& variant) {
  if (variant.is_original()) return Ok{};
  CAMBIUM_REQUIRE(can_set(site, variant));
  CAMBIUM_TRY(Variants* const variants, this->variants(site));
  placed_.push_back({site, variants, &variant});
  if (variant.narrowed == 1) return Ok{};
  for (const std::size_t reader : survey_->readers(*survey_->followers(site))) {
    narrower_[reader] = narrower(reader) * variant.narrowed;
    narrowed_by_[reader] = site;
  }
  return Ok{};
}

Status Plan::read(std::size_t site, const std::string& written) {
  CAMBIUM_TRY(Variants* const variants, this->variants(site));
  CAMBIUM_TRY(const Variant* const variant,
              variants->read(written).at("'" + survey_->sites()[site].name + "'"));
  return set(site, *variant);
}

const Variant* Plan::at(std::size_t site) const {
  const auto found = std::find_if(placed_.begin(), placed_.end(),
                                  [&](const Placed& placed) { return placed.site == site; });
  return found == placed_.end() ? nullptr : found->variant;
}

Edits Plan::edits() const {
  Edits edits;
  std::map<std::size_t, std::size_t> edit_of;  // by site
  for (const Placed& placed : placed_) {
    const auto before = narrowed_by_.find(placed.site);
    const auto after = before == narrowed_by_.end() ? edit_of.end() : edit_of.find(before->second);
    std::size_t at = after == edit_of.end() ? 0 : after->second;
    while (at < edits.size() && edits[at].document != placed.variant->document) ++at;
    if (at == edits.size()) {
      edits.push_back({std::string(lower::kNestSpace), {}, placed.variant->document});
    }
    edits[at].sites.push_back(survey_->sites()[placed.site].name);
    edit_of[placed.site] = at;
  }
  return edits;
}

Costs Plan::costs() const {
  const model::Model& model = survey_->model();
  std::int64_t macs = survey_->cost().macs, parameters = survey_->cost().params;
  std::set<std::size_t> changed;
  std::map<model::NodeId, int> left;  // by filter of a changed site: readers that stay
  for (const auto& [site, factor] : narrower_) changed.insert(site);
  for (const Placed& placed : placed_) changed.insert(placed.site);
  for (const std::size_t site : changed) {
    const ConvSite& here = survey_->sites()[site];
    const auto now = variants(site);
    if (!now.ok()) return {};
    const Variant* const placed = at(site);
    const Variant& variant = placed == nullptr ? (*now)->original() : *placed;
    macs += variant.macs - survey_->macs_of(here.node);
    parameters += variant.parameters;
    const int readers = --left.emplace(here.filter.node, here.filter_readers).first->second;
    if (readers == 0) parameters -= elements_of(model, here.filter.node);
  }
  for (const Placed& placed : placed_) {
    const std::int64_t factor = placed.variant->narrowed;
    if (factor == 1) continue;
    const Followers& followers = *survey_->followers(placed.site);
    for (const Cut& cut : followers.cuts) {
      if (left.contains(cut.weight) || !survey_->is_parameter(cut.weight)) continue;
      const std::int64_t elements = elements_of(model, cut.weight);
      parameters += elements / factor - elements;
    }
    const auto count_less = [&](model::NodeId reader) {
      macs += survey_->macs_of(reader) / factor - survey_->macs_of(reader);
    };
    for (const model::NodeId product : followers.products) count_less(product);
    for (const model::NodeId conv : followers.convolutions) {
      if (!survey_->sites().of_node(conv)) count_less(conv);
    }
  }
  return {.macs = static_cast<double>(macs), .parameters = static_cast<double>(parameters)};
}

Result<Plan> plan_of(Survey& survey, const std::map<std::size_t, std::string>& documents) {
  Plan plan(survey);
  for (const auto& [site, document] : documents) CAMBIUM_REQUIRE(plan.read(site, document));
  return plan;
}

}  // namespace cambium::spaces::loopnest
