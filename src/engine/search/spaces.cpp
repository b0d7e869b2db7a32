#include "engine/search/spaces.h"

#include <algorithm>
#include <iterator>
#include <limits>
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
#include "spaces/coordinate/search/rewrite.h"
#include "spaces/coordinate/search/space.h"

namespace cambium::engine {
namespace {

using spaces::coordinate::CoordinateSpace;
using spaces::coordinate::SpaceOptions;

struct IntOption {
  const char* name;
  int spaces::coordinate::synthesis::Limits::*limit;
};
constexpr IntOption kLimits[] = {{"primitives", &spaces::coordinate::synthesis::Limits::primitives},
                                 {"reductions", &spaces::coordinate::synthesis::Limits::reductions},
                                 {"weights", &spaces::coordinate::synthesis::Limits::weights},
                                 {"splits", &spaces::coordinate::synthesis::Limits::splits},
                                 {"merges", &spaces::coordinate::synthesis::Limits::merges},
                                 {"shifts", &spaces::coordinate::synthesis::Limits::shifts},
                                 {"strides", &spaces::coordinate::synthesis::Limits::strides},
                                 {"unfolds", &spaces::coordinate::synthesis::Limits::unfolds},
                                 {"expands", &spaces::coordinate::synthesis::Limits::expands},
                                 {"chain", &spaces::coordinate::synthesis::Limits::chain}};

constexpr const char* kMostActivations = "most-activations";
constexpr const char* kNone = "none";  // as a limit

struct ShareOption {
  const char* name;
  double SpaceOptions::*share;
};
constexpr ShareOption kShares[] = {{"least-macs", &SpaceOptions::least_macs},
                                   {"most-macs", &SpaceOptions::most_macs},
                                   {"most-parameters", &SpaceOptions::most_parameters},
                                   {"most-memory", &SpaceOptions::most_memory},
                                   {kMostActivations, &SpaceOptions::most_activations}};

std::string coordinate_option_names() {
  std::string names;
  for (const IntOption& option : kLimits) names += std::string(option.name) + ", ";
  for (const ShareOption& option : kShares) names += std::string(option.name) + ", ";
  return names + "k, s, g, least-mixed, weight-free";
}

Status set_coordinate_option(SpaceOptions& options, const std::string& name,
                             const std::string& value) {
  const auto refuse = [&](const char* what) {
    return Rejection(Reason::BadOption, name, fmt::format("'{}' is no {}", value, what));
  };
  for (const IntOption& option : kLimits) {
    if (name != option.name) continue;
    const auto number = parse_int(value, 0, 100);
    if (!number.ok()) return refuse("number from 0 to 100");
    options.limits.*option.limit = static_cast<int>(*number);
    return Ok{};
  }
  for (const ShareOption& option : kShares) {
    if (name != option.name) continue;
    if (value == kNone && name.starts_with("most-")) {
      options.*option.share = std::numeric_limits<double>::infinity();
      return Ok{};
    }
    const auto number = parse_double(value);
    if (!number.ok() || *number < 0) return refuse("share of the original");
    options.*option.share = *number;
    return Ok{};
  }
  for (spaces::coordinate::CoefficientOption& coefficient : options.coefficients) {
    if (name != coefficient.name) continue;
    const auto number = parse_int(value, 1);
    if (!number.ok()) return refuse("number of at least 1");
    coefficient.value = *number;
    return Ok{};
  }
  if (name == "least-mixed") {
    const auto number = parse_int(value, 0, 8);
    if (!number.ok()) return refuse("number of axes");
    options.least_mixed = static_cast<int>(*number);
    return Ok{};
  }
  if (name == "weight-free") {
    options.limits.weight_free = value == "yes" || value == "1" || value == "true";
    return Ok{};
  }
  return Rejection(Reason::BadOption, name,
                   "the coordinate space has " + coordinate_option_names());
}

Result<std::unique_ptr<spaces::Space>> make_coordinate(const model::Model& base,
                                                       const SpaceSetting& setting) {
  SpaceOptions options;
  for (const auto& [name, value] : setting.options) {
    CAMBIUM_REQUIRE(set_coordinate_option(options, name, value));
  }
  CAMBIUM_TRY(const std::vector<model::Target> targets, model::select(base, setting.targets));
  CAMBIUM_TRY(std::unique_ptr<CoordinateSpace> space,
              CoordinateSpace::make(base, targets, std::move(options)));
  return std::unique_ptr<spaces::Space>(std::move(space));
}

// A further space is a row here.
struct SpaceRow {
  const char* name;
  Result<std::unique_ptr<spaces::Space>> (*make)(const model::Model&, const SpaceSetting&);
};
constexpr SpaceRow kSpaces[] = {{"coordinate", make_coordinate}};

}  // namespace

std::vector<std::string> space_names() {
  std::vector<std::string> names;
  for (const SpaceRow& row : kSpaces) names.emplace_back(row.name);
  return names;
}

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

Result<std::vector<SpaceSetting>> parse_space_settings(const std::string& json) {
  CAMBIUM_TRY(const nlohmann::json all, parse_json(json));
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

std::vector<SpaceSetting> with_most_activations(std::vector<SpaceSetting> settings,
                                                std::optional<double> share) {
  for (SpaceSetting& setting : settings) {
    const bool is_told =
        std::any_of(setting.options.begin(), setting.options.end(),
                    [](const auto& option) { return option.first == kMostActivations; });
    if (setting.space != spaces::coordinate::kSpaceName || is_told) continue;
    setting.options.emplace_back(kMostActivations, share ? fmt::format("{}", *share) : kNone);
  }
  return settings;
}

Result<Spaces> make_spaces(const model::Model& base, const std::vector<SpaceSetting>& settings) {
  Spaces spaces;
  for (const SpaceSetting& setting : settings) {
    const auto row = std::find_if(std::begin(kSpaces), std::end(kSpaces),
                                  [&](const SpaceRow& each) { return setting.space == each.name; });
    if (row == std::end(kSpaces)) {
      return Rejection(Reason::UnknownSpace, setting.space, join(space_names(), ", "));
    }
    CAMBIUM_TRY(std::unique_ptr<spaces::Space> space, row->make(base, setting));
    spaces.push_back(std::move(space));
  }
  return spaces;
}

Result<Spaces> make_spaces(const model::Model& base, const std::string& json) {
  CAMBIUM_TRY(const std::vector<SpaceSetting> settings, parse_space_settings(json));
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
