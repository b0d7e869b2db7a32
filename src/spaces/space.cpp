#include "spaces/space.h"

#include "base/text.h"
#include "model/fingerprint.h"

namespace cambium::spaces {

std::optional<TreeOfEdits::Descent> TreeOfEdits::descend(State state, Rng& rng) {
  Descent descent;
  while (true) {
    if (auto edit = finished(state)) {
      descent.edit = std::move(*edit);
      return descent;
    }
    const std::vector<Action>& open = actions(state);
    if (open.empty()) return std::nullopt;
    const auto chosen = static_cast<std::size_t>(rng.below(open.size()));
    descent.actions.push_back(open[chosen]);
    state = next(state, chosen);
  }
}

std::optional<double> Space::activation_bound(const Edit&, double) const {
  return std::nullopt;
}

Space* space_named(std::string_view name, const std::vector<Space*>& spaces) {
  for (Space* space : spaces) {
    if (space->name() == name) return space;
  }
  return nullptr;
}

Result<model::Model> apply(const model::Model& base, const Candidate& candidate,
                           const std::vector<Space*>& spaces) {
  const Fingerprint structure = model::structure_of(base);
  if (candidate.base != structure) {
    return Rejection(Reason::NotThisBase, candidate.base.text(), structure.text());
  }
  model::Model model = base;
  for (std::size_t i = 0; i < candidate.edits.size(); ++i) {
    const Edit& edit = candidate.edits[i];
    const std::string place = "edit " + std::to_string(i);
    const Space* space = space_named(edit.space, spaces);
    if (space == nullptr) {
      std::vector<std::string> names;
      for (const Space* known : spaces) names.emplace_back(known->name());
      return Rejection(Reason::UnknownSpace, edit.space, join(names, ", ")).at(place);
    }
    CAMBIUM_TRY(const Edit checked, space->check(model, edit).at(place));
    CAMBIUM_TRY(model, space->apply(model, checked).at(place));
  }
  return model;
}

}  // namespace cambium::spaces
