// The spaces of this program: one row each. Searches, synth, help texts and tables of options read
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spaces/kind.h"

namespace cambium::engine {

const std::vector<spaces::SpaceKind>& space_kinds();
std::vector<std::string> space_names();
// Refuses UnknownSpace.
Result<spaces::SpaceKind> space_kind(std::string_view name);

}  // namespace cambium::engine
