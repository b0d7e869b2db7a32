#include "spaces/space.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "model/fingerprint.h"

namespace cambium::spaces {

std::optional<TreeOfEdits::Descent> TreeOfEdits::descend(State state, Rng& rng) {
  Descent descent;
  while (true) {
    if (auto edits = finished(state)) {
      descent.edits = std::move(*edits);
      return descent;
    }
    const std::vector<Action>& open = actions(state);
    if (open.empty()) return std::nullopt;
    const auto chosen = static_cast<std::size_t>(rng.below(open.size()));
    descent.actions.push_back(open[chosen]);
    state = next(state, chosen);
  }
}

bool exceeds(const Costs& bounds, const Costs& limits) {
  const auto is_above = [](const std::optional<double>& bound, const std::optional<double>& limit) {
    return bound && limit && *bound > *limit;
  };
  return is_above(bounds.macs, limits.macs) || is_above(bounds.parameters, limits.parameters) ||
         is_above(bounds.memory, limits.memory) || is_above(bounds.activations, limits.activations);
}

Costs Space::cost_bound(const Edits&, const Costs&) const {
  return {};
}

Space* space_named(std::string_view name, const std::vector<Space*>& spaces) {
  for (Space* space : spaces) {
    if (space->name() == name) return space;
  }
  return nullptr;
}

Result<AppliedEdit> apply_one(const model::Model& before, const Candidate& candidate,
                              std::size_t number, const std::vector<Space*>& spaces) {
  const Edit& edit = candidate.edits[number];
  const std::string place = "edit " + std::to_string(number);
  const Space* space = space_named(edit.space, spaces);
  if (space == nullptr) {
    std::vector<std::string> names;
    for (const Space* known : spaces) names.emplace_back(known->name());
    return Rejection(Reason::UnknownSpace, edit.space, join(names, ", ")).at(place);
  }
  CAMBIUM_TRY(Edit checked, space->check(before, edit).at(place));
  CAMBIUM_TRY(model::Model after, space->apply(before, checked).at(place));
  return AppliedEdit{space, std::move(checked), std::move(after)};
}

namespace {

// Applies all edits, each told to `use` as its space checked it.
template <class Use>
Result<model::Model> apply_all(const model::Model& base, const Candidate& candidate,
                               const std::vector<Space*>& spaces, const Use& use) {
  const Fingerprint structure = model::structure_of(base);
  if (candidate.base != structure) {
    return Rejection(Reason::NotThisBase, candidate.base.text(), structure.text());
  }
  model::Model model = base;
  for (std::size_t i = 0; i < candidate.edits.size(); ++i) {
    CAMBIUM_TRY(AppliedEdit applied, apply_one(model, candidate, i, spaces));
    model = std::move(applied.model);
    use(std::move(applied.edit));
  }
  return model;
}

}  // namespace

Result<model::Model> apply(const model::Model& base, const Candidate& candidate,
                           const std::vector<Space*>& spaces) {
  return apply_all(base, candidate, spaces, [](const Edit&) {});
}

Result<Candidate> canonical(const model::Model& base, const Candidate& candidate,
                            const std::vector<Space*>& spaces) {
  Candidate written{candidate.base, {}, candidate.parent};
  const auto keep = [&](Edit edit) {
    if (!edit.document.empty()) written.edits.push_back(std::move(edit));
  };
  CAMBIUM_TRY([[maybe_unused]] const model::Model model, apply_all(base, candidate, spaces, keep));
  if (!written.edits.empty()) return written;
  return Rejection(Reason::NoProposal, "the candidate", "its edits leave the model as it is");
}

std::vector<Description> describe(const model::Model& base, const Candidate& candidate,
                                  const std::vector<Space*>& spaces) {
  std::vector<Description> all;
  std::optional<model::Model> met;
  for (const Edit& edit : candidate.edits) {
    const model::Model& model = met ? *met : base;
    const Space* space = space_named(edit.space, spaces);
    if (space == nullptr) break;
    all.push_back(space->describe(model, edit));
    if (all.size() == candidate.edits.size()) break;
    auto next = space->apply(model, edit);
    if (!next.ok()) break;
    met = std::move(next).value();
  }
  return all;
}

Fingerprint meaning_of(const Candidate& candidate, const std::vector<Space*>& spaces) {
  Hasher hasher;
  hasher.add("meaning").add(candidate.base).add(candidate.edits.size());
  for (const Edit& edit : candidate.edits) {
    std::vector<std::string> sites = edit.sites;
    std::sort(sites.begin(), sites.end());
    hasher.add(edit.space).add_range(sites);
    Space* const space = space_named(edit.space, spaces);
    KnowsMeaning* const meanings = space == nullptr ? nullptr : space->meanings();
    const auto meaning = meanings == nullptr ? std::nullopt : meanings->meaning(edit);
    if (meaning) {
      hasher.add(*meaning);
    } else {
      hasher.add(edit.document);
    }
  }
  return hasher.done();
}

}  // namespace cambium::spaces
