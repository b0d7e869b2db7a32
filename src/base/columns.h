// How many columns of a terminal a text takes. Most characters take one, Chinese characters and
// emoji take two, and marks above or below another character take none. Unlike wcwidth, this does
// not depend on the locale. Characters that a terminal would obey or hide are escaped before
// (base/escape.h). Used by whatever cuts and aligns lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cambium {

std::size_t count_columns(std::string_view text);

// As much of the beginning as `most` columns hold.
std::string_view first_columns(std::string_view text, std::size_t most);

// At most `most` columns (one or more): what is longer loses its middle, as names differ at both
// ends.
std::string shortened_to_columns(std::string_view text, std::size_t most);

}  // namespace cambium
