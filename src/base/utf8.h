// Characters of a text that may not be valid UTF-8. Used to escape, cut and align foreign texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cambium {

struct Character {
  std::string_view bytes;  // of the text; one byte if they are not UTF-8
  char32_t code = 0;       // U+..., or the byte
  bool is_valid = true;    // UTF-8: shortest form, no surrogate, at most U+10FFFF
};

// The first character of a nonempty text.
Character first_character(std::string_view text);

bool is_utf8(std::string_view text);

// Whether a reader would not see the character, or it would change how others look: control
// characters (including tabs and line ends), characters that turn the direction of text, separators
// of lines and paragraphs, the default ignorables of Unicode (joiners, fillers, tags), and bytes
// that are not UTF-8.
bool is_invisible(const Character& character);

// The character as letters: \x1b for a byte, \u202e and \U000e0041 for others.
std::string visible(const Character& character);

std::size_t count_characters(std::string_view text);

// The longest beginning of the text that fits `most` bytes without cutting a character in two.
std::string_view beginning(std::string_view text, std::size_t most);

// At most `most` characters (one or more). A longer text loses its middle, since names differ at
// both ends.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace cambium
