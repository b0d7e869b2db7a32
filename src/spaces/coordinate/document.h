// Documents: operators as text or JSON that a person reads and writes by hand.
//
//   operator [N, Ci, H, W] -> [N, Co, H, W]
//   out     n, o, h, w
//   sum     i: Ci, a: k, b: k
//   x       n, i, unfold(h, a), unfold(w, b)
//   w1      o, i, a, b
//
// Coordinates: names, split(i, j), high(i, B), low(i, B), shift(i), unfold(i, j), stride(i, S).
// Further weights are w2, ...; a line `expand  low(h, s)` lists coordinates that nothing else
// reads; # starts a comment. Refuses malformed documents and illegal operators, with line and
// column or with the field of the JSON.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/fingerprint.h"
#include "base/result.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// The shapes in the document's first line, as `problem_of` reads them.
struct DocumentShapes {
  std::string input, output;
};
Result<DocumentShapes> document_shapes(std::string_view document);

// Reads text, or JSON if it starts with a brace. Gives the canonical form, checked for all
// bindings.
Result<Operator> parse(const Problem& problem, std::string_view document);

// Writes the canonical form with derived names: parse(to_text(x)) == canonical(x), and likewise for
// JSON.
std::string to_text(const Problem& problem, const Operator& op);
std::string to_json(const Problem& problem, const Operator& op);
nlohmann::json json_of(const Problem& problem, const Operator& op);

// The name of the equations: the fingerprint of the text, with variables ordered by name. It
// depends on the names of variables. It does not depend on how the operator was built or written,
// on other variables of the problem, or on its bindings.
Fingerprint identity(const Problem& problem, const Operator& op);

}  // namespace cambium::spaces::coordinate
