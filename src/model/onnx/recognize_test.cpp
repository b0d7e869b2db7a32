#include "model/onnx/recognize.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/onnx/document_testing.h"

namespace cambium::model::onnx_io {
namespace {

// Writes formulas down as an exporter would.
class Formula {
 public:
  Formula() : builder_("formula"), x(builder_.input("x", {DType::F32, {2, 8, 4}})) {}

  Value number(double value) {
    return builder_.weight("c", Tensor::scalar<float>(static_cast<float>(value)));
  }
  Value un(UnaryFn fn, Value a) { return builder_.add(Unary{fn}, {a}); }
  Value bin(BinaryFn fn, Value a, Value b) { return builder_.add(Binary{fn}, {a, b}); }
  Value mul(Value a, Value b) { return bin(BinaryFn::Mul, a, b); }
  Value add(Value a, Value b) { return bin(BinaryFn::Add, a, b); }
  Value op(Op one, std::vector<Value> inputs) { return builder_.add(std::move(one), inputs); }
  Value weight(const char* name, Ints dims, double value) {
    return builder_.weight(
        name, Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Constant, value, 0}));
  }

  Model done(Value y) {
    builder_.output("y", y);
    return std::move(builder_).finish().value();
  }

 private:
  Builder builder_;

 public:
  Value x;
};

// The operator that the whole formula is recognized as, or how many operators are left.
std::string recognized(const Model& model) {
  const Model out = recognize(model, nullptr).value();
  EXPECT_EQ(out.type(out.outputs()[0].value), model.type(model.outputs()[0].value));
  std::string name;
  int operators = 0;
  for (const NodePtr& one : out.nodes()) {
    if (one->as<Weight>() != nullptr || one->as<Input>() != nullptr) continue;
    ++operators;
    name = name_of(one->op);
  }
  return operators == 1 ? name : std::to_string(operators) + " operators";
}

TEST(Recognize, GeluByErfInAnyOrderOfItsFactors) {
  for (const double half : {0.5, 0.4}) {
    Formula f;
    const Value erf = f.un(UnaryFn::Erf, f.bin(BinaryFn::Div, f.x, f.number(std::sqrt(2.0))));
    const Value y = f.mul(f.mul(f.x, f.add(erf, f.number(1))), f.number(half));
    EXPECT_EQ(recognized(f.done(y)), half == 0.5 ? "gelu" : "5 operators");
  }
  Formula f;
  const Value erf = f.un(UnaryFn::Erf, f.mul(f.number(std::sqrt(0.5)), f.x));
  const Value y = f.mul(f.mul(f.number(0.5), f.x), f.add(f.number(1), erf));
  EXPECT_EQ(recognized(f.done(y)), "gelu");
}

TEST(Recognize, GeluByTanhWithPowersOrProducts) {
  const double factor = std::sqrt(2 / 3.14159265358979);
  for (const bool power : {false, true}) {
    Formula f;
    const Value cube = power ? f.bin(BinaryFn::Pow, f.x, f.number(3)) : f.mul(f.x, f.mul(f.x, f.x));
    const Value inner = f.add(f.x, f.mul(f.number(0.044715), cube));
    const Value tanh = f.un(UnaryFn::Tanh, f.mul(f.number(factor), inner));
    const Value y = f.mul(f.mul(f.number(0.5), f.x), f.add(tanh, f.number(1)));
    EXPECT_EQ(recognized(f.done(y)), "gelu_tanh");
  }
  Formula f;
  const Value square = f.mul(f.number(0.044715), f.mul(f.x, f.x));
  const Value inner = f.mul(f.mul(f.x, f.number(factor)), f.add(f.number(1), square));
  const Value y = f.mul(f.mul(f.number(0.5), f.x), f.add(f.un(UnaryFn::Tanh, inner), f.number(1)));
  EXPECT_EQ(recognized(f.done(y)), "gelu_tanh");
}

TEST(Recognize, SiluMishAndHardSwish) {
  Formula silu;
  EXPECT_EQ(recognized(silu.done(silu.mul(silu.x, silu.un(UnaryFn::Sigmoid, silu.x)))), "silu");
  Formula mish;
  const Value gate = mish.un(UnaryFn::Tanh, mish.un(UnaryFn::Softplus, mish.x));
  EXPECT_EQ(recognized(mish.done(mish.mul(gate, mish.x))), "mish");
  Formula hard;
  const Value by_sigmoid =
      hard.op(Activation{ActivationFn::HardSigmoid, 0.16666667, 0.5}, {hard.x});
  EXPECT_EQ(recognized(hard.done(hard.mul(hard.x, by_sigmoid))), "hard_swish");
  Formula clip;
  const Value by_clip =
      clip.op(Activation{ActivationFn::Clip, 0, 6}, {clip.add(clip.x, clip.number(3))});
  const Value y = clip.bin(BinaryFn::Div, clip.mul(clip.x, by_clip), clip.number(6));
  EXPECT_EQ(recognized(clip.done(y)), "hard_swish");
}

TEST(Recognize, ActivationsOfSomethingThatIsAProductItself) {
  Formula silu;
  const Value squared = silu.mul(silu.x, silu.x);
  EXPECT_EQ(recognized(silu.done(silu.mul(squared, silu.un(UnaryFn::Sigmoid, squared)))),
            "2 operators");
  Formula gelu;
  const Value x = gelu.mul(gelu.x, gelu.number(3));
  const Value erf = gelu.un(UnaryFn::Erf, gelu.bin(BinaryFn::Div, x, gelu.number(std::sqrt(2.0))));
  const Value y = gelu.mul(gelu.mul(x, gelu.add(erf, gelu.number(1))), gelu.number(0.5));
  EXPECT_EQ(recognized(gelu.done(y)), "2 operators");
}

TEST(Recognize, NotAProductWithTheSigmoidOfSomethingElse) {
  Formula f;
  const Value other = f.un(UnaryFn::Sigmoid, f.un(UnaryFn::Exp, f.x));
  EXPECT_EQ(recognized(f.done(f.mul(f.x, other))), "3 operators");
}

TEST(Recognize, NotWhereAConstantRaisesTheRank) {
  Formula f;
  const Value one = f.weight("ones", {1, 1, 1, 1}, 1);
  const Value y = f.mul(f.mul(f.x, one), f.un(UnaryFn::Sigmoid, f.x));
  EXPECT_EQ(recognized(f.done(y)), "3 operators");
}

Value normalized(Formula& f, bool by_power) {
  const Value mean = f.op(Reduce{ReduceFn::Mean, {2}, true}, {f.x});
  const Value centred = f.bin(BinaryFn::Sub, f.x, mean);
  const Value square =
      by_power ? f.bin(BinaryFn::Pow, centred, f.number(2)) : f.mul(centred, centred);
  const Value variance = f.op(Reduce{ReduceFn::Mean, {2}, true}, {square});
  const Value deviation = f.un(UnaryFn::Sqrt, f.add(variance, f.number(1e-5)));
  return f.bin(BinaryFn::Div, centred, deviation);
}

TEST(Recognize, LayerNormWithAndWithoutBias) {
  for (const bool by_power : {false, true}) {
    Formula f;
    const Value scaled = f.mul(normalized(f, by_power), f.weight("scale", {4}, 2));
    EXPECT_EQ(recognized(f.done(f.add(scaled, f.weight("bias", {4}, 3)))), "layer_norm");
  }
  Formula f;
  EXPECT_EQ(recognized(f.done(f.mul(normalized(f, true), f.weight("scale", {4}, 2)))),
            "layer_norm");
}

Model group_norm(double inner_scale, const Ints& channels) {
  Formula f;
  const Value view = f.op(Reshape{{2, 2, 16}}, {f.x});
  const Value norm =
      f.op(GroupNorm{2, 1e-5}, {view, f.weight("one", {2}, inner_scale), f.weight("zero", {2}, 0)});
  const Value back = f.op(Reshape{{2, 8, 4}}, {norm});
  const Value scaled = f.mul(back, f.weight("scale", channels, 2));
  return f.done(f.add(scaled, f.weight("bias", channels, 3)));
}

TEST(Recognize, GroupNormAroundAnInstanceNormOfItsGroups) {
  EXPECT_EQ(recognized(group_norm(1, {8, 1})), "group_norm");
  EXPECT_EQ(recognized(group_norm(1, {1, 8, 1})), "group_norm");
  EXPECT_EQ(recognized(group_norm(2, {8, 1})), "5 operators") << "the inner scale counts";
  const Model out = recognize(group_norm(1, {8, 1}), nullptr).value();
  for (const NodePtr& one : out.nodes()) {
    if (one->name != "scale") continue;
    EXPECT_EQ(one->outputs[0].dims, Ints{8});
  }
  EXPECT_EQ(count_of(out, "weight"), 2);
}

TEST(Recognize, OnlyWhatOurOwnFilesNameAsComposed) {
  Formula f;
  const Model model = f.done(f.mul(f.x, f.un(UnaryFn::Sigmoid, f.x)));
  Annotations none;
  EXPECT_EQ(count_of(recognize(model, &none).value(), "silu"), 0);
  Annotations named;
  named.composed = {"mul"};
  EXPECT_EQ(count_of(recognize(model, &named).value(), "silu"), 1);
}

}  // namespace
}  // namespace cambium::model::onnx_io
