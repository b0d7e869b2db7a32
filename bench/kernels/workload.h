// The operator shapes that kernels are measured on: the 48 of MetaSchedule's operator table (12
// families of four) and the five for which hand-written traces are kept. Each is a small model, so
// its kernel is lowered like any other.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "lower/layout.h"
#include "model/model.h"

namespace cambium::bench {

// The facts that a vendor library needs to do the same work.
struct ConvShape {
  std::vector<std::int64_t> input, output;  // N, C, spatial ...
  std::vector<std::int64_t> kernel, strides, pads, dilations;
  std::int64_t groups = 1;
  bool is_transposed = false;
  bool has_epilogue = false;  // bias and ReLU
  friend bool operator==(const ConvShape&, const ConvShape&) = default;
};
struct MatMulShape {
  std::int64_t batch, rows, columns, reduce;
  bool heads = false;  // operands and their order in memory as attention has them: [l, batch, d]
  bool has_weights = false;  // the right operand is a weight, so it may have any memory order
  friend bool operator==(const MatMulShape&, const MatMulShape&) = default;
};
struct SoftmaxShape {
  std::int64_t rows, columns;
  friend bool operator==(const SoftmaxShape&, const SoftmaxShape&) = default;
};
struct NormShape {
  std::int64_t elements;
  friend bool operator==(const NormShape&, const NormShape&) = default;
};
using Shape = std::variant<ConvShape, MatMulShape, SoftmaxShape, NormShape>;

struct Workload {
  std::string name;  // "C2D-2"
  Shape shape;
  double flops = 0;  // necessary operations: multiplications by inserted zeros do not count
  model::Model model;
  lower::Layouts layouts;  // channels last
};

std::vector<Workload> operator_table();    // the 48
std::vector<Workload> golden_workloads();  // the five
// Shapes that default schedules once served badly: narrow, with a ragged last vector, or small.
std::vector<Workload> weak_workloads();
// A convolution of 96 channels on 28x28 to `columns` channels, "W3x3-17".
Workload conv_of_width(std::int64_t kernel, std::int64_t columns);

}  // namespace cambium::bench
