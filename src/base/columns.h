// How many columns of a terminal a text takes. Most characters take one, Chinese characters and
// emoji take two, and marks above or below another character take none. Unlike wcwidth, this does
// not depend on the locale. Escape characters that a terminal would obey or hide first
// (base/escape.h). Used to cut and align lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cambium {

std::size_t count_columns(std::string_view text);

// The longest beginning of the text that fits `most` columns.
std::string_view first_columns(std::string_view text, std::size_t most);

// At most `most` columns (one or more). A longer text loses its middle, since names differ at both
// ends.
std::string shortened_to_columns(std::string_view text, std::size_t most);

}  // namespace cambium
