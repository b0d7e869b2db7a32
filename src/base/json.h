// JSON in and out over nlohmann::json, without exceptions. Whoever uses the value includes
// <nlohmann/json.hpp> in its .cpp. Refuses BadSyntax with line and column.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium {

// Refuses nesting deeper than 200 too: printing recurses, and the text may be hostile.
Result<nlohmann::json> parse_json(std::string_view text);

// One line, or indented. Never fails: what is not UTF-8 becomes the replacement character.
std::string json_text(const nlohmann::json& value);
std::string pretty_json_text(const nlohmann::json& value);

}  // namespace cambium
