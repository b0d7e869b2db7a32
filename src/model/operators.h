// The operators of a Model, one struct each; model/op.h lists them.
//
// The set is smaller than ONNX's. Attributes that determine a shape have their final values (a
// Model has concrete shapes), axes are counted from the front, and defaults are written out.
// Operators that only change the view (Flatten, Squeeze, Unsqueeze, Shape, Constant ...) do not
// exist.
//
// The semantics are those of the ONNX operator of the same name at opset 17, with these normal
// forms:
//  * pads are [begin of each spatial axis ..., end of each spatial axis ...];
//  * optional inputs come last, and absent ones are omitted;
//  * integer arithmetic wraps; floating-point reductions are the exact value, rounded once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/fields.h"
#include "model/elementwise.h"
#include "model/tensor.h"

namespace cambium::model {

class Model;

// ---- leaves
struct Input {
  TensorType type;
  CAMBIUM_FIELDS()
};

// A constant tensor: a parameter, a statistic or a table. The text form and the fingerprint handle
// its value separately, so the value is not a field.
struct Weight {
  Tensor value;
  CAMBIUM_FIELDS()
};

// ---- contractions
struct Conv {  // x[N,C,spatial...], w[M,C/groups,kernel...], bias[M]?
  Ints strides, pads, dilations;
  std::int64_t groups = 1;
  CAMBIUM_FIELDS(f("strides", s.strides), f("pads", s.pads), f("dilations", s.dilations),
                 f("groups", s.groups))
};

struct ConvTranspose {  // x[N,C,spatial...], w[C,M/groups,kernel...], bias[M]?
  Ints strides, pads, dilations, output_padding;
  std::int64_t groups = 1;
  CAMBIUM_FIELDS(f("strides", s.strides), f("pads", s.pads), f("dilations", s.dilations),
                 f("output_padding", s.output_padding), f("groups", s.groups))
};

struct MatMul {  // like numpy.matmul: batch dimensions broadcast
  CAMBIUM_FIELDS()
};

struct Gemm {  // alpha * a' * b' + beta * c?, matrices
  double alpha = 1, beta = 1;
  bool transpose_a = false, transpose_b = false;
  CAMBIUM_FIELDS(f("alpha", s.alpha), f("beta", s.beta), f("transpose_a", s.transpose_a),
                 f("transpose_b", s.transpose_b))
};

struct Einsum {  // explicit form only: "bij,bjk->bik", no spaces, no ellipsis
  std::string equation;
  CAMBIUM_FIELDS(f("equation", s.equation))
};

// ---- normalizations
struct BatchNorm {  // x, scale[C], bias[C], mean[C], variance[C]; inference
  double epsilon = 1e-5;
  CAMBIUM_FIELDS(f("epsilon", s.epsilon))
};

struct LayerNorm {  // x, scale, bias?; over the axes from `axis` to the last
  std::int64_t axis = 0;
  double epsilon = 1e-5;
  CAMBIUM_FIELDS(f("axis", s.axis), f("epsilon", s.epsilon))
};

struct GroupNorm {  // x[N,C,...], scale[C], bias[C]; groups = C is instance normalization
  std::int64_t groups = 1;
  double epsilon = 1e-5;
  CAMBIUM_FIELDS(f("groups", s.groups), f("epsilon", s.epsilon))
};

// ---- elementwise
struct Unary {
  UnaryFn fn = UnaryFn::Relu;
  CAMBIUM_FIELDS(f("fn", s.fn))
};

// Unary functions with parameters: LeakyRelu(alpha), Elu(alpha), HardSigmoid(alpha, beta),
// Clip(alpha = lowest, beta = highest) ... elementwise.h defines the parameters.
struct Activation {
  ActivationFn fn = ActivationFn::Clip;
  double alpha = 0, beta = 0;
  CAMBIUM_FIELDS(f("fn", s.fn), f("alpha", s.alpha), f("beta", s.beta))
};

struct Binary {  // broadcasts as numpy
  BinaryFn fn = BinaryFn::Add;
  CAMBIUM_FIELDS(f("fn", s.fn))
};

struct Where {  // condition, then, otherwise; broadcasts
  CAMBIUM_FIELDS()
};

struct Cast {
  DType to = DType::F32;
  CAMBIUM_FIELDS(f("to", s.to))
};

struct Softmax {
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("axis", s.axis))
};

struct LogSoftmax {
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("axis", s.axis))
};

// ---- reductions
struct Pool {  // Max has a second output, the flat index of each maximum, when `with_indices`
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
  ReduceFn fn = ReduceFn::Mean;
  Ints axes;
  bool keep = true;
  CAMBIUM_FIELDS(f("fn", s.fn), f("axes", s.axes), f("keep", s.keep))
};

struct ArgReduce {  // the index of the extremum along one axis, as i64
  bool maximum = true, last = false, keep = true;
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("maximum", s.maximum), f("last", s.last), f("keep", s.keep), f("axis", s.axis))
};

// ---- movement
struct Concat {
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("axis", s.axis))
};

struct Split {  // one output per size
  std::int64_t axis = 0;
  Ints sizes;
  CAMBIUM_FIELDS(f("axis", s.axis), f("sizes", s.sizes))
};

struct Slice {  // one entry per axis: out[i] = x[start + i * step], i < extent; step may be
                // negative
  Ints starts, extents, steps;
  CAMBIUM_FIELDS(f("starts", s.starts), f("extents", s.extents), f("steps", s.steps))
};

struct Gather {  // data, indices (i32 or i64; negative ones count from the end)
  std::int64_t axis = 0;
  CAMBIUM_FIELDS(f("axis", s.axis))
};

struct Reshape {
  Ints dims;
  CAMBIUM_FIELDS(f("dims", s.dims))
};

struct Transpose {
  Ints perm;
  CAMBIUM_FIELDS(f("perm", s.perm))
};

struct Expand {  // `dims` is the shape of the result
  Ints dims;
  CAMBIUM_FIELDS(f("dims", s.dims))
};

struct Tile {
  Ints repeats;
  CAMBIUM_FIELDS(f("repeats", s.repeats))
};

struct Pad {  // pads as [begin of each axis ..., end of each axis ...]; negative ones crop
  PadMode mode = PadMode::Constant;
  Ints pads;
  double value = 0;
  CAMBIUM_FIELDS(f("mode", s.mode), f("pads", s.pads), f("value", s.value))
};

struct Resize {                // nearest neighbour; out[i] reads x[round(coordinate(i))]
  Ints sizes;                  // the shape of the result
  std::vector<double> scales;  // one per axis, as the coordinate formula uses them
  std::string coordinates;     // ONNX coordinate_transformation_mode
  std::string rounding;        // ONNX nearest_mode
  CAMBIUM_FIELDS(f("sizes", s.sizes), f("scales", s.scales), f("coordinates", s.coordinates),
                 f("rounding", s.rounding))
};

struct DepthToSpace {
  std::int64_t block = 1;
  bool column_row_depth = false;  // ONNX mode CRD; otherwise DCR
  CAMBIUM_FIELDS(f("block", s.block), f("column_row_depth", s.column_row_depth))
};

struct SpaceToDepth {
  std::int64_t block = 1;
  CAMBIUM_FIELDS(f("block", s.block))
};

// ---- rewritten places
struct Composite {                    // has the inputs and outputs of the body, in order
  std::string space, document;        // the space, and its text of the edit
  std::shared_ptr<const Model> body;  // the computation in standard operators, without Composites
                                      // or weights, which are inputs (model/composite.h)
  CAMBIUM_FIELDS(f("space", s.space), f("document", s.document), f("body", s.body))
};

}  // namespace cambium::model
