#include "spaces/loopnest/space.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/random.h"
#include "base/text.h"
#include "lower/nest_form.h"
#include "spaces/loopnest/describe.h"
#include "spaces/loopnest/rewrite.h"
#include "spaces/loopnest/step_kinds.h"
#include "spaces/loopnest/walks.h"

namespace cambium::spaces::loopnest {
namespace {

constexpr int kLayersTried = 16;  // where all stayed as they are

bool are_same(const model::Model& a, const model::Model& b) {
  return std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end()) &&
         std::equal(a.outputs().begin(), a.outputs().end(), b.outputs().begin(), b.outputs().end());
}

// The document that means at every site what was written: the text that they have in common, or
// that of one of them. Where numbers of channels differ so much that none does, what was written.
std::string common_document(const Plan& plan, const std::string& written) {
  std::set<std::string> tries;
  for (const Placed& placed : plan.placed()) tries.insert(placed.variant->document);
  for (const std::string& document : tries) {
    const bool suits =
        std::all_of(plan.placed().begin(), plan.placed().end(), [&](const Placed& placed) {
          const auto variant = placed.variants->read(document);
          return variant.ok() && *variant == placed.variant;
        });
    if (suits) return document;
  }
  return written;
}

}  // namespace

LoopNestSpace::LoopNestSpace(const model::Model& base, LoopNestOptions options)
    : options_(std::move(options)), shapes_(options_.limits()), base_(base, shapes_) {}

Result<std::unique_ptr<LoopNestSpace>> LoopNestSpace::make(
    const model::Model& base, const std::vector<model::Target>& targets, LoopNestOptions options) {
  CAMBIUM_REQUIRE(check_options(options));
  std::unique_ptr<LoopNestSpace> space(new LoopNestSpace(base, std::move(options)));
  CAMBIUM_REQUIRE(space->add_layers(targets));
  return space;
}

Status LoopNestSpace::add_layers(const std::vector<model::Target>& targets) {
  for (const model::Target& target : targets) {
    for (const model::Site& site : target.sites) {
      const auto found = base_.sites().find(site.name);
      if (!found) {
        left_out_.emplace_back(site.name, "it is no convolution of f32 with a weight");
        continue;
      }
      const auto variants = base_.variants(*found);
      if (variants.ok()) {
        sites_.push_back(*found);
      } else {
        left_out_.emplace_back(site.name, variants.rejection().message());
      }
    }
  }
  std::sort(sites_.begin(), sites_.end());
  layers_ = layers_of(base_, sites_, options_.tie);
  if (!layers_.empty()) return Ok{};
  const std::string why =
      left_out_.empty() ? "there is no target" : left_out_[0].first + ": " + left_out_[0].second;
  return no_proposal("no convolution is left; " + why);
}

std::string_view LoopNestSpace::name() const {
  return lower::kNestSpace;
}

Survey& LoopNestSpace::survey_of(const model::Model& model) const {
  if (are_same(model, base_.model())) return base_;
  if (last_ == nullptr || !are_same(model, last_->model())) {
    last_ = std::make_unique<Survey>(model, shapes_);
  }
  return *last_;
}

// ---- edits

Result<Plan> LoopNestSpace::plan_of_edit(const model::Model& model, const Edit& edit) const {
  Survey& survey = survey_of(model);
  CAMBIUM_TRY(const auto sites, sites_named(model, survey.sites(), edit.sites));
  std::map<std::size_t, std::string> documents;
  for (const std::size_t site : sites) documents[site] = edit.document;
  return plan_of(survey, documents);
}

Result<Edit> LoopNestSpace::check(const model::Model& model, const Edit& edit) const {
  CAMBIUM_TRY(const Plan plan, plan_of_edit(model, edit));
  Edit checked{std::string(lower::kNestSpace), {}, ""};
  if (plan.placed().empty()) {
    checked.sites = edit.sites;
    return checked;
  }
  checked.document = common_document(plan, edit.document);
  for (const Placed& placed : plan.placed()) {
    checked.sites.push_back(plan.survey().sites()[placed.site].name);
  }
  return checked;
}

Result<model::Model> LoopNestSpace::apply(const model::Model& model, const Edit& edit) const {
  CAMBIUM_TRY(const Plan plan, plan_of_edit(model, edit));
  if (plan.placed().empty()) return model;
  return rewritten(plan);
}

Description LoopNestSpace::describe(const model::Model& model, const Edit& edit) const {
  const auto plan = plan_of_edit(model, edit);
  if (!plan.ok()) return {plan.rejection().message(), {}, {}, {}};
  return description_of(*plan);
}

Costs LoopNestSpace::cost_bound(const Edits& edits, const Costs& /*limits*/) const {
  std::map<std::size_t, std::string> documents;
  for (const Edit& edit : edits) {
    if (edit.space != lower::kNestSpace) return {};
    for (const std::string& name : edit.sites) {
      const auto site = base_.sites().find(name);
      if (!site) return {};
      documents[*site] = edit.document;
    }
  }
  const auto plan = plan_of(base_, documents);
  return plan.ok() ? plan->costs() : Costs{};
}

// ---- facets

Result<Edits> LoopNestSpace::sample(std::uint64_t seed) {
  const Rng rng(seed);
  const Rng by_layer = rng.split("layers");
  Draft draft(base_);
  const auto draw = [&](std::size_t layer, Rng draws) {
    const Variant* const variant = drawn(draft, layers_[layer], options_, draws);
    if (variant != nullptr) draft.choose(layers_[layer], *variant);
  };
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    Rng draws = by_layer.split(layer);
    const bool stays = !options_.published && draws.chance(options_.original);
    if (!stays) draw(layer, draws);
  }
  // All of few layers may have stayed as they are.
  Rng one = rng.split("one");
  for (int i = 0; i < kLayersTried && draft.is_empty(); ++i) {
    draw(static_cast<std::size_t>(one.below(layers_.size())),
         one.split(static_cast<std::uint64_t>(i)));
  }
  CAMBIUM_TRY(const Plan plan, draft.plan());
  if (plan.placed().empty()) return no_proposal("no layer was given a document");
  return plan.edits();
}

void LoopNestSpace::restart() {
  layer_ = 0;
  listing_.reset();
}

std::optional<Edits> LoopNestSpace::next() {
  for (; layer_ < layers_.size(); ++layer_, listing_.reset()) {
    const Layer& layer = layers_[layer_];
    if (listing_ == nullptr) {
      listing_ = std::make_unique<Listing>(base_, layer, options_.list_steps);
    }
    while (const auto listed = listing_->next()) {
      Draft draft(base_);
      draft.choose(layer, *listed->variant);
      const auto plan = draft.plan();
      if (plan.ok() && !plan->placed().empty()) return plan->edits();
    }
  }
  return std::nullopt;
}

TreeOfEdits* LoopNestSpace::tree() {
  if (tree_ == nullptr) tree_ = std::make_unique<LoopNestTree>(base_, layers_, options_);
  return tree_.get();
}

OffersBySite* LoopNestSpace::offers() {
  if (offers_ == nullptr) offers_ = std::make_unique<Offers>(base_, layers_, options_);
  return offers_.get();
}

Result<Candidate> LoopNestSpace::mutate(const Candidate& candidate, std::uint64_t seed) {
  return Breeding(base_, layers_, options_).mutate(candidate, seed);
}

Result<Candidate> LoopNestSpace::cross(const Candidate& a, const Candidate& b, std::uint64_t seed) {
  return Breeding(base_, layers_, options_).cross(a, b, seed);
}

Result<Edits> LoopNestSpace::edits_of(const std::string& written) const {
  Plan plan(base_);
  std::optional<Rejection> first;
  for (const std::size_t site : sites_) {
    Status read = plan.read(site, written);
    if (!read.ok() && !first) first = std::move(read).rejection();
  }
  if (!plan.placed().empty()) return plan.edits();
  if (first) return *first;
  return no_proposal("the document leaves every convolution as it is");
}

std::optional<Fingerprint> LoopNestSpace::meaning(const Edit& edit) {
  const auto plan = plan_of_edit(base_.model(), edit);
  if (!plan.ok()) return std::nullopt;
  // Behind other edits a site may read fewer channels, where only equal texts are surely equal.
  const auto is_canonical = [&](const Placed& placed) {
    return placed.variant->document == edit.document;
  };
  const bool is_plain = !options_.limits().narrows_outputs ||
                        std::all_of(plan->placed().begin(), plan->placed().end(), is_canonical);
  if (!is_plain) return std::nullopt;
  Hasher hasher;
  hasher.add(lower::kNestSpace);
  for (const Placed& placed : plan->placed()) {
    hasher.add(base_.sites()[placed.site].name).add(placed.variant->function);
  }
  return hasher.done();
}

Result<std::vector<WeightOrigin>> LoopNestSpace::origins(const model::Model& before,
                                                         const Edit& edit) const {
  CAMBIUM_TRY(const Plan plan, plan_of_edit(before, edit));
  return origins_of(plan);
}

SpaceKind loopnest_kind() {
  return {lower::kNestSpace,
          "convolutions whose loops are rewritten: groups, bottlenecks and the like "
          "(docs/spaces/loopnest.md)",
          "conv:*",
          [] {
            LoopNestOptions standard;
            return settings_of(standard).list();
          },
          [](const model::Model& base, const std::vector<model::Target>& targets,
             const SettingList& options) -> Result<std::unique_ptr<Space>> {
            LoopNestOptions made;
            CAMBIUM_REQUIRE(settings_of(made).read(options));
            CAMBIUM_TRY(std::unique_ptr<LoopNestSpace> space,
                        LoopNestSpace::make(base, targets, std::move(made)));
            return std::unique_ptr<Space>(std::move(space));
          },
          step_kinds};
}

}  // namespace cambium::spaces::loopnest
