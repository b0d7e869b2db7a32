// The functions that an operator of at most one weight can be trained to, exactly: its linear maps
// of the input for all values of the weight are a vector space, and its reduced basis is hashed.
// Unlike the semantic fingerprint it knows that numbers which always come as a sum are as good as
// one, but it looks at everything: for tests and small sizes. More weights are a bug.
#pragma once

#include "base/fingerprint.h"
#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

// Expects a legal operator. Refuses what `bind` refuses (bound.h).
Result<Fingerprint> span_of(const Operator& op, const expr::Binding& binding);

}  // namespace cambium::spaces::coordinate
