// The settings of a recipe for people: help texts and the table in docs/training.md are made of
// them.
#pragma once

#include <vector>

#include "base/settings.h"

namespace cambium::train {

// Every setting of a recipe, in its order. The defaults are those of `Recipe{}`.
std::vector<SettingInfo> recipe_settings();

}  // namespace cambium::train
