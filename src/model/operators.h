// The operators of a Model, one struct each; model/op.h lists them.
//
// The set is smaller than ONNX's: whatever determines a shape is an attribute with its final value
// (a Model has concrete shapes), axes are counted from the front, defaults are written out, and
// what is only a change of view (Flatten, Squeeze, Unsqueeze, Shape, Constant ...) does not exist
// here.
//
// Semantics are those of the ONNX operator of the same name at opset 17, over these normal forms:
//  * pads are [begin of each spatial axis ..., end of each spatial axis ...];
//  * optional inputs only trail: an absent one is simply not there;
//  * integer arithmetic wraps; floating reductions are defined by their exact value, rounded once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.h"
#include "model/elementwise.h"
#include "model/tensor.h"

// Names the attributes of an operator once, for everything that walks over them: `fields(op, f)`
// calls f(name, member) for each.
#define CAMBIUM_FIELDS(...)                                           \
  template <class S, class F>                                         \
  static void fields([[maybe_unused]] S& s, [[maybe_unused]] F&& f) { \
    __VA_ARGS__;                                                      \
  }

namespace cambium::model {

// ---- leaves
struct Input {
  static constexpr std::string_view kName = "input";
  TensorType type;
  CAMBIUM_FIELDS()
};

// A constant tensor: a parameter, a statistic or a table. Its value is not a field: the text form
// and the fingerprint treat it by themselves.
struct Weight {
  static constexpr std::string_view kName = "weight";
  Tensor value;
  CAMBIUM_FIELDS()
};

// ---- contractions
struct Conv {  // x[N,C,spatial...], w[M,C/groups,kernel...], bias[M]?
  static constexpr std::string_view kName = "conv";
  Ints strides, pads, dilations;
  std::int64_t groups = 1;
  CAMBIUM_FIELDS(f("strides", s.strides), f("pads", s.pads), f("dilations", s.dilations),
                 f("groups", s.groups))
};

struct ConvTranspose {  // x[N,C,spatial...], w[C,M/groups,kernel...], bias[M]?
  static constexpr std::string_view kName = "conv_transpose";
  Ints strides, pads, dilations, output_padding;
  std::int64_t groups = 1;
  CAMBIUM_FIELDS(f("strides", s.strides), f("pads", s.pads), f("dilations", s.dilations),
                 f("output_padding", s.output_padding), f("groups", s.groups))
};

struct MatMul {  // as numpy.matmul, batch dimensions broadcast
  static constexpr std::string_view kName = "matmul";
  CAMBIUM_FIELDS()
};

struct Gemm {  // alpha * a' * b' + beta * c?, matrices
  static constexpr std::string_view kName = "gemm";
  double alpha = 1, beta = 1;
  bool transpose_a = false, transpose_b = false;
  CAMBIUM_FIELDS(f("alpha", s.alpha), f("beta", s.beta), f("transpose_a", s.transpose_a),
                 f("transpose_b", s.transpose_b))
};

struct Einsum {  // explicit form only: "bij,bjk->bik", no spaces, no ellipsis
  static constexpr std::string_view kName = "einsum";
  std::string equation;
  CAMBIUM_FIELDS(f("equation", s.equation))
};

// ---- normalizations
struct BatchNorm {  // x, scale[C], bias[C], mean[C], variance[C]; inference
  static constexpr std::string_view kName = "batch_norm";
  double epsilon = 1e-5;
  CAMBIUM_FIELDS(f("epsilon", s.epsilon))
};

struct LayerNorm {  // x, scale, bias?; over the axes from `axis` to the last
  static constexpr std::string_view kName = "layer_norm";
  std::int64_t axis = 0;
  double epsilon = 1e-5;
  CAMBIUM_FIELDS(f("axis", s.axis), f("epsilon", s.epsilon))
};

struct GroupNorm {  // x[N,C,...], scale[C], bias[C]; groups = C is instance normalization
  static constexpr std::string_view kName = "group_norm";
  std::int64_t groups = 1;
  double epsilon = 1e-5;
  CAMBIUM_FIELDS(f("groups", s.groups), f("epsilon", s.epsilon))
};

// ---- elementwise
struct Unary {
  static constexpr std::string_view kName = "unary";
  UnaryFn fn = UnaryFn::Relu;
  CAMBIUM_FIELDS(f("fn", s.fn))
};

// Unary functions with parameters: LeakyRelu(alpha), Elu(alpha), HardSigmoid(alpha, beta),
// Clip(alpha = lowest, beta = highest) ... (elementwise.h says which parameter means what).
struct Activation {
  static constexpr std::string_view kName = "activation";
  ActivationFn fn = ActivationFn::Clip;
  double alpha = 0, beta = 0;
  CAMBIUM_FIELDS(f("fn", s.fn), f("alpha", s.alpha), f("beta", s.beta))
};

struct Binary {  // broadcasts as numpy
  static constexpr std::string_view kName = "binary";
  BinaryFn fn = BinaryFn::Add;
  CAMBIUM_FIELDS(f("fn", s.fn))
};

struct Where {  // condition, then, otherwise; broadcasts
  static constexpr std::string_view kName = "where";
  CAMBIUM_FIELDS()
};

struct Cast {
  static constexpr std::string_view kName = "cast";
  DType to = DType::F32;
  CAMBIUM_FIELDS(f("to", s.to))
};

struct Softmax {
  static constexpr std::string_view kName = "softmax";
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("axis", s.axis))
};

struct LogSoftmax {
  static constexpr std::string_view kName = "log_softmax";
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("axis", s.axis))
};

// ---- reductions
struct Pool {  // Max has a second output, the flat index of each maximum, when `with_indices`
  static constexpr std::string_view kName = "pool";
  PoolFn fn = PoolFn::Max;
  Ints kernel, strides, pads, dilations;
  bool ceil_mode = false, count_include_pad = false;
  bool with_indices = false, column_major_indices = false;
  CAMBIUM_FIELDS(f("fn", s.fn), f("kernel", s.kernel), f("strides", s.strides), f("pads", s.pads),
                 f("dilations", s.dilations), f("ceil_mode", s.ceil_mode),
                 f("count_include_pad", s.count_include_pad), f("with_indices", s.with_indices),
                 f("column_major_indices", s.column_major_indices))
};

struct Reduce {  // axes sorted; GlobalAveragePool is a Mean over the spatial axes that keeps them
  static constexpr std::string_view kName = "reduce";
  ReduceFn fn = ReduceFn::Mean;
  Ints axes;
  bool keep = true;
  CAMBIUM_FIELDS(f("fn", s.fn), f("axes", s.axes), f("keep", s.keep))
};

struct ArgReduce {  // the index of the extremum along one axis, as i64
  static constexpr std::string_view kName = "arg_reduce";
  bool maximum = true, last = false, keep = true;
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("maximum", s.maximum), f("last", s.last), f("keep", s.keep), f("axis", s.axis))
};

// ---- movement
struct Concat {
  static constexpr std::string_view kName = "concat";
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("axis", s.axis))
};

struct Split {  // one output per size
  static constexpr std::string_view kName = "split";
  std::int64_t axis = 0;
  Ints sizes;
  CAMBIUM_FIELDS(f("axis", s.axis), f("sizes", s.sizes))
};

struct Slice {  // one entry per axis: out[i] = x[start + i * step], i < extent; step may be
                // negative
  static constexpr std::string_view kName = "slice";
  Ints starts, extents, steps;
  CAMBIUM_FIELDS(f("starts", s.starts), f("extents", s.extents), f("steps", s.steps))
};

struct Gather {  // data, indices (i32 or i64; negative ones count from the end)
  static constexpr std::string_view kName = "gather";
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("axis", s.axis))
};

struct Reshape {
  static constexpr std::string_view kName = "reshape";
  Ints dims;
  CAMBIUM_FIELDS(f("dims", s.dims))
};

struct Transpose {
  static constexpr std::string_view kName = "transpose";
  Ints perm;
  CAMBIUM_FIELDS(f("perm", s.perm))
};

struct Expand {  // `dims` is the shape of the result
  static constexpr std::string_view kName = "expand";
  Ints dims;
  CAMBIUM_FIELDS(f("dims", s.dims))
};

struct Tile {
  static constexpr std::string_view kName = "tile";
  Ints repeats;
  CAMBIUM_FIELDS(f("repeats", s.repeats))
};

struct Pad {  // pads as [begin of each axis ..., end of each axis ...]; negative ones crop
  static constexpr std::string_view kName = "pad";
  PadMode mode = PadMode::Constant;
  Ints pads;
  double value = 0;
  CAMBIUM_FIELDS(f("mode", s.mode), f("pads", s.pads), f("value", s.value))
};

struct Resize {  // nearest neighbour; out[i] reads x[round(coordinate(i))]
  static constexpr std::string_view kName = "resize";
  Ints sizes;                  // the shape of the result
  std::vector<double> scales;  // one per axis, as the coordinate formula uses them
  std::string coordinates;     // ONNX coordinate_transformation_mode
  std::string rounding;        // ONNX nearest_mode
  CAMBIUM_FIELDS(f("sizes", s.sizes), f("scales", s.scales), f("coordinates", s.coordinates),
                 f("rounding", s.rounding))
};

struct DepthToSpace {
  static constexpr std::string_view kName = "depth_to_space";
  std::int64_t block = 1;
  bool column_row_depth = false;  // ONNX mode CRD; otherwise DCR
  CAMBIUM_FIELDS(f("block", s.block), f("column_row_depth", s.column_row_depth))
};

struct SpaceToDepth {
  static constexpr std::string_view kName = "space_to_depth";
  std::int64_t block = 1;
  CAMBIUM_FIELDS(f("block", s.block))
};

}  // namespace cambium::model
