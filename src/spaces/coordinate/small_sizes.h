// Small numbers for the variables of a problem, at which operators can be told apart quickly. They
// follow from the problem alone, so that equal operators meet at equal sizes; what an operator
// needs to divide decides only which of a few rungs of a ladder it stands on. The semantic
// fingerprint uses these.
#pragma once

#include <vector>

#include "expr/binding.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

// The ladder, small sizes first. Different variables get different values, unless they are equal in
// every binding of the problem; coefficients become primes, first those that divide no axis
// (windows); each primary variable is divisible by all coefficients that divide it in every
// binding: by each once at first, more often on higher rungs, where coefficients also divide each
// other as they do in the bindings. The last rung is the smallest binding of the problem itself,
// where everything legal is an integer.
std::vector<expr::Binding> small_sizes(const Problem& problem);

}  // namespace cambium::spaces::coordinate
