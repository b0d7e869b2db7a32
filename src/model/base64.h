// Bytes as base64 text (RFC 4648, padded) and back: how the text form carries weights.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cambium::model {

std::string to_base64(std::span<const std::byte> bytes);
// Nothing, unless the whole text is what `to_base64` would have printed.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace cambium::model
