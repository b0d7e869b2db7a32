#include "lower/operator_cases.h"

#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "base/random.h"
#include "model/builder.h"
#include "model/convert.h"

namespace cambium::lower {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): nearly all operators are named

constexpr DType kWhole[] = {DType::I8, DType::I16, DType::I32, DType::I64,
                            DType::U8, DType::U16, DType::U32, DType::U64};
constexpr DType kFloating[] = {DType::F64, DType::F16, DType::BF16};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::string text(DType dtype) {
  return std::string(name_of(dtype));
}

Tensor floats(Ints dims, std::uint64_t seed = 1) {
  return random_tensor(DType::F32, std::move(dims), seed);
}

OperatorCase conv(const std::string& name, Conv op, Ints x, Ints w, bool bias = true,
                  DType dtype = DType::F32) {
  OperatorCase made{"conv_" + name, std::move(op), {}, 1};
  made.inputs = {random_tensor(dtype, std::move(x), 1), random_tensor(dtype, w, 2)};
  if (bias) made.inputs.push_back(random_tensor(dtype, {w[0]}, 3));
  return made;
}

OperatorCase transposed(const std::string& name, ConvTranspose op, Ints x, Ints w,
                        bool bias = true) {
  OperatorCase made{"conv_transpose_" + name, op, {floats(std::move(x)), floats(w, 2)}, 1};
  if (bias) made.inputs.push_back(floats({w[1] * op.groups}, 3));
  return made;
}

// A vector of these numbers.
Tensor vector_of(DType dtype, const std::vector<double>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * static_cast<std::size_t>(size_of(dtype)));
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = reinterpret_cast<T*>(bytes.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) out[i] = convert<T>(numbers[i]);
  });
  return Tensor({dtype, {static_cast<std::int64_t>(numbers.size())}}, std::move(bytes));
}

}  // namespace

Tensor random_tensor(DType dtype, Ints dims, std::uint64_t seed) {
  Rng rng(seed);
  const TensorType type{dtype, std::move(dims)};
  std::vector<std::byte> bytes(static_cast<std::size_t>(type.bytes()));
  visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* out = reinterpret_cast<T*>(bytes.data());
    for (std::int64_t i = 0; i < type.elements(); ++i) {
      if constexpr (is_float_element<T>) {
        out[i] = convert<T>(rng.uniform(-3, 3));
      } else {
        out[i] = convert<T>(std::is_signed_v<T> ? rng.between(-9, 9)
                                                : rng.between(0, std::is_same_v<T, bool> ? 1 : 9));
      }
    }
  });
  return Tensor(type, std::move(bytes));
}

Model model_of(const OperatorCase& given) {
  Builder builder(given.name);
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < given.inputs.size(); ++i) {
    const std::string name = "x" + std::to_string(i);
    inputs.push_back(i >= given.first_weight ? builder.weight(name, given.inputs[i])
                                             : builder.input(name, given.inputs[i].type()));
  }
  const Value first = builder.add(given.op, inputs, "y");
  const std::size_t outputs = builder.ok() ? builder.node(first.node).outputs.size() : 0;
  for (std::uint32_t slot = 0; slot < outputs; ++slot) {
    builder.output("out" + std::to_string(slot), {first.node, slot});
  }
  return std::move(builder).finish().value();
}

std::vector<OperatorCase> convolution_cases() {
  std::vector<OperatorCase> cases{
      conv("plain", {{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {2, 3, 6, 7}, {4, 3, 3, 2}),
      conv("padded", {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, {1, 3, 6, 6}, {5, 3, 3, 3}, false),
      conv("strided", {{2, 3}, {1, 0, 2, 1}, {1, 1}, 1}, {1, 2, 9, 8}, {3, 2, 3, 3}),
      conv("dilated", {{1, 2}, {2, 1, 0, 3}, {2, 3}, 1}, {1, 2, 8, 9}, {2, 2, 3, 2}),
      conv("pointwise", {{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {1, 6, 4, 4}, {5, 6, 1, 1}, false),
      conv("grouped", {{1, 1}, {1, 1, 1, 1}, {1, 1}, 2}, {2, 4, 5, 5}, {6, 2, 3, 3}),
      conv("depthwise", {{2, 2}, {1, 1, 1, 1}, {1, 1}, 6}, {1, 6, 7, 7}, {6, 1, 3, 3}),
      conv("multiplied", {{1, 1}, {1, 1, 0, 0}, {1, 1}, 3}, {1, 3, 5, 5}, {6, 1, 2, 2}, false),
      conv("one_channel", {{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {1, 1, 5, 5}, {2, 1, 3, 3}),
      conv("1d", {{2}, {1, 2}, {1}, 1}, {2, 3, 9}, {4, 3, 3}),
      conv("3d", {{1, 2, 1}, {1, 0, 1, 0, 1, 1}, {1, 1, 2}, 1}, {1, 2, 4, 5, 6}, {3, 2, 2, 3, 2}),
      conv("4d", {{1, 1, 1, 1}, {0, 1, 0, 0, 0, 0, 1, 0}, {1, 1, 1, 1}, 1}, {1, 2, 3, 2, 3, 2},
           {2, 2, 2, 2, 2, 2}),
      transposed("plain", {{1, 1}, {0, 0, 0, 0}, {1, 1}, {0, 0}, 1}, {1, 3, 4, 5}, {3, 2, 3, 3}),
      transposed("even", {{2, 2}, {1, 1, 1, 1}, {1, 1}, {0, 0}, 1}, {2, 3, 4, 3}, {3, 4, 4, 4},
                 false),
      transposed("aligned", {{2, 2}, {2, 2, 2, 2}, {1, 1}, {0, 0}, 1}, {1, 2, 5, 4}, {2, 3, 4, 4}),
      transposed("few_channels", {{2, 2}, {1, 1, 1, 1}, {1, 1}, {0, 0}, 1}, {2, 9, 4, 3},
                 {9, 3, 4, 4}),
      transposed("few_channels_cropped", {{2, 3}, {3, 0, 0, 1}, {1, 1}, {1, 0}, 1}, {1, 8, 4, 3},
                 {8, 2, 4, 3}),
      transposed("uneven", {{2, 3}, {1, 0, 0, 1}, {1, 1}, {1, 0}, 1}, {1, 2, 4, 3}, {2, 3, 3, 4}),
      transposed("short_kernel", {{3, 3}, {0, 0, 0, 0}, {1, 1}, {1, 2}, 1}, {1, 2, 3, 3},
                 {2, 2, 2, 1}),
      transposed("cropped", {{2, 1}, {3, 4, 3, 2}, {1, 1}, {0, 0}, 1}, {1, 2, 6, 7}, {2, 2, 3, 2},
                 false),
      transposed("dilated", {{1, 1}, {1, 2, 0, 1}, {2, 3}, {0, 0}, 1}, {1, 2, 4, 4}, {2, 3, 3, 2}),
      transposed("dilated_strided", {{2, 3}, {1, 1, 2, 0}, {3, 2}, {1, 2}, 1}, {1, 2, 4, 3},
                 {2, 3, 3, 2}),
      transposed("grouped", {{2, 2}, {1, 1, 1, 1}, {1, 1}, {0, 0}, 2}, {1, 4, 3, 3}, {4, 3, 4, 4}),
      transposed("depthwise", {{2, 2}, {1, 1, 1, 1}, {1, 1}, {1, 1}, 4}, {1, 4, 3, 3},
                 {4, 1, 3, 3}),
      transposed("1d", {{2}, {0, 1}, {1}, {1}, 1}, {2, 3, 5}, {3, 2, 4}),
      transposed("3d", {{2, 1, 2}, {0, 0, 1, 0, 0, 1}, {1, 1, 1}, {0, 0, 0}, 1}, {1, 2, 2, 3, 3},
                 {2, 2, 2, 2, 4}),
  };
  for (const DType dtype : kFloating) {
    cases.push_back(conv(text(dtype), {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, {1, 2, 4, 4}, {3, 2, 3, 3},
                         dtype != DType::F16, dtype));
  }
  OperatorCase computed_filter =
      conv("computed_filter", {{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, {1, 2, 4, 4}, {3, 2, 3, 3});
  computed_filter.first_weight = 99;
  cases.push_back(std::move(computed_filter));
  return cases;
}

std::vector<OperatorCase> product_cases() {
  std::vector<OperatorCase> cases{
      {"matmul", MatMul{}, {floats({5, 7}), floats({7, 3}, 2)}, 1},
      {"matmul_batch", MatMul{}, {floats({2, 3, 4, 5}), floats({3, 5, 2}, 2)}},
      {"matmul_stretched", MatMul{}, {floats({2, 1, 4, 5}), floats({1, 3, 5, 2}, 2)}},
      {"matmul_vector_left", MatMul{}, {floats({5}), floats({2, 5, 3}, 2)}},
      {"matmul_vector_right", MatMul{}, {floats({2, 3, 5}), floats({5}, 2)}},
      {"matmul_vectors", MatMul{}, {floats({5}), floats({5}, 2)}},
      {"gemm", Gemm{1, 1, false, false}, {floats({4, 5}), floats({5, 3}, 2)}, 1},
      {"gemm_bias", Gemm{1, 1, false, true}, {floats({4, 5}), floats({3, 5}, 2), floats({3}, 3)}},
      {"gemm_scaled",
       Gemm{0.5, 2, true, false},
       {floats({5, 4}), floats({5, 3}, 2), floats({4, 1}, 3)}},
      {"gemm_alpha", Gemm{2, 1, true, true}, {floats({5, 4}), floats({3, 5}, 2)}},
      {"gemm_scalar", Gemm{1, 3, false, false}, {floats({4, 5}), floats({5, 3}, 2), floats({}, 3)}},
      {"einsum_matmul", Einsum{"bij,bjk->bik"}, {floats({2, 3, 4}), floats({2, 4, 5}, 2)}},
      {"einsum_transpose", Einsum{"ij->ji"}, {floats({3, 4})}},
      {"einsum_diagonal", Einsum{"ii->i"}, {floats({4, 4})}},
      {"einsum_trace", Einsum{"ii->"}, {floats({4, 4})}},
      {"einsum_outer", Einsum{"i,j->ij"}, {floats({3}), floats({4}, 2)}},
      {"einsum_sum_apart", Einsum{"ij,k->i"}, {floats({3, 4}), floats({2}, 2)}},
      {"einsum_three",
       Einsum{"ij,jk,kl->il"},
       {floats({3, 4}), floats({4, 5}, 2), floats({5, 2}, 3)}},
      {"einsum_four",
       Einsum{"i,ij,j,k->k"},
       {floats({3}), floats({3, 4}, 2), floats({4}, 3), floats({2}, 4)}},
      {"einsum_attention",
       Einsum{"bhqd,bhkd->bhqk"},
       {floats({1, 2, 3, 4}), floats({1, 2, 5, 4}, 2)}},
  };
  for (const DType dtype : kWhole) {
    cases.push_back({"matmul_" + text(dtype),
                     MatMul{},
                     {random_tensor(dtype, {3, 4}, 1), random_tensor(dtype, {4, 2}, 2)}});
    cases.push_back({"gemm_" + text(dtype),
                     Gemm{2.7, -1, false, false},
                     {random_tensor(dtype, {3, 4}, 1), random_tensor(dtype, {4, 2}, 2),
                      random_tensor(dtype, {2}, 3)}});
  }
  for (const DType dtype : kFloating) {
    cases.push_back({"matmul_" + text(dtype),
                     MatMul{},
                     {random_tensor(dtype, {3, 4}, 1), random_tensor(dtype, {4, 2}, 2)}});
    cases.push_back({"einsum_" + text(dtype),
                     Einsum{"ij,jk,ki->ik"},
                     {random_tensor(dtype, {3, 4}, 1), random_tensor(dtype, {4, 2}, 2),
                      random_tensor(dtype, {2, 3}, 3)}});
  }
  return cases;
}

std::vector<OperatorCase> normalization_cases() {
  std::vector<OperatorCase> cases;
  for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    const auto random = [&](Ints dims, std::uint64_t seed = 1) {
      return random_tensor(dtype, std::move(dims), seed);
    };
    const Tensor positive = vector_of(dtype, {0.5, 1.5, 4});
    const std::string type = "_" + text(dtype);
    cases.push_back(
        {"batch_norm" + type,
         BatchNorm{1e-3},
         {random({2, 3, 4, 5}), random({3}, 2), random({3}, 3), random({3}, 4), positive},
         1});
    cases.push_back({"layer_norm" + type,
                     LayerNorm{2, 1e-5},
                     {random({2, 3, 8}), random({8}, 2), random({8}, 3)},
                     1});
    cases.push_back(
        {"layer_norm_two" + type, LayerNorm{1, 1e-5}, {random({2, 3, 4, 5}), random({4, 1}, 2)}});
    cases.push_back({"group_norm" + type,
                     GroupNorm{2, 1e-5},
                     {random({2, 6, 3, 4}), random({6}, 2), random({6}, 3)},
                     1});
    cases.push_back({"softmax_last" + type, Softmax{2}, {random({2, 3, 7})}});
    cases.push_back({"softmax_first" + type, Softmax{0}, {random({4, 5})}});
    cases.push_back({"log_softmax" + type, LogSoftmax{1}, {random({2, 6, 3})}});
  }
  cases.push_back({"layer_norm_all", LayerNorm{0, 1e-5}, {floats({4, 5}), floats({}, 2)}});
  cases.push_back({"instance_norm",
                   GroupNorm{4, 1e-5},
                   {floats({2, 4, 5}), floats({4}, 2), floats({4}, 3)},
                   1});
  cases.push_back(
      {"group_norm_one", GroupNorm{1, 1e-5}, {floats({2, 4, 3}), floats({4}, 2), floats({4}, 3)}});
  cases.push_back(
      {"group_norm_flat", GroupNorm{2, 1e-5}, {floats({2, 8}), floats({8}, 2), floats({8}, 3)}});
  cases.push_back({"softmax_large", Softmax{0}, {Tensor::of<float>({3}, {1000, 1001, -1000})}});
  return cases;
}

std::vector<OperatorCase> reduction_cases() {
  std::vector<OperatorCase> cases;
  const auto each = [&](ReduceFn fn, const Tensor& x, const std::string& suffix) {
    const std::string name = "reduce_" + std::string(name_of(fn)) + suffix;
    cases.push_back({name, Reduce{fn, {1}, true}, {x}});
    cases.push_back({name + "_gone", Reduce{fn, {0, 2}, false}, {x}});
  };
  for (const DType dtype :
       {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::I16, DType::I32,
        DType::I64, DType::U8, DType::U16, DType::U32, DType::U64}) {
    const Tensor x = random_tensor(dtype, {3, 4, 2}, 7);
#define CAMBIUM_X(enumerator, name) each(ReduceFn::enumerator, x, "_" + text(dtype));
    CAMBIUM_FOR_EACH_REDUCE(CAMBIUM_X)
#undef CAMBIUM_X
    for (const bool maximum : {true, false}) {
      for (const bool last : {true, false}) {
        const std::string name =
            std::string(maximum ? "argmax" : "argmin") + (last ? "_last_" : "_") + text(dtype);
        cases.push_back({name, ArgReduce{maximum, last, true, 1}, {x}});
        cases.push_back({name + "_gone", ArgReduce{maximum, last, false, 0}, {x}});
      }
    }
  }
  const Tensor truths = random_tensor(DType::Bool, {3, 4, 2}, 7);
  each(ReduceFn::Max, truths, "_bool");
  each(ReduceFn::Min, truths, "_bool");
  using L = std::numeric_limits<std::int64_t>;
  const auto far = Tensor::of<std::int64_t>({2, 3}, {L::max(), L::max() - 1, L::max(),  //
                                                     L::min(), L::min() + 1, L::min()});
  const auto far_unsigned = Tensor::of<std::uint64_t>({2, 3}, {~0ull, ~0ull - 1, ~0ull, 5, 1, 1});
  for (const Tensor& x : {far, far_unsigned}) {
    const std::string suffix = "_far_" + text(x.dtype());
    cases.push_back({"reduce_min" + suffix, Reduce{ReduceFn::Min, {1}, false}, {x}});
    cases.push_back({"reduce_max" + suffix, Reduce{ReduceFn::Max, {1}, false}, {x}});
    cases.push_back({"argmin" + suffix, ArgReduce{false, false, true, 1}, {x}});
    cases.push_back({"argmax" + suffix, ArgReduce{true, true, true, 1}, {x}});
  }
  const auto odd = Tensor::of<float>({5, 4}, {1,     kNan,  3,    2,     kNan, 5,    7,    1,     //
                                              -kInf, -kInf, kNan, -kInf, kNan, kNan, kNan, kNan,  //
                                              kInf,  1,     kInf, -kInf});
  for (const bool last : {true, false}) {
    const std::string suffix = last ? "_last_nan" : "_nan";
    cases.push_back({"argmax" + suffix, ArgReduce{true, last, true, 1}, {odd}});
    cases.push_back({"argmin" + suffix, ArgReduce{false, last, true, 1}, {odd}});
  }
  cases.push_back({"reduce_max_nan", Reduce{ReduceFn::Max, {1}, true}, {odd}});
  cases.push_back({"reduce_min_nan", Reduce{ReduceFn::Min, {1}, true}, {odd}});
  cases.push_back({"reduce_log_sum_exp_infinite",
                   Reduce{ReduceFn::LogSumExp, {1}, true},
                   {Tensor::of<float>({2, 2}, {-kInf, -kInf, kInf, 1})}});
  cases.push_back({"reduce_nothing", Reduce{ReduceFn::L1, {}, true}, {floats({2, 3})}});
  cases.push_back({"reduce_all", Reduce{ReduceFn::Sum, {0, 1}, false}, {floats({4, 5})}});
  cases.push_back({"global_average", Reduce{ReduceFn::Mean, {2, 3}, true}, {floats({2, 3, 4, 4})}});
  return cases;
}

std::vector<OperatorCase> operator_cases() {
  std::vector<OperatorCase> all;
  for (auto part : {convolution_cases(), product_cases(), normalization_cases(),
                    elementwise_cases(), reduction_cases(), movement_cases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace cambium::lower
