// Op: one of the operators of model/operators.h, by one list. The text form, the fingerprint and
// the "every operator has a test" test come from the list and from each operator's `fields`.
#pragma once

#include <string_view>
#include <variant>

#include "base/fingerprint.h"
#include "model/operators.h"

// clang-format off
// X(struct, fewest inputs, most inputs (-1: any number), outputs (-1: depends on the attributes))
#define CAMBIUM_FOR_EACH_OP(X)                                                                    \
  X(Input, 0, 0, 1)        X(Weight, 0, 0, 1)       X(Conv, 2, 3, 1)       X(ConvTranspose, 2, 3, 1) \
  X(MatMul, 2, 2, 1)       X(Gemm, 2, 3, 1)         X(Einsum, 1, -1, 1)                            \
  X(BatchNorm, 5, 5, 1)    X(LayerNorm, 2, 3, 1)    X(GroupNorm, 3, 3, 1)                          \
  X(Unary, 1, 1, 1)        X(Activation, 1, 1, 1)       X(Binary, 2, 2, 1)     X(Where, 3, 3, 1)       \
  X(Cast, 1, 1, 1)         X(Softmax, 1, 1, 1)      X(LogSoftmax, 1, 1, 1)                         \
  X(Pool, 1, 1, -1)        X(Reduce, 1, 1, 1)       X(ArgReduce, 1, 1, 1)                          \
  X(Concat, 1, -1, 1)      X(Split, 1, 1, -1)       X(Slice, 1, 1, 1)      X(Gather, 2, 2, 1)      \
  X(Reshape, 1, 1, 1)      X(Transpose, 1, 1, 1)    X(Expand, 1, 1, 1)     X(Tile, 1, 1, 1)        \
  X(Pad, 1, 1, 1)          X(Resize, 1, 1, 1)       X(DepthToSpace, 1, 1, 1)                       \
  X(SpaceToDepth, 1, 1, 1)
// clang-format on

namespace cambium::model {

namespace detail {
template <class First, class... Rest>
struct OpVariant {
  using type = std::variant<Rest...>;
};
}  // namespace detail

#define CAMBIUM_X(op, fewest, most, outputs) , op
using Op = detail::OpVariant<void CAMBIUM_FOR_EACH_OP(CAMBIUM_X)>::type;
#undef CAMBIUM_X

struct Arity {
  int fewest_inputs, most_inputs, outputs;  // -1: any number; depends on the attributes
};
Arity arity_of(const Op& op);
std::string_view name_of(
    const Op& op);  // "conv"; for the elementwise and reduction families the
                    // function's name: "relu", "add", "reduce_mean", "max_pool"
// Of the operator and its attributes; of Input and Weight only the kind.
Fingerprint fields_fingerprint(const Op& op);

}  // namespace cambium::model
