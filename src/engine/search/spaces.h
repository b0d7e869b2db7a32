// The spaces of a search for a base model, by name and options. Studies keep their JSON and every
// job carries it, so that an edit means the same in every process. Refuses UnknownSpace, BadOption,
// and what selecting targets refuses. Called by searches and workers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/search/space_list.h"
#include "model/model.h"
#include "spaces/space.h"

namespace cambium::engine {

struct SpaceSetting {
  std::string space = "coordinate";
  std::string targets;  // a selector (model/selector.h)
  // By the names that the space publishes: "most-macs", "primitives", "k" ...
  std::vector<std::pair<std::string, std::string>> options;

  friend bool operator==(const SpaceSetting&, const SpaceSetting&) = default;
};

nlohmann::json json_of(const std::vector<SpaceSetting>& settings);
std::string to_json(const std::vector<SpaceSetting>& settings);
Result<std::vector<SpaceSetting>> read_space_settings(const nlohmann::json& json);

using Spaces = std::vector<std::unique_ptr<spaces::Space>>;
Result<Spaces> make_spaces(const model::Model& base, const std::vector<SpaceSetting>& settings);
Result<Spaces> make_spaces(const model::Model& base, const std::string& json);

// Gives the limit on activations, a share of the base model's (nothing: no limit), to every space
// that has the option `most-activations`. A setting that names the option itself stays unchanged.
// Refuses UnknownSpace.
Result<std::vector<SpaceSetting>> with_most_activations(std::vector<SpaceSetting> settings,
                                                        std::optional<double> share);

// The base model with its sizes, which are numbers in text. Refuses BadOption and what loading
// refuses.
Result<model::Model> load_base(const std::string& spec,
                               const std::vector<std::pair<std::string, std::string>>& bind);

// The candidate that a person wrote: its JSON, or a text in the language of the first space that
// can read it; in canonical form. Refuses what the first space refuses, BadOption if no space reads
// texts, and what spaces::canonical refuses of JSON.
Result<spaces::Candidate> candidate_of(const Spaces& spaces, const model::Model& base,
                                       const std::string& written);

std::vector<spaces::Space*> pointers(const Spaces& spaces);

}  // namespace cambium::engine
