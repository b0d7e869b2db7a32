#include "spaces/loopnest/breeding.h"

#include <utility>

#include "base/random.h"
#include "lower/nest_form.h"
#include "spaces/loopnest/walks.h"

namespace cambium::spaces::loopnest {
namespace {

constexpr int kTries = 16;

// Nothing at a site that is left alone.
const std::string& document_at(const Documents& documents, std::size_t site) {
  static const std::string kNone;
  const auto found = documents.find(site);
  return found == documents.end() ? kNone : found->second;
}

}  // namespace

Rejection no_proposal(std::string why) {
  return Rejection(Reason::NoProposal, std::string(lower::kNestSpace), std::move(why));
}

Result<Documents> Breeding::documents_of(const Candidate& candidate) const {
  Documents documents;
  for (const Edit& edit : candidate.edits) {
    if (edit.space != lower::kNestSpace)
      return no_proposal("an edit is of the space '" + edit.space + "'");
    for (const std::string& name : edit.sites) {
      const auto site = survey_.sites().find(name);
      if (!site) return Rejection(Reason::UnknownSite, name, "the model has other convolutions");
      documents[*site] = edit.document;
    }
  }
  return documents;
}

Plan Breeding::fitting(const Documents& documents) const {
  Plan plan(survey_);
  for (const auto& [site, document] : documents) {
    // What does not fit here any more is left out.
    [[maybe_unused]] const Status read = plan.read(site, document);
  }
  return plan;
}

Result<Candidate> Breeding::child(const Candidate& parent, const Documents& documents) const {
  Candidate child{parent.base, fitting(documents).edits(), identity_of(parent)};
  if (child.edits.empty()) return no_proposal("the child is the original");
  if (identity_of(child) == *child.parent) return no_proposal("the child is its parent");
  return child;
}

Draft Breeding::before(const Documents& documents, std::size_t layer) const {
  Draft draft(survey_);
  for (std::size_t i = 0; i < layer; ++i) {
    const std::string& document = document_at(documents, layers_[i].sites.front());
    const auto variants = draft.variants(layers_[i]);
    if (document.empty() || !variants.ok()) continue;
    const auto variant = (*variants)->read(document);
    if (variant.ok() && draft.fits(layers_[i], **variant)) draft.choose(layers_[i], **variant);
  }
  return draft;
}

const Variant* Breeding::changed(const Documents& documents, std::size_t layer, Rng& rng) const {
  const Draft draft = before(documents, layer);
  const Layer& here = layers_[layer];
  const auto variants = draft.variants(here);
  if (!variants.ok()) return nullptr;
  const auto now = (*variants)->read(document_at(documents, here.sites.front()));
  const Variant& present = now.ok() ? **now : (*variants)->original();
  switch (rng.below(4)) {
    case 0: return drawn(draft, here, options_, rng);
    case 1: {
      if (options_.published || present.steps >= options_.steps) return nullptr;
      return walk(draft, here, present, 1, rng);
    }
    case 2: {
      std::vector<const Variant*> shorter = (*variants)->shorter(present);
      std::erase_if(shorter, [&](const Variant* one) { return !draft.fits(here, *one); });
      if (shorter.empty()) return nullptr;
      return shorter[static_cast<std::size_t>(rng.below(shorter.size()))];
    }
    default: break;
  }
  const Layer& other = layers_[static_cast<std::size_t>(rng.below(layers_.size()))];
  const auto copy = (*variants)->read(document_at(documents, other.sites.front()));
  return copy.ok() && draft.fits(here, **copy) ? *copy : nullptr;
}

Result<Candidate> Breeding::mutate(const Candidate& candidate, std::uint64_t seed) const {
  CAMBIUM_TRY(const Documents documents, documents_of(candidate));
  const Rng rng(seed);
  for (std::uint64_t i = 0; i < kTries; ++i) {
    Rng draws = rng.split(i);
    const auto layer = static_cast<std::size_t>(draws.below(layers_.size()));
    const Variant* const variant = changed(documents, layer, draws);
    if (variant == nullptr) continue;
    Documents next = documents;
    for (const std::size_t site : layers_[layer].sites) next[site] = variant->document;
    auto child = this->child(candidate, next);
    if (child.ok()) return child;
  }
  return no_proposal("no mutation of this candidate was found");
}

Result<Candidate> Breeding::cross(const Candidate& a, const Candidate& b,
                                  std::uint64_t seed) const {
  CAMBIUM_TRY(const Documents first, documents_of(a));
  CAMBIUM_TRY(const Documents second, documents_of(b));
  Rng rng(seed);
  std::map<std::size_t, bool> from_first;  // by site
  Documents documents;
  const Plan plans[] = {fitting(first), fitting(second)};
  for (const Layer& layer : layers_) {
    const bool drawn = rng.chance(0.5);
    const auto told = from_first.find(layer.sites.front());
    const bool is_first = told == from_first.end() ? drawn : told->second;
    for (const std::size_t site : layer.sites) {
      documents[site] = document_at(is_first ? first : second, site);
      for (const Plan& plan : plans) {
        const Variant* const variant = plan.at(site);
        if (variant == nullptr || variant->narrowed == 1) continue;
        for (const std::size_t reader : survey_.readers(*survey_.followers(site))) {
          from_first[reader] = is_first;
        }
      }
    }
  }
  return child(a, documents);
}

}  // namespace cambium::spaces::loopnest
