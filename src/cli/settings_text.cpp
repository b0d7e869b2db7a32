#include "cli/settings_text.h"

#include <fmt/format.h>

namespace cambium::cli {

std::string settings_text(const std::string& heading, const std::vector<SettingInfo>& settings) {
  std::string text = heading + ":\n";
  for (const SettingInfo& each : settings) {
    text += fmt::format("  {:<17}{} ({}; default: {})\n", each.name, each.meaning, each.values,
                        each.standard);
  }
  return text + "\n";
}

}  // namespace cambium::cli
