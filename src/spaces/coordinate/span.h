// The exact set of functions that an operator with at most one weight can be trained to. Its linear
// maps of the input, for all values of the weight, form a vector space; the hash is that of its
// reduced basis. Unlike the semantic fingerprint, it knows that numbers which always occur as a sum
// are as good as one number. It looks at everything, so it is for tests and small sizes. More than
// one weight is a bug.
#pragma once

#include "base/fingerprint.h"
#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

// Expects a legal operator. Refuses what `bind` refuses (bound.h).
Result<Fingerprint> span_of(const Operator& op, const expr::Binding& binding);

}  // namespace cambium::spaces::coordinate
