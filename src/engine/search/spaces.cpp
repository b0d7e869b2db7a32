#include "engine/search/spaces.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "engine/files.h"
#include "engine/search/fields.h"
#include "model/fingerprint.h"
#include "model/target.h"

namespace cambium::engine {

nlohmann::json json_of(const std::vector<SpaceSetting>& settings) {
  nlohmann::json all = nlohmann::json::array();
  for (const SpaceSetting& setting : settings) {
    all.push_back({{"space", setting.space},
                   {"targets", setting.targets},
                   {"options", object_of(setting.options)}});
  }
  return all;
}

std::string to_json(const std::vector<SpaceSetting>& settings) {
  return json_text(json_of(settings));
}

Result<std::vector<SpaceSetting>> read_space_settings(const nlohmann::json& all) {
  if (!all.is_array()) return Rejection(Reason::MissingField, "spaces", "an array");
  std::vector<SpaceSetting> settings;
  for (const nlohmann::json& each : all) {
    SpaceSetting setting;
    CAMBIUM_REQUIRE(Fields(each)
                        .take("space", setting.space)
                        .take("targets", setting.targets)
                        .take("options", setting.options)
                        .status());
    settings.push_back(std::move(setting));
  }
  return settings;
}

Result<std::vector<SpaceSetting>> with_most_activations(std::vector<SpaceSetting> settings,
                                                        std::optional<double> share) {
  const std::string name(spaces::kMostActivations);
  for (SpaceSetting& setting : settings) {
    CAMBIUM_TRY(const spaces::SpaceKind kind, space_kind(setting.space));
    const auto options = kind.options();
    const bool has_option = std::any_of(options.begin(), options.end(),
                                        [&](const auto& option) { return option.name == name; });
    const bool is_told = std::any_of(setting.options.begin(), setting.options.end(),
                                     [&](const auto& option) { return option.first == name; });
    if (!has_option || is_told) continue;
    setting.options.emplace_back(name, share ? fmt::format("{}", *share) : "none");
  }
  return settings;
}

Result<Spaces> make_spaces(const model::Model& base, const std::vector<SpaceSetting>& settings) {
  Spaces spaces;
  for (const SpaceSetting& setting : settings) {
    CAMBIUM_TRY(const spaces::SpaceKind kind, space_kind(setting.space));
    CAMBIUM_TRY(const auto targets, model::select(base, setting.targets));
    CAMBIUM_TRY(auto space, kind.make(base, targets, setting.options));
    spaces.push_back(std::move(space));
  }
  return spaces;
}

Result<Spaces> make_spaces(const model::Model& base, const std::string& json) {
  CAMBIUM_TRY(const nlohmann::json all, parse_json(json));
  CAMBIUM_TRY(const std::vector<SpaceSetting> settings, read_space_settings(all));
  return make_spaces(base, settings);
}

Result<model::Model> load_base(const std::string& spec, const TextPairs& bind) {
  LoadOptions options;
  for (const auto& [name, text] : bind) {
    const auto size = parse_int(text, 0);
    if (!size.ok()) return Rejection(Reason::BadOption, "bind " + name, size.rejection().message());
    options.bind[name] = *size;
  }
  CAMBIUM_TRY(Loaded loaded, load_model(spec, options));
  return std::move(loaded.model);
}

Result<spaces::Candidate> candidate_of(const Spaces& spaces, const model::Model& base,
                                       const std::string& written) {
  // JSON may be a candidate, or a document of a space. What its identity is taken of is not what a
  // person wrote, but what the spaces make of it, as for all candidates of a search.
  if (trim(written).starts_with('{')) {
    if (auto candidate = spaces::parse_candidate(written); candidate.ok()) {
      return spaces::canonical(base, *candidate, pointers(spaces));
    }
  }
  std::optional<Rejection> first;
  for (const auto& space : spaces) {
    const spaces::ReadsEdits* const reads = space->reads();
    if (reads == nullptr) continue;
    auto edits = reads->edits_of(written);
    if (edits.ok()) return spaces::Candidate{model::structure_of(base), *edits, std::nullopt};
    if (!first) first = edits.rejection();
  }
  if (first) return *first;
  return Rejection(Reason::BadOption, "try", "no space of the search reads what a person writes");
}

std::vector<spaces::Space*> pointers(const Spaces& spaces) {
  std::vector<spaces::Space*> all;
  for (const auto& space : spaces) all.push_back(space.get());
  return all;
}

}  // namespace cambium::engine
