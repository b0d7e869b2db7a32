// Settings of a space, a strategy or a recipe as a part of a help text.
#pragma once

#include <string>
#include <vector>

#include "base/settings.h"

namespace cambium::cli {

// The heading, then a line for each setting: name, meaning, values and default.
std::string settings_text(const std::string& heading, const std::vector<SettingInfo>& settings);

}  // namespace cambium::cli
