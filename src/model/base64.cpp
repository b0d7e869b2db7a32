#include "model/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace cambium::model {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 64;

constexpr std::array<std::uint8_t, 256> kDigitValues = [] {
  std::array<std::uint8_t, 256> values{};
  for (auto& value : values) value = kNoDigit;
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < have ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= have ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::vector<std::byte> out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    // Only the last group may end in '=', and bits that no byte takes must be zero.
    std::size_t digits = 4;
    if (i + 4 == text.size()) {
      while (digits > 2 && text[i + digits - 1] == '=') --digits;
    }
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint8_t value =
          k < digits ? kDigitValues[static_cast<unsigned char>(text[i + k])] : std::uint8_t{0};
      if (value == kNoDigit) return std::nullopt;
      group = group << 6 | value;
    }
    if ((group & ((1u << (8 * (4 - digits))) - 1)) != 0) return std::nullopt;
    for (std::size_t k = 0; k + 1 < digits; ++k) {
      out.push_back(static_cast<std::byte>(group >> (16 - 8 * k)));
    }
  }
  return out;
}

}  // namespace cambium::model
