// Hand-computed results of the elementwise operators and the normalizations.
#include <limits>

#include "model/reference/testing.h"

namespace cambium::model {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor i8(const std::vector<std::int8_t>& elements) {
  return Tensor::of<std::int8_t>({static_cast<std::int64_t>(elements.size())}, elements);
}

Tensor f64(const std::vector<double>& elements) {
  return Tensor::of<double>({static_cast<std::int64_t>(elements.size())}, elements);
}

double unary(UnaryFn fn, double x) {
  return run_one(Unary{fn}, {Tensor::scalar(x)}).to_doubles()[0];
}

double activation(ActivationFn fn, double x, double alpha, double beta = 0) {
  return run_one(Activation{fn, alpha, beta}, {Tensor::scalar(x)}).to_doubles()[0];
}

TEST(ReferenceUnary, ComputesEveryFunction) {
  EXPECT_EQ(unary(UnaryFn::Relu, -2), 0);
  EXPECT_EQ(unary(UnaryFn::Relu, 2), 2);
  EXPECT_NEAR(unary(UnaryFn::Sigmoid, 1), 0.7310585786300049, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Tanh, 0.5), 0.46211715726000975, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Erf, 0.5), 0.5204998778130465, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Exp, 1), 2.718281828459045, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Log, 2), 0.6931471805599453, 1e-15);
  EXPECT_EQ(unary(UnaryFn::Sqrt, 9), 3);
  EXPECT_EQ(unary(UnaryFn::Abs, -4), 4);
  EXPECT_EQ(unary(UnaryFn::Neg, 4), -4);
  EXPECT_EQ(unary(UnaryFn::Reciprocal, 4), 0.25);
  EXPECT_EQ(unary(UnaryFn::Sign, -7), -1);
  EXPECT_TRUE(std::isnan(unary(UnaryFn::Sign, kNan)));
  EXPECT_EQ(unary(UnaryFn::Floor, -1.5), -2);
  EXPECT_EQ(unary(UnaryFn::Ceil, -1.5), -1);
  EXPECT_EQ(unary(UnaryFn::Round, 0.5), 0);
  EXPECT_EQ(unary(UnaryFn::Round, 1.5), 2);
  EXPECT_EQ(unary(UnaryFn::Round, -2.5), -2);
  EXPECT_NEAR(unary(UnaryFn::Sin, 1), 0.8414709848078965, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Cos, 1), 0.5403023058681398, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Tan, 1), 1.5574077246549023, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Asin, 0.5), 0.5235987755982989, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Acos, 0.5), 1.0471975511965979, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Atan, 1), 0.7853981633974483, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Sinh, 1), 1.1752011936438014, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Cosh, 1), 1.5430806348152437, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Asinh, 1), 0.881373587019543, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Acosh, 2), 1.3169578969248166, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Atanh, 0.5), 0.5493061443340549, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Softplus, 1), 1.3132616875182228, 1e-15);
  EXPECT_EQ(unary(UnaryFn::Softplus, 1000), 1000);
  EXPECT_EQ(unary(UnaryFn::Softsign, -3), -0.75);
  EXPECT_EQ(unary(UnaryFn::HardSwish, 1.5), 1.125);
  EXPECT_NEAR(unary(UnaryFn::Mish, 1), 0.8650983882673103, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Gelu, 1), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::GeluTanh, 1), 0.8411919906082768, 1e-15);
  EXPECT_NEAR(unary(UnaryFn::Silu, 1), 0.7310585786300049, 1e-15);
  EXPECT_EQ(unary(UnaryFn::IsNan, kNan), 1);
  EXPECT_EQ(unary(UnaryFn::IsNan, kInf), 0);
  EXPECT_EQ(run_one(Unary{UnaryFn::Not}, {bools({2}, {true, false})}).to_ints(),
            (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(unary(UnaryFn::Sigmoid, -1000), 0);
}

TEST(ReferenceUnary, IntegersWrapAtTheLowest) {
  expect_elements(run_one(Unary{UnaryFn::Abs}, {i8({-128, -5, 5})}), {3}, {-128, 5, 5});
  expect_elements(run_one(Unary{UnaryFn::Neg}, {i8({-128, -5, 5})}), {3}, {-128, 5, -5});
  expect_elements(run_one(Unary{UnaryFn::Sign}, {i8({-128, 0, 5})}), {3}, {-1, 0, 1});
  expect_elements(run_one(Unary{UnaryFn::Relu}, {i8({-128, 0, 5})}), {3}, {0, 0, 5});
  expect_elements(run_one(Unary{UnaryFn::Abs}, {Tensor::of<std::uint64_t>({1}, {~0ull})}), {1},
                  {18446744073709551615.0});
}

TEST(ReferenceActivation, ComputesEveryFunction) {
  EXPECT_EQ(activation(ActivationFn::LeakyRelu, -2, 0.25), -0.5);
  EXPECT_EQ(activation(ActivationFn::LeakyRelu, 2, 0.25), 2);
  EXPECT_NEAR(activation(ActivationFn::Elu, -1, 2), -1.2642411176571153, 1e-15);
  EXPECT_NEAR(activation(ActivationFn::Celu, -1, 2), -0.7869386805747332, 1e-15);
  EXPECT_NEAR(activation(ActivationFn::Selu, -1, 1.5, 2), -1.8963616764856731, 1e-15);
  EXPECT_EQ(activation(ActivationFn::Selu, 3, 1.5, 2), 6);
  EXPECT_EQ(activation(ActivationFn::ThresholdedRelu, 1, 1), 0);
  EXPECT_EQ(activation(ActivationFn::ThresholdedRelu, 1.5, 1), 1.5);
  EXPECT_EQ(activation(ActivationFn::HardSigmoid, 1, 0.25, 0.5), 0.75);
  EXPECT_EQ(activation(ActivationFn::HardSigmoid, 9, 0.25, 0.5), 1);
  EXPECT_EQ(activation(ActivationFn::Clip, 9, 0, 6), 6);
  EXPECT_EQ(activation(ActivationFn::Clip, -9, 0, 6), 0);
  EXPECT_TRUE(std::isnan(activation(ActivationFn::Clip, kNan, 0, 6)));
  expect_elements(run_one(Activation{ActivationFn::Clip, -kInf, 3}, {i8({-128, 3, 4})}), {3},
                  {-128, 3, 3});
}

TEST(ReferenceBinary, BroadcastsAsNumpy) {
  expect_elements(run_one(Binary{BinaryFn::Add}, {counting({2, 1, 3}), counting({2, 1})}),
                  {2, 2, 3}, {0, 1, 2, 1, 2, 3, 3, 4, 5, 4, 5, 6});
  expect_elements(run_one(Binary{BinaryFn::Sub}, {Tensor::scalar(1.0f), counting({3})}), {3},
                  {1, 0, -1});
  expect_elements(run_one(Binary{BinaryFn::Mul}, {floats({0, 2}, {}), floats({2}, {1, 2})}), {0, 2},
                  {});
}

TEST(ReferenceBinary, ComputesEveryFloatingFunction) {
  const Tensor a = f64({7, -7, 7, kNan}), b = f64({-3, 3, 7, 1});
  const auto result = [&](BinaryFn fn) { return run_one(Binary{fn}, {a, b}); };
  expect_elements(result(BinaryFn::Div), {4}, {7.0 / -3, -7.0 / 3, 1, kNan});
  expect_elements(result(BinaryFn::Min), {4}, {-3, -7, 7, kNan});
  expect_elements(result(BinaryFn::Max), {4}, {7, 3, 7, kNan});
  expect_elements(run_one(Binary{BinaryFn::Max}, {b, a}), {4}, {7, 3, 7, kNan});
  expect_elements(result(BinaryFn::Mod), {4}, {-2, 2, 0, kNan});
  expect_elements(result(BinaryFn::Fmod), {4}, {1, -1, 0, kNan});
  expect_elements(result(BinaryFn::Pow), {4}, {std::pow(7.0, -3), -343, 823543, kNan}, 1e-15);
  expect_elements(result(BinaryFn::Equal), {4}, {0, 0, 1, 0});
  expect_elements(result(BinaryFn::Less), {4}, {0, 1, 0, 0});
  expect_elements(result(BinaryFn::LessOrEqual), {4}, {0, 1, 1, 0});
  expect_elements(result(BinaryFn::Greater), {4}, {1, 0, 0, 0});
  expect_elements(result(BinaryFn::GreaterOrEqual), {4}, {1, 0, 1, 0});
}

TEST(ReferenceBinary, IntegersNeverTrap) {
  const Tensor a = i8({7, -7, 7, -128, 100}), b = i8({-3, 3, 0, -1, 100});
  const auto result = [&](BinaryFn fn) { return run_one(Binary{fn}, {a, b}); };
  expect_elements(result(BinaryFn::Add), {5}, {4, -4, 7, 127, -56});
  expect_elements(result(BinaryFn::Mul), {5}, {-21, -21, 0, -128, 16});
  expect_elements(result(BinaryFn::Div), {5}, {-2, -2, 0, -128, 1});
  expect_elements(result(BinaryFn::Mod), {5}, {-2, 2, 0, 0, 0});
  expect_elements(result(BinaryFn::Fmod), {5}, {1, -1, 0, 0, 0});
  const Tensor lowest = ints({1}, {std::numeric_limits<std::int64_t>::min()});
  expect_elements(run_one(Binary{BinaryFn::Div}, {lowest, ints({1}, {-1})}), {1}, {-0x1p63});
  const Tensor u = Tensor::of<std::uint64_t>({1}, {~0ull}),
               one = Tensor::of<std::uint64_t>({1}, {1});
  expect_elements(run_one(Binary{BinaryFn::Greater}, {u, one}), {1}, {1});
  expect_elements(run_one(Binary{BinaryFn::Div}, {one, u}), {1}, {0});
  expect_elements(run_one(Binary{BinaryFn::Mod}, {one, u}), {1}, {1});
}

TEST(ReferenceBinary, PowersKeepTheTypeOfTheBase) {
  expect_elements(run_one(Binary{BinaryFn::Pow}, {i8({2, 3, -1, 0, 2}), i8({7, 2, -3, -1, -1})}),
                  {5}, {-128, 9, -1, 0, 0});
  expect_elements(run_one(Binary{BinaryFn::Pow}, {i8({4, 2}), f64({0.5, 9})}), {2}, {2, 127});
  expect_elements(run_one(Binary{BinaryFn::Pow}, {floats({2}, {2, 3}), i8({-1, 2})}), {2},
                  {0.5, 9});
}

TEST(ReferenceBinary, LogicIsOverBool) {
  const Tensor a = bools({4}, {false, false, true, true}),
               b = bools({4}, {false, true, false, true});
  expect_elements(run_one(Binary{BinaryFn::And}, {a, b}), {4}, {0, 0, 0, 1});
  expect_elements(run_one(Binary{BinaryFn::Or}, {a, b}), {4}, {0, 1, 1, 1});
  expect_elements(run_one(Binary{BinaryFn::Xor}, {a, b}), {4}, {0, 1, 1, 0});
  expect_elements(run_one(Binary{BinaryFn::Equal}, {a, b}), {4}, {1, 0, 0, 1});
}

TEST(ReferenceWhere, ChoosesAndBroadcasts) {
  expect_elements(
      run_one(Where{}, {bools({2, 1}, {true, false}), counting({3}), Tensor::scalar(9.0f)}), {2, 3},
      {0, 1, 2, 9, 9, 9});
}

TEST(ReferenceCast, FollowsTheRulesOfConversion) {
  const Tensor x = floats({4}, {-1.7f, 0, 300, std::nanf("")});
  expect_elements(run_one(Cast{DType::I32}, {x}), {4}, {-1, 0, 300, 0});
  expect_elements(run_one(Cast{DType::U8}, {x}), {4}, {0, 0, 255, 0});
  expect_elements(run_one(Cast{DType::Bool}, {x}), {4}, {1, 0, 1, 1});
  expect_elements(run_one(Cast{DType::F16}, {floats({1}, {65536})}), {1}, {kInf});
  expect_elements(run_one(Cast{DType::F32}, {Tensor::of<BF16>({1}, {BF16(3)})}), {1}, {3});
}

TEST(ReferenceNorm, BatchNormUsesItsStatistics) {
  const Tensor c = floats({2}, {1, 2});
  expect_elements(run_one(BatchNorm{0}, {counting({1, 2, 2}), c, c, c, floats({2}, {1, 4})}),
                  {1, 2, 2}, {0, 1, 2, 3});
}

TEST(ReferenceNorm, LayerNormNormalizesTheTrailingAxes) {
  const Tensor x = floats({2, 2}, {1, 3, 10, 30});
  expect_elements(run_one(LayerNorm{1, 0}, {x, floats({2}, {1, 2}), floats({1}, {5})}), {2, 2},
                  {4, 7, 4, 7});
  expect_elements(run_one(LayerNorm{1, 3}, {x, floats({}, {2})}), {2, 2},
                  {-1, 1, -20 / std::sqrt(103.0), 20 / std::sqrt(103.0)}, 1e-6);
}

TEST(ReferenceNorm, GroupNormNormalizesGroupsOfChannels) {
  const Tensor x = floats({1, 4, 1}, {1, 3, 10, 30});
  const Tensor scale = floats({4}, {1, 2, 3, 4}), bias = floats({4}, {0, 0, 0, 1});
  expect_elements(run_one(GroupNorm{2, 0}, {x, scale, bias}), {1, 4, 1}, {-1, 2, -3, 5});
}

TEST(ReferenceSoftmax, IsStable) {
  const Tensor x = floats({2, 2}, {1000, 1000, -1000, 0});
  expect_elements(run_one(Softmax{1}, {x}), {2, 2}, {0.5, 0.5, 0, 1});
  expect_elements(run_one(Softmax{0}, {floats({2, 1}, {0, std::log(3.0f)})}), {2, 1}, {0.25, 0.75},
                  1e-7);
  expect_elements(run_one(LogSoftmax{1}, {x}), {2, 2}, {-std::log(2.0), -std::log(2.0), -1000, 0},
                  1e-7);
}

}  // namespace
}  // namespace cambium::model
