// What an operator computes at one binding, from all of its terms: equal for operators that are the
// same up to the order of their weights and a permutation of the elements of each, as the semantic
// fingerprint means it. That one looks at some terms and must be quick; this one looks at all and
// shares no code with it, so that the one can be held against the other: for tests and small sizes.
#pragma once

#include "base/fingerprint.h"
#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

// Elements of weights are told apart by what they are multiplied with, again and again until that
// tells no more. Expects a legal operator. Refuses what `bind` refuses (bound.h), and
// SizeOutOfRange more than so many terms.
Result<Fingerprint> fingerprint_of_all_terms(const Operator& op, const expr::Binding& binding,
                                             std::int64_t most = 1 << 22);

}  // namespace cambium::spaces::coordinate
