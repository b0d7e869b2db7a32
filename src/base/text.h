// Small helpers for text: splitting, numbers, names. A text that is not entirely a number is
// refused (BadNumber). Nothing here depends on the locale.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cambium {

// Pieces between separators, empty ones included: "a,,b" has three. The views point into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);  // without white space at both ends
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string quote(std::string_view text);  // 'text', with control characters and ' escaped

Result<std::int64_t> parse_int(std::string_view text,
                               std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                               std::int64_t high = std::numeric_limits<std::int64_t>::max());
Result<double> parse_double(std::string_view text);  // finite

// The name closest to `wrong`, for "did you mean". The edit distance must be at most a third of the
// length. Of equally close names, the first.
std::optional<std::string> closest(std::string_view wrong, std::span<const std::string> names);

std::string human_count(double count);        // 950, 1.23 k, 45.6 M, 7.89 G
std::string human_bytes(std::int64_t bytes);  // 512 B, 1.50 KiB, 3.25 GiB

}  // namespace cambium
