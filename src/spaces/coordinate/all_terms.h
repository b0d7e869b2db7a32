// What an operator computes at one binding, from all of its terms. Operators that are equal up to
// the order of their weights, and up to a permutation of the elements of each weight, have equal
// results. The semantic fingerprint (semantic.h) means the same, but must be quick and looks at
// some terms only. This function looks at all terms and shares no code with it, so tests compare
// the two at small sizes.
#pragma once

#include "base/fingerprint.h"
#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

// Tells elements of weights apart by what they are multiplied with, and repeats that until nothing
// changes. Expects a legal operator. Refuses what `bind` refuses (bound.h), and more terms than the
// limit (SizeOutOfRange).
Result<Fingerprint> fingerprint_of_all_terms(const Operator& op, const expr::Binding& binding,
                                             std::int64_t most = 1 << 22);

}  // namespace cambium::spaces::coordinate
