// Documents: operators as text or JSON that a person reads and writes by hand.
//
//   operator [N, Ci, H, W] -> [N, Co, H, W]
//   out     n, o, h, w
//   sum     i: Ci, a: k, b: k
//   x       n, i, unfold(h, a), unfold(w, b)
//   w1      o, i, a, b
//
// Coordinates: names, split(i, j), high(i, B), low(i, B), shift(i), unfold(i, j), stride(i, S).
// Further weights are w2, ...; a line `expand  low(h, s)` lists what nothing else reads; # begins a
// comment. Refuses with line and column, or the field of the JSON, what is malformed or illegal.
#pragma once

#include <string>
#include <string_view>

#include "base/fingerprint.h"
#include "base/result.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// The shapes that a document is for, as `problem_of` reads them.
struct DocumentShapes {
  std::string input, output;
};
Result<DocumentShapes> document_shapes(std::string_view document);

// Text, or JSON if it begins with a brace. Gives the canonical form, checked for all bindings.
Result<Operator> parse(const Problem& problem, std::string_view document);

// The canonical form in derived names: parse(to_text(x)) == canonical(x), and the same for JSON.
std::string to_text(const Problem& problem, const Operator& op);
std::string to_json(const Problem& problem, const Operator& op);

// Names the equations: the fingerprint of the text, with variables ordered by name. What variables
// are called matters; how the operator was built or written, what else the problem declares and
// what its bindings are does not.
Fingerprint identity(const Problem& problem, const Operator& op);

}  // namespace cambium::spaces::coordinate
