// `cambium synth` with any space, for a model instead of shapes, and the options for it; what
// `inspect --edit` prints too.
#pragma once

#include <string>

#include "cli/common.h"
#include "cli/space_options.h"
#include "engine/search/synth_space.h"

namespace cambium::cli {

inline constexpr const char* kModelOption = "--model";

struct OfModel {
  ModelOptions model;
  SpaceChoice choice;

  bool is_asked() const { return !model.spec.empty(); }
};
// --model, and the options of spaces.
void add_model_of_space(CLI::App& command, OfModel& options);

// Each gives an exit code.
int propose_edits(const OfModel& options, const engine::ProposeOptions& how, bool is_random,
                  bool json);
int count_edits(const OfModel& options, std::size_t most, bool json);
int explain_edits(const OfModel& options, const std::string& what, bool json);
// Also the targets that it leaves alone, and why.
int why_edits(const OfModel& options, const std::string& what, bool json);
// The Graphviz text of the first edit that has one.
Result<std::string> drawing_of(const OfModel& options, const std::string& what);

}  // namespace cambium::cli
