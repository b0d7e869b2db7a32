// The options that choose spaces for a model, as `search`, `synth` and `inspect` have them. Refuses
// BadOption for words that are not NAME=VALUE and for an option of a space that is not chosen.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/common.h"
#include "engine/search/spaces.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cambium::cli {

struct SpaceChoice {
  std::vector<std::string> spaces = {"coordinate"};
  std::string targets;  // empty: those of each space
  std::vector<std::string> options;
};
// A model and one space for it.
struct SpaceOfModel {
  model::Model model;
  engine::Spaces spaces;
  std::string targets;  // of the space
};
// Refuses also what loading the model and making the space refuse, and several spaces.
Result<SpaceOfModel> make_space(const ModelOptions& model, const SpaceChoice& choice);

// --space, --targets and --space-option.
void add_space_options(CLI::App& command, SpaceChoice& choice);
// Without --targets; --space is given back.
CLI::Option* add_space(CLI::App& command, SpaceChoice& choice);
// Options of one space are named after it, `coordinate.g=2`; others are for all of them.
Result<std::vector<engine::SpaceSetting>> settings_of(const SpaceChoice& choice);

// NAME=VALUE words of an option of this name.
Result<std::vector<std::pair<std::string, std::string>>> pairs_of(
    const std::vector<std::string>& words, const char* option);

}  // namespace cambium::cli
