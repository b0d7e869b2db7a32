// Nest: a convolution that is lowered alone. Documents of this space rewrite it. Every site with
// the same attributes and shapes has the same nest, so callers keep one for each shape. Refuses
// what the builder refuses of a convolution that does not fit its input.
#pragma once

#include <string>

#include "base/result.h"
#include "lower/nest_form.h"
#include "model/operators.h"
#include "program/context.h"
#include "schedule/recipe/canonical.h"
#include "schedule/recipe/function.h"

namespace cambium::spaces::loopnest {

struct Nest {
  program::Program program;       // parameters: the input x, the constant weight, the output y
  std::string block;              // the sum of products
  schedule::NestSizes sizes;      // of its normal form
  schedule::Function original{};  // what it computes before any document
};

// `filter` and `input` are dimensions of the weight [Co, Ci / groups, taps...] and of x, whose
// first is the batch.
Result<Nest> nest_of(program::Context& cx, const model::Conv& conv, const model::Ints& filter,
                     const model::Ints& input);
Result<Nest> nest_of(program::Context& cx, const lower::NestForm& form, const model::Ints& input);

}  // namespace cambium::spaces::loopnest
