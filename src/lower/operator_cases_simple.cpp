// Cases of the operators that compute or move single elements, and of pooling.
#include <limits>
#include <utility>

#include "lower/operator_cases.h"

namespace cambium::lower {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): nearly all operators are named

constexpr DType kNumbers[] = {DType::F32, DType::F64, DType::F16, DType::BF16,
                              DType::I8,  DType::I16, DType::I32, DType::I64,
                              DType::U8,  DType::U16, DType::U32, DType::U64};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::string text(DType dtype) {
  return std::string(name_of(dtype));
}

Tensor floats(Ints dims, std::uint64_t seed = 1) {
  return random_tensor(DType::F32, std::move(dims), seed);
}

bool is_signed(DType dtype) {
  return is_floating(dtype) || dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 ||
         dtype == DType::I64;
}

void add_unary(std::vector<OperatorCase>& cases) {
  const auto edges = Tensor::of<float>(
      {12}, {0.0f, -0.0f, 1.0f, -1.0f, kInf, -kInf, kNan, 100.0f, -100.0f, 0.5f, -2.5f, 3.5f});
  for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    const Tensor x = random_tensor(dtype, {3, 17}, 5);
    const auto add = [&](UnaryFn fn) {
      if (fn == UnaryFn::Not) return;
      const std::string name = std::string(name_of(fn));
      cases.push_back({name + "_" + text(dtype), Unary{fn}, {x}});
      if (dtype == DType::F32) cases.push_back({name + "_edges", Unary{fn}, {edges}});
    };
#define CAMBIUM_X(enumerator, name) add(UnaryFn::enumerator);
    CAMBIUM_FOR_EACH_UNARY(CAMBIUM_X)
#undef CAMBIUM_X
    for (const Activation& op :
         {Activation{ActivationFn::LeakyRelu, 0.1, 0}, Activation{ActivationFn::Elu, 1.3, 0},
          Activation{ActivationFn::Celu, 0.7, 0}, Activation{ActivationFn::Selu, 1.67, 1.05},
          Activation{ActivationFn::ThresholdedRelu, 1, 0},
          Activation{ActivationFn::HardSigmoid, 0.2, 0.5},
          Activation{ActivationFn::Clip, -1, 1.1}}) {
      const std::string name = std::string(name_of(op.fn));
      cases.push_back({name + "_" + text(dtype), op, {x}});
      if (dtype == DType::F32) cases.push_back({name + "_edges", op, {edges}});
    }
  }
  for (const DType dtype : kNumbers) {
    if (is_floating(dtype)) continue;
    const Tensor x = random_tensor(dtype, {4, 5}, 5);
    cases.push_back({"abs_" + text(dtype), Unary{UnaryFn::Abs}, {x}});
    cases.push_back({"sign_" + text(dtype), Unary{UnaryFn::Sign}, {x}});
    cases.push_back({"clip_" + text(dtype), Activation{ActivationFn::Clip, -2.5, 300}, {x}});
    if (!is_signed(dtype)) continue;
    cases.push_back({"relu_" + text(dtype), Unary{UnaryFn::Relu}, {x}});
    cases.push_back({"neg_" + text(dtype), Unary{UnaryFn::Neg}, {x}});
  }
  cases.push_back({"not", Unary{UnaryFn::Not}, {random_tensor(DType::Bool, {9}, 1)}});
}

void add_binary(std::vector<OperatorCase>& cases) {
  const auto add = [&](BinaryFn fn, DType dtype) {
    if (is_logical(fn) != (dtype == DType::Bool) && fn != BinaryFn::Equal) return;
    cases.push_back({"binary_" + std::string(name_of(fn)) + "_" + text(dtype),
                     Binary{fn},
                     {random_tensor(dtype, {4, 9}, 1), random_tensor(dtype, {9}, 2)}});
  };
  std::vector<DType> all(std::begin(kNumbers), std::end(kNumbers));
  all.push_back(DType::Bool);
  for (const DType dtype : all) {
#define CAMBIUM_X(enumerator, name) add(BinaryFn::enumerator, dtype);
    CAMBIUM_FOR_EACH_BINARY(CAMBIUM_X)
#undef CAMBIUM_X
  }
  const auto edges = Tensor::of<float>({4}, {kNan, 1, -kInf, 0});
  for (const BinaryFn fn : {BinaryFn::Max, BinaryFn::Min, BinaryFn::Less, BinaryFn::Equal}) {
    cases.push_back({"binary_" + std::string(name_of(fn)) + "_nan",
                     Binary{fn},
                     {edges, edges.reshaped({4, 1})}});
  }
  cases.push_back(
      {"binary_stretched", Binary{BinaryFn::Sub}, {floats({2, 1, 4, 1}), floats({3, 1, 5}, 2)}});
  cases.push_back({"binary_scalar", Binary{BinaryFn::Mul}, {floats({2, 3}), floats({}, 2)}, 1});
  cases.push_back({"pow_whole_exponent",
                   Binary{BinaryFn::Pow},
                   {floats({2, 9}), random_tensor(DType::I32, {9}, 2)}});
  for (const float exponent : {2.0f, 3.0f, 1.5f}) {
    cases.push_back({"pow_known_" + std::to_string(static_cast<int>(10 * exponent)),
                     Binary{BinaryFn::Pow},
                     {floats({2, 9}), Tensor::scalar<float>(exponent)},
                     1});
  }
  cases.push_back({"pow_floating_exponent",
                   Binary{BinaryFn::Pow},
                   {random_tensor(DType::I16, {2, 9}, 1), floats({9}, 2)}});
  cases.push_back({"pow_large_exponent",
                   Binary{BinaryFn::Pow},
                   {Tensor::of<std::int64_t>({4}, {3, -1, 2, 5}),
                    Tensor::of<std::int64_t>({4}, {1001, 77777, 63, 1ll << 40})}});
  for (const DType dtype : {DType::F32, DType::F16, DType::I8, DType::U64, DType::Bool}) {
    cases.push_back({"where_" + text(dtype),
                     Where{},
                     {random_tensor(DType::Bool, {3, 1}, 1), random_tensor(dtype, {4}, 2),
                      random_tensor(dtype, {2, 1, 4}, 3)}});
  }
  const auto wide = Tensor::of<double>({6}, {1e300, -1e300, 3.99, -3.99, 0, 200});
  for (const DType to : all) {
    cases.push_back({"cast_f64_" + text(to), Cast{to}, {wide}});
    cases.push_back({"cast_i32_" + text(to), Cast{to}, {random_tensor(DType::I32, {2, 5}, 1)}});
    cases.push_back({"cast_from_" + text(to), Cast{DType::F32}, {random_tensor(to, {7}, 1)}});
  }
}

OperatorCase pool(const std::string& name, Pool op, Ints dims, DType dtype = DType::F32) {
  return {"pool_" + name, std::move(op), {random_tensor(dtype, std::move(dims), 11)}};
}

void add_pools(std::vector<OperatorCase>& cases) {
  constexpr auto kMax = PoolFn::Max, kAverage = PoolFn::Average;
  const auto add = [&](OperatorCase made) { cases.push_back(std::move(made)); };
  add(pool("max", {kMax, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}}, {2, 3, 6, 8}));
  add(pool("max_padded", {kMax, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}}, {1, 2, 7, 8}));
  add(pool("max_dilated", {kMax, {2, 3}, {1, 2}, {1, 0, 0, 1}, {3, 2}}, {1, 2, 8, 9}));
  add(pool("max_ceil", {kMax, {3, 2}, {2, 3}, {0, 0, 0, 0}, {1, 1}, true}, {1, 2, 6, 7}));
  add(pool("max_1d", {kMax, {3}, {1}, {1, 1}, {1}}, {2, 2, 6}));
  add(pool("max_3d", {kMax, {2, 2, 1}, {1, 2, 1}, {1, 0, 0, 0, 0, 1}, {1, 1, 1}}, {1, 2, 3, 4, 3}));
  add(pool("max_i32", {kMax, {2, 2}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, {1, 2, 4, 4}, DType::I32));
  add(pool("max_u64", {kMax, {2, 2}, {1, 1}, {1, 1, 0, 0}, {1, 1}}, {1, 1, 4, 4}, DType::U64));
  add(pool("max_i64", {kMax, {2, 2}, {1, 1}, {1, 1, 0, 0}, {1, 1}}, {1, 1, 4, 4}, DType::I64));
  add(pool("max_f16", {kMax, {2, 2}, {1, 1}, {1, 1, 0, 0}, {1, 1}}, {1, 1, 4, 4}, DType::F16));
  add(pool("indices", {kMax, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}, false, false, true},
           {2, 3, 6, 4}));
  add(pool("indices_padded", {kMax, {3, 2}, {2, 1}, {1, 1, 1, 0}, {1, 1}, true, false, true},
           {2, 2, 5, 6}));
  add(pool("indices_columns",
           {kMax, {3, 2}, {2, 1}, {1, 1, 1, 0}, {1, 1}, false, false, true, true}, {2, 2, 5, 6},
           DType::I8));
  add(pool("indices_3d",
           {kMax, {2, 2, 2}, {1, 1, 2}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, false, false, true, true},
           {1, 2, 3, 3, 4}));
  // Windows that lie in the padding see nothing.
  add(pool("indices_nothing", {kMax, {2}, {2}, {3, 2}, {1}, false, false, true}, {1, 2, 3}));
  add(pool("average", {kAverage, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}}, {2, 3, 6, 8}));
  add(pool("average_padded", {kAverage, {3, 3}, {2, 1}, {1, 1, 1, 0}, {1, 1}}, {1, 2, 7, 6}));
  add(pool("average_included", {kAverage, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}, true, true},
           {1, 2, 6, 7}));
  add(pool("average_ceil", {kAverage, {3, 2}, {2, 3}, {1, 0, 0, 1}, {1, 2}, true}, {1, 2, 6, 7}));
  add(pool("average_nothing", {kAverage, {2}, {2}, {3, 2}, {1}}, {1, 2, 3}));
  add(pool("average_f16", {kAverage, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, {1, 1, 4, 4},
           DType::F16));
  add(pool("average_f64", {kAverage, {2, 3}, {1, 1}, {0, 1, 1, 1}, {1, 1}}, {1, 1, 4, 4},
           DType::F64));
}

void add_gathers(std::vector<OperatorCase>& cases) {
  const auto rows = Tensor::of<std::int64_t>({2, 3}, {0, -1, 2, 1, -3, 0});
  const auto one = Tensor::of<std::int32_t>({}, {-2});
  cases.push_back({"gather_rows", Gather{0}, {floats({3, 4}), rows}});
  cases.push_back({"gather_middle", Gather{1}, {floats({2, 3, 4}), rows}, 1});
  cases.push_back({"gather_scalar", Gather{1}, {floats({2, 3}), one}});
  cases.push_back({"gather_i8", Gather{0}, {random_tensor(DType::I8, {3, 2}, 1), rows}});
}

void add_resizes(std::vector<OperatorCase>& cases) {
  const auto add = [&](const std::string& name, Ints from, Ints to, const std::string& coordinates,
                       const std::string& rounding, std::vector<double> scales = {}) {
    for (std::size_t i = scales.size(); i < from.size(); ++i) {
      scales.push_back(static_cast<double>(to[i]) / static_cast<double>(from[i]));
    }
    cases.push_back({"resize_" + name, Resize{to, scales, coordinates, rounding}, {floats(from)}});
  };
  for (const char* coordinates : {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                                  "half_pixel_symmetric"}) {
    for (const char* rounding : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
      const std::string name = std::string(coordinates) + "_" + rounding;
      add(name + "_up", {1, 2, 4, 3}, {1, 2, 8, 9}, coordinates, rounding);
      add(name + "_down", {1, 1, 9, 6}, {1, 1, 3, 4}, coordinates, rounding);
    }
  }
  add("off_scale", {1, 1, 7, 5}, {1, 1, 11, 3}, "half_pixel", "floor", {1, 1, 1.63, 0.7});
}

}  // namespace

std::vector<OperatorCase> elementwise_cases() {
  std::vector<OperatorCase> cases;
  add_unary(cases);
  add_binary(cases);
  return cases;
}

std::vector<OperatorCase> movement_cases() {
  std::vector<OperatorCase> cases{
      {"concat", Concat{1}, {floats({2, 3, 2}), floats({2, 1, 2}, 2), floats({2, 4, 2}, 3)}, 2},
      {"concat_one", Concat{0}, {floats({2, 3})}},
      {"concat_bool",
       Concat{0},
       {random_tensor(DType::Bool, {2}, 1), random_tensor(DType::Bool, {3}, 2)}},
      {"split", Split{1, {1, 3, 2}}, {floats({2, 6, 2})}},
      {"slice", Slice{{1, 4, 0}, {2, 3, 1}, {2, -2, 77}}, {floats({4, 5, 3})}},
      {"slice_i16", Slice{{2}, {3}, {-1}}, {random_tensor(DType::I16, {5}, 1)}},
      {"reshape_merge", Reshape{{2, 12}}, {floats({2, 3, 4})}},
      {"reshape_split", Reshape{{2, 3, 2, 2}}, {floats({2, 12})}},
      {"reshape_across", Reshape{{4, 9, 2}}, {floats({6, 3, 4})}},
      {"reshape_ones", Reshape{{1, 6, 1, 4, 1}}, {floats({1, 2, 3, 4})}},
      {"reshape_scalar", Reshape{{}}, {floats({1, 1})}},
      {"reshape_vector", Reshape{{1}}, {floats({})}},
      {"reshape_u8", Reshape{{3, 2}}, {random_tensor(DType::U8, {2, 3}, 1)}},
      {"transpose", Transpose{{2, 0, 3, 1}}, {floats({2, 3, 4, 5})}},
      {"expand", Expand{{4, 2, 3, 5}}, {floats({2, 1, 5})}},
      {"tile", Tile{{2, 1, 3}}, {floats({2, 3, 2})}},
      {"pad", Pad{PadMode::Constant, {1, 0, 2, 3}, 1.5}, {floats({3, 4})}},
      {"pad_crop", Pad{PadMode::Constant, {-1, 2, 1, -2}, -0.5}, {floats({4, 5})}},
      {"pad_edge", Pad{PadMode::Edge, {2, -1, 1, 5}, 0}, {floats({3, 4})}},
      {"pad_reflect", Pad{PadMode::Reflect, {2, -1, 2, 3}, 0}, {floats({3, 5})}},
      {"pad_i8", Pad{PadMode::Constant, {1, 1}, 300}, {random_tensor(DType::I8, {4}, 1)}},
      {"pad_bool", Pad{PadMode::Constant, {1, 1}, 1}, {random_tensor(DType::Bool, {4}, 1)}},
      {"depth_to_space", DepthToSpace{2, false}, {floats({2, 12, 2, 3})}},
      {"depth_to_space_columns", DepthToSpace{2, true}, {floats({2, 12, 2, 3})}},
      {"space_to_depth", SpaceToDepth{2}, {floats({2, 3, 4, 6})}},
  };
  add_gathers(cases);
  add_resizes(cases);
  add_pools(cases);
  return cases;
}

}  // namespace cambium::lower
