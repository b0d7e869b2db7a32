// SpaceKind: what a space publishes before one is made for a model: its name, its options, the
// targets that it edits by default, and how it is made. Each space gives one from its own folder;
// engine/search/space_list.cpp has the list.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/settings.h"
#include "model/target.h"
#include "spaces/space.h"

namespace cambium::spaces {

// A space with an option of this name gets the search's limit on activations, as a share of the
// base model's activations.
inline constexpr std::string_view kMostActivations = "most-activations";

struct SpaceKind {
  std::string_view name;     // "coordinate"
  std::string_view what;     // one line for people
  std::string_view targets;  // a selector (model/selector.h)
  std::vector<SettingInfo> (*options)();
  // Refuses BadOption, and what the space refuses about these targets.
  Result<std::unique_ptr<Space>> (*make)(const model::Model& base,
                                         const std::vector<model::Target>& targets,
                                         const SettingList& options);
  // The kinds of steps that a document has, each once: `group`. For statistics: needs no model. A
  // text that is not a document has none. Null: documents of this space have no steps.
  std::vector<std::string> (*step_kinds)(std::string_view document) = nullptr;
};

}  // namespace cambium::spaces
