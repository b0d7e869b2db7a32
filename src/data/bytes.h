// A file's content as unsigned bytes. Every reader of this folder takes it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cambium::data {

using Bytes = std::span<const std::uint8_t>;

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view text_of_bytes(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace cambium::data
