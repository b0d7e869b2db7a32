// Characters of a text that may be anything: whoever made it may not have meant UTF-8. Used by what
// escapes, cuts and aligns texts of others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cambium {

struct Character {
  std::string_view bytes;  // of the text; one byte where they are no UTF-8
  char32_t code = 0;       // U+..., or the byte
  bool is_valid = true;    // UTF-8: shortest form, no surrogate, at most U+10FFFF
};

// The first of a text that is not empty.
Character first_character(std::string_view text);

bool is_utf8(std::string_view text);

// What a reader would not see, or would see something else by: control characters (tabs and line
// ends too), characters that turn the direction of text, separators of lines and paragraphs, what
// Unicode calls default ignorable (joiners, fillers, tags), and bytes that are no UTF-8.
bool is_invisible(const Character& character);

// It as letters: \x1b for a byte, \u202e and \U000e0041 for others.
std::string visible(const Character& character);

std::size_t count_characters(std::string_view text);

// As much of the beginning as `most` bytes hold, without cutting a character in two.
std::string_view beginning(std::string_view text, std::size_t most);

// At most `most` characters (one or more): what is longer loses its middle, as names differ at both
// ends.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace cambium
