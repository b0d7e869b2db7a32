// The spaces of a search by their names and options, for a base model. The JSON of it is kept in
// studies and sent with every job, so that an edit means the same to whoever applies it. Refuses
// UnknownSpace, BadOption, and what selecting targets refuses. Called by searches and workers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/model.h"
#include "spaces/space.h"

namespace cambium::engine {

struct SpaceSetting {
  std::string space = "coordinate";
  std::string targets;  // a selector (model/selector.h)
  // By name, as the space knows them: "most-macs", "primitives", "k" ...
  std::vector<std::pair<std::string, std::string>> options;

  friend bool operator==(const SpaceSetting&, const SpaceSetting&) = default;
};

nlohmann::json json_of(const std::vector<SpaceSetting>& settings);
std::string to_json(const std::vector<SpaceSetting>& settings);
Result<std::vector<SpaceSetting>> parse_space_settings(const std::string& json);

using Spaces = std::vector<std::unique_ptr<spaces::Space>>;
Result<Spaces> make_spaces(const model::Model& base, const std::vector<SpaceSetting>& settings);
Result<Spaces> make_spaces(const model::Model& base, const std::string& json);

// The settings of spaces that propose only what keeps a limit on activations, a share of the base
// model's (none: there is no limit). A setting that says `most-activations` itself stays as it is.
std::vector<SpaceSetting> with_most_activations(std::vector<SpaceSetting> settings,
                                                std::optional<double> share);

// The base model with its sizes, which are numbers in text. Refuses BadOption and what loading
// does.
Result<model::Model> load_base(const std::string& spec,
                               const std::vector<std::pair<std::string, std::string>>& bind);

// The candidate that a person wrote, in the language of the first space that reads it. Refuses what
// the space refuses, and BadOption where no space reads anything.
Result<spaces::Candidate> candidate_of(const Spaces& spaces, const model::Model& base,
                                       const std::string& written);

std::vector<spaces::Space*> pointers(const Spaces& spaces);
std::vector<std::string> space_names();

}  // namespace cambium::engine
