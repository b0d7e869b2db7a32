// Catalogue: names for the documents that the papers name, so that nobody has to write steps:
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
  const char* numbers;  // names of the numbers behind it, with spaces between them: "B"
  const char* purpose;  // "reads only the first Ci/B input channels"
  // With the numbers in place of $1, $2 ... A line behind `?1 ` is left out where that number is 1:
  // a factor of 1 changes nothing, and steps refuse it.
  const char* document;
};
std::span<const CatalogueRow> catalogue();

// Nothing if the text does not begin with a name of the catalogue. Refuses (BadSyntax) numbers that
// are missing, too many, or below 1.
std::optional<Result<std::string>> catalogue_document(std::string_view written);

}  // namespace cambium::schedule
