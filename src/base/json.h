// Reads and writes JSON through nlohmann::json, without exceptions. Users of the value include
// <nlohmann/json.hpp> in their .cpp. Refuses BadSyntax with line and column.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium {

// Also refuses nesting deeper than 200, because printing recurses and the text may be hostile.
Result<nlohmann::json> parse_json(std::string_view text);

// One line, or indented. Never fails: invalid UTF-8 becomes the replacement character.
std::string json_text(const nlohmann::json& value);
std::string pretty_json_text(const nlohmann::json& value);

}  // namespace cambium
