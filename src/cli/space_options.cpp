#include "cli/space_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace cambium::cli {
namespace {

// "conv:k=3,groups=1 (coordinate)"
std::string default_targets() {
  std::vector<std::string> all;
  for (const spaces::SpaceKind& kind : engine::space_kinds()) {
    all.push_back(fmt::format("{} ({})", kind.targets, kind.name));
  }
  return join(all, ", ");
}

}  // namespace

void add_space_options(CLI::App& command, SpaceChoice& choice) {
  command
      .add_option("--targets", choice.targets,
                  "selector of the operators that may be rewritten; default: " + default_targets())
      ->type_name("SELECTOR");
  add_space(command, choice);
}

CLI::Option* add_space(CLI::App& command, SpaceChoice& choice) {
  CLI::Option* space =
      command
          .add_option("--space", choice.spaces,
                      "spaces that propose candidates: " + join(engine::space_names(), ", "))
          ->type_name("NAME")
          ->default_str(join(choice.spaces, ", "));
  command
      .add_option("--space-option", choice.options,
                  "option of all spaces (most-macs=0.5) or of one (SPACE.most-macs=0.5, "
                  "SPACE.targets=SELECTOR); `cambium search --help` lists them")
      ->type_name("[SPACE.]NAME=VALUE");
  return space;
}

Result<SpaceOfModel> make_space(const ModelOptions& model, const SpaceChoice& choice) {
  if (choice.spaces.size() != 1) return Rejection(Reason::BadOption, "--space", "name one space");
  CAMBIUM_TRY(const std::vector<engine::SpaceSetting> settings, settings_of(choice));
  CAMBIUM_TRY(engine::Loaded loaded, load(model));
  CAMBIUM_TRY(engine::Spaces spaces, engine::make_spaces(loaded.model, settings));
  return SpaceOfModel{std::move(loaded.model), std::move(spaces), settings.front().targets};
}

Result<std::vector<std::pair<std::string, std::string>>> pairs_of(
    const std::vector<std::string>& words, const char* option) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Rejection(Reason::BadOption, option,
                       fmt::format("'{}' must have the form NAME=VALUE", word));
    }
    pairs.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return pairs;
}

Result<std::vector<engine::SpaceSetting>> settings_of(const SpaceChoice& choice) {
  CAMBIUM_TRY(const auto options, pairs_of(choice.options, "--space-option"));
  std::vector<engine::SpaceSetting> settings;
  for (const std::string& space : choice.spaces) {
    const auto kind = engine::space_kind(space);  // an unknown one is refused where it is made
    const bool has_own = choice.targets.empty() && kind.ok();
    settings.push_back({space, has_own ? std::string(kind->targets) : choice.targets, {}});
  }
  for (const auto& [name, value] : options) {
    const std::size_t dot = name.find('.');
    const std::string of = dot == std::string::npos ? "" : name.substr(0, dot);
    const std::string own = dot == std::string::npos ? name : name.substr(dot + 1);
    bool is_anyones = false;
    for (engine::SpaceSetting& setting : settings) {
      if (!of.empty() && of != setting.space) continue;
      is_anyones = true;
      if (own == "targets") {
        setting.targets = value;
      } else {
        setting.options.emplace_back(own, value);
      }
    }
    if (is_anyones) continue;
    return Rejection(
        Reason::BadOption, "--space-option " + name,
        fmt::format("the search has no space '{}'; it has {}", of, join(choice.spaces, ", ")));
  }
  return settings;
}

}  // namespace cambium::cli
