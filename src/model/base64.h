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
// Returns nothing unless `to_base64` could have printed exactly this text.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace cambium::model
