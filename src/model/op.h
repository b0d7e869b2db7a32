// Op: one of the operators of model/operators.h, generated from one list. The text form, the
// fingerprint and the test that every operator has a test use this list and each operator's
// `fields`.
#pragma once

#include <string_view>
#include <variant>

#include "base/fingerprint.h"
#include "model/operators.h"

// clang-format off
// X(struct, name, fewest inputs, most inputs (-1: any number), outputs (-1: by the attributes))
#define CAMBIUM_FOR_EACH_OP(X)                              \
  X(Input,         "input",           0,  0,  1)            \
  X(Weight,        "weight",          0,  0,  1)            \
  X(Conv,          "conv",            2,  3,  1)            \
  X(ConvTranspose, "conv_transpose",  2,  3,  1)            \
  X(MatMul,        "matmul",          2,  2,  1)            \
  X(Gemm,          "gemm",            2,  3,  1)            \
  X(Einsum,        "einsum",          1,  -1, 1)            \
  X(BatchNorm,     "batch_norm",      5,  5,  1)            \
  X(LayerNorm,     "layer_norm",      2,  3,  1)            \
  X(GroupNorm,     "group_norm",      3,  3,  1)            \
  X(Unary,         "unary",           1,  1,  1)            \
  X(Activation,    "activation",      1,  1,  1)            \
  X(Binary,        "binary",          2,  2,  1)            \
  X(Where,         "where",           3,  3,  1)            \
  X(Cast,          "cast",            1,  1,  1)            \
  X(Softmax,       "softmax",         1,  1,  1)            \
  X(LogSoftmax,    "log_softmax",     1,  1,  1)            \
  X(Pool,          "pool",            1,  1,  -1)           \
  X(Reduce,        "reduce",          1,  1,  1)            \
  X(ArgReduce,     "arg_reduce",      1,  1,  1)            \
  X(Concat,        "concat",          1,  -1, 1)            \
  X(Split,         "split",           1,  1,  -1)           \
  X(Slice,         "slice",           1,  1,  1)            \
  X(Gather,        "gather",          2,  2,  1)            \
  X(Reshape,       "reshape",         1,  1,  1)            \
  X(Transpose,     "transpose",       1,  1,  1)            \
  X(Expand,        "expand",          1,  1,  1)            \
  X(Tile,          "tile",            1,  1,  1)            \
  X(Pad,           "pad",             1,  1,  1)            \
  X(Resize,        "resize",          1,  1,  1)            \
  X(DepthToSpace,  "depth_to_space",  1,  1,  1)            \
  X(SpaceToDepth,  "space_to_depth",  1,  1,  1)            \
  X(Composite,     "composite",       1,  -1, -1)
// clang-format on

namespace cambium::model {

namespace detail {
template <class First, class... Rest>
struct OpVariant {
  using type = std::variant<Rest...>;
};
}  // namespace detail

#define CAMBIUM_X(op, name, fewest, most, outputs) , op
using Op = detail::OpVariant<void CAMBIUM_FOR_EACH_OP(CAMBIUM_X)>::type;
#undef CAMBIUM_X

struct Arity {
  int fewest_inputs, most_inputs, outputs;  // -1: any number, or it depends on the attributes
};
Arity arity_of(const Op& op);
std::string_view kind_of(const Op& op);  // the name in the list
// The usual name: the kind, or for families the function: "relu", "add", "reduce_mean".
std::string_view name_of(const Op& op);
// A fingerprint of the operator and its attributes. Input and Weight count only by kind.
Fingerprint fields_fingerprint(const Op& op);

}  // namespace cambium::model
