// Catalogue: names for the documents that papers describe, so that users need not write steps:
// `group 4`, `input bottleneck 2`, `halves 2 4`. docs/spaces/loopnest.md draws each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::schedule {

struct CatalogueRow {
  const char* name;     // "input bottleneck"
  const char* numbers;  // names of the numbers after it, separated by spaces: "B"
  const char* purpose;  // "reads only the first Ci/B input channels"
  // The steps, in which $1, $2 ... stand for the numbers. A line that begins with `?1 ` is left out
  // if number 1 is 1, because steps refuse a factor of 1.
  const char* document;
};
std::span<const CatalogueRow> catalogue();

// Nothing if the text does not begin with a name of the catalogue. Refuses (BadSyntax) numbers that
// are missing, too many, or below 1.
std::optional<Result<std::string>> catalogue_document(std::string_view written);

}  // namespace cambium::schedule
