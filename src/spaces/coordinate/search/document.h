// The documents of edits: an operator as text (coordinate/document.h) behind a line with the values
// of its coefficients, so that an edit means the same under all options of a search:
//
//   let     g=8, k=3
//   operator [N, Ci, H, W] -> [N, Co, H, W]
//   ...
//
// Refuses (BadSyntax) a `let` that is not a list of numbers. `parse` checks the operator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

using Values = std::map<std::string, std::int64_t>;  // of coefficients, by name

struct EditDocument {
  Values values;
  std::string op;  // with a blank line in place of the values, so that refusals count lines right
};

Result<EditDocument> read_edit_document(std::string_view text);

// The document of a catalogue operator (coordinate/known.h), from its name and the values of its
// coefficients: `grouped_conv2d g=4`. Nothing if the first word is not a name of the catalogue.
std::optional<std::string> catalogue_document(std::string_view written);

// With the values of the coefficients that the operator uses; they are equal in all bindings.
std::string edit_document(const Problem& problem, const Operator& op, const Values& values);

}  // namespace cambium::spaces::coordinate
