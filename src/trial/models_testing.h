// Small operators as tuning tasks. For the tests of this folder.
#pragma once

#include <vector>

#include "model/builder.h"
#include "trial/tasks.h"

namespace cambium::trial {

inline model::Tensor random_weight(const std::vector<std::int64_t>& dims, std::uint64_t seed) {
  return model::Tensor::lazy({DType::F32, dims}, {model::Fill::Law::Uniform, 0.5, seed});
}

// A 3 x 3 convolution over `size` x `size` pixels, channels last, with a bias and a relu or
// without.
inline Result<TuningTask> conv_task(std::int64_t channels, std::int64_t size, std::int64_t outputs,
                                    bool is_fused, int threads = 1) {
  model::Builder b("conv2d");
  const model::Value x = b.input("x", {DType::F32, {1, channels, size, size}});
  std::vector<model::Value> inputs{x, b.weight("w", random_weight({outputs, channels, 3, 3}, 7))};
  if (is_fused) inputs.push_back(b.weight("bias", random_weight({outputs}, 8)));
  const model::Value conv = b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, inputs, "conv");
  std::vector<model::Value> images{x, conv};
  if (is_fused) images.push_back(b.add(model::Unary{model::UnaryFn::Relu}, {conv}, "relu"));
  b.output("y", images.back());
  CAMBIUM_TRY(const model::Model model, std::move(b).finish());
  lower::Layouts layouts;
  for (const model::Value image : images) layouts.set(image, lower::channels_last(4));
  return task_of(model, layouts, threads);
}

// Of two inputs.
inline Result<TuningTask> matmul_task(std::int64_t rows, std::int64_t columns, std::int64_t sum) {
  model::Builder b("matmul");
  const model::Value a = b.input("a", {DType::F32, {rows, sum}});
  const model::Value c = b.input("c", {DType::F32, {sum, columns}});
  b.output("y", b.add(model::MatMul{}, {a, c}, "matmul"));
  CAMBIUM_TRY(const model::Model model, std::move(b).finish());
  return task_of(model, {}, 1);
}

inline Result<TuningTask> softmax_task(std::int64_t rows, std::int64_t columns) {
  model::Builder b("softmax");
  const model::Value x = b.input("x", {DType::F32, {rows, columns}});
  b.output("y", b.add(model::Softmax{1}, {x}, "softmax"));
  CAMBIUM_TRY(const model::Model model, std::move(b).finish());
  return task_of(model, {}, 1);
}

// The root of the sum of all squares.
inline Result<TuningTask> norm_task(std::int64_t rows, std::int64_t columns) {
  model::Builder b("norm");
  const model::Value x = b.input("x", {DType::F32, {rows, columns}});
  b.output("y", b.add(model::Reduce{model::ReduceFn::L2, {0, 1}, false}, {x}, "norm"));
  CAMBIUM_TRY(const model::Model model, std::move(b).finish());
  return task_of(model, {}, 1);
}

}  // namespace cambium::trial
