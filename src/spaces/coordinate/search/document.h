// The documents of edits: an operator as text (coordinate/document.h) behind a line that says what
// its coefficients are worth, so that an edit means the same whatever the options of a search are:
//
//   let     g=8, k=3
//   operator [N, Ci, H, W] -> [N, Co, H, W]
//   ...
//
// Refuses (BadSyntax) a `let` that is no list of numbers; the rest is for `parse` of the operator.
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
  std::string op;  // with a blank line instead of the values, so that refusals tell lines right
};

Result<EditDocument> read_edit_document(std::string_view text);

// The document of an operator that the catalogue (coordinate/known.h) has, written by its name and
// what coefficients are worth: `grouped_conv2d g=4`. Nothing where the first word is no such name.
std::optional<std::string> catalogue_document(std::string_view written);

// With the values of those coefficients that the operator uses: all bindings have the same.
std::string edit_document(const Problem& problem, const Operator& op, const Values& values);

}  // namespace cambium::spaces::coordinate
