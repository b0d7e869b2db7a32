#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

#include <fmt/core.h>

#include "base/range.h"

namespace cambium {

namespace {

constexpr std::string_view kEllipsis = "…";

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// The byte at which character `count` begins.
std::size_t offset_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size() && count > 0; --count)
    at += first_character(text.substr(at)).bytes.size();
  return at;
}

// Control characters, separators of lines, annotations, and all that Unicode calls default
// ignorable: a program that does not know what they do shows nothing.
constexpr Range<char32_t> kInvisible[] = {
    {0x0000, 0x001f},    // C0
    {0x007f, 0x009f},    // DEL and C1, which terminals take for commands
    {0x00ad, 0x00ad},    // soft hyphen
    {0x034f, 0x034f},    // grapheme joiner
    {0x061c, 0x061c},    // Arabic letter mark
    {0x115f, 0x1160},    // Hangul fillers
    {0x17b4, 0x17b5},    // Khmer vowels that are inherent
    {0x180b, 0x180f},    // Mongolian selectors of variants, vowel separator
    {0x200b, 0x200f},    // zero width space and joiners, marks of direction
    {0x2028, 0x202e},    // separators of lines and paragraphs; embeddings and overrides
    {0x2060, 0x206f},    // word joiner, invisible operators, isolates, deprecated format characters
    {0x3164, 0x3164},    // Hangul filler
    {0xfe00, 0xfe0f},    // selectors of variants
    {0xfeff, 0xfeff},    // byte order mark
    {0xffa0, 0xffa0},    // Hangul filler of half width
    {0xfff0, 0xfffb},    // not assigned; interlinear annotations
    {0x1bca0, 0x1bca3},  // shorthand format controls
    {0x1d173, 0x1d17a},  // musical format controls
    {0xe0000, 0xe0fff},  // tags, selectors of variants
};

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Character bad{text.substr(0, 1), byte(0), false};
  if (byte(0) < 0x80) return {text.substr(0, 1), byte(0), true};
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return bad;
  char32_t code = byte(0) & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_character(text[i])) return bad;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[length] || code > 0x10ffff || is_surrogate) return bad;
  return {text.substr(0, length), code, true};
}

bool is_utf8(std::string_view text) {
  for (Character next; !text.empty(); text.remove_prefix(next.bytes.size())) {
    next = first_character(text);
    if (!next.is_valid) return false;
  }
  return true;
}

bool is_invisible(const Character& character) {
  return !character.is_valid ||
         std::any_of(std::begin(kInvisible), std::end(kInvisible),
                     [&](const Range<char32_t>& range) { return range.holds(character.code); });
}

std::string visible(const Character& character) {
  const auto code = static_cast<std::uint32_t>(character.code);
  if (!character.is_valid || code < 0x80) return fmt::format("\\x{:02x}", code);
  return code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_character(text).bytes.size());
  return count;
}

std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < 4 && continues_character(text[end])) --end;
  return text.substr(0, end);
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t have = count_characters(text);
  if (have <= most) return std::string(text);
  const std::size_t tail = (most - 1) / 2, head = most - 1 - tail;
  std::string out(text.substr(0, offset_of(text, head)));
  out += kEllipsis;
  out += text.substr(offset_of(text, have - tail));
  return out;
}

}  // namespace cambium
