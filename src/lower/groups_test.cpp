#include "lower/groups.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lower/passes.h"
#include "model/builder.h"
#include "model/zoo/zoo.h"

namespace cambium::lower {
namespace {

using namespace model;

Value weight(Builder& b, Ints dims) {
  return b.weight("w", Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Normal, 1, 1}));
}

Value conv(Builder& b, Value x, std::int64_t out) {
  const std::int64_t in = b.type(x).dims[1];
  return b.add(Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, {x, weight(b, {out, in, 3, 3})}, "conv");
}

Value relu(Builder& b, Value x) {
  return b.add(Unary{UnaryFn::Relu}, {x});
}

Value add(Builder& b, Value x, Value y) {
  return b.add(Binary{BinaryFn::Add}, {x, y});
}

// Groups as "conv add relu | conv", after the names of the operators.
std::string groups_text(const Model& model) {
  std::string text;
  for (const FusionGroup& group : groups_of(model)) {
    if (!text.empty()) text += " | ";
    for (std::size_t i = 0; i < group.nodes.size(); ++i) {
      if (i > 0) text += ' ';
      text += name_of(model.node(group.nodes[i]).op);
      if (group.nodes[i] == group.anchor) text += '*';
    }
  }
  return text;
}

std::string groups_of_built(const TensorType& type,
                            const std::function<Value(Builder&, Value)>& body) {
  Builder builder("m");
  const Value x = builder.input("x", type);
  builder.output("y", body(builder, x));
  auto model = std::move(builder).finish();
  EXPECT_TRUE(model.ok()) << model.rejection().message();
  return groups_text(*model);
}

const TensorType kImage{DType::F32, {1, 4, 8, 8}};

TEST(Groups, ConvolutionTakesNormActivationAndResidualAdd) {
  EXPECT_EQ(groups_of_built(kImage,
                            [](Builder& b, Value x) {
                              const Value first = relu(b, conv(b, x, 4));
                              const Value p = weight(b, {4});
                              const Value y = b.add(BatchNorm{}, {conv(b, first, 4), p, p, p, p});
                              return relu(b, add(b, y, first));
                            }),
            "conv* relu | conv* batch_norm add relu");
}

TEST(Groups, TheLastOfTwoConvolutionsTakesTheirSum) {
  EXPECT_EQ(groups_of_built(
                kImage,
                [](Builder& b, Value x) { return relu(b, add(b, conv(b, x, 4), conv(b, x, 4))); }),
            "conv* | conv* add relu");
}

TEST(Groups, AValueThatIsReadTwiceEndsItsGroup) {
  EXPECT_EQ(groups_of_built(kImage,
                            [](Builder& b, Value x) {
                              const Value y = add(b, conv(b, x, 4), x);
                              return add(b, conv(b, relu(b, y), 4), y);
                            }),
            "conv* add | relu* | conv* add");
}

TEST(Groups, MatMulTakesBiasAndGelu) {
  EXPECT_EQ(groups_of_built({DType::F32, {1, 8, 16}},
                            [](Builder& b, Value x) {
                              const Value y = b.add(MatMul{}, {x, weight(b, {16, 32})});
                              return b.add(Unary{UnaryFn::Gelu}, {add(b, y, weight(b, {32}))});
                            }),
            "matmul* add gelu");
}

TEST(Groups, AFunctionWrittenOutOverOneValueStaysTogether) {
  EXPECT_EQ(groups_of_built(kImage,
                            [](Builder& b, Value x) {
                              const Value y = conv(b, x, 4);
                              const Value s = b.add(Unary{UnaryFn::Sigmoid}, {y});
                              return b.add(Binary{BinaryFn::Mul}, {y, s});
                            }),
            "conv* sigmoid mul");
}

TEST(Groups, SoftmaxAndLayerNormBeginGroups) {
  EXPECT_EQ(groups_of_built(
                {DType::F32, {8, 16}},
                [](Builder& b, Value x) {
                  const Value y = b.add(Softmax{1}, {b.add(MatMul{}, {x, weight(b, {16, 16})})});
                  const Value n = b.add(LayerNorm{1}, {y, weight(b, {16})});
                  return relu(b, n);
                }),
            "matmul* | softmax* | layer_norm* relu");
}

TEST(Groups, ABroadcastDoesNotJoinWhatItRepeats) {
  EXPECT_EQ(groups_of_built(kImage,
                            [](Builder& b, Value x) {
                              const Value mean = b.add(Reduce{ReduceFn::Mean, {2, 3}, true}, {x});
                              const Value gate = b.add(Unary{UnaryFn::Sigmoid}, {mean});
                              return b.add(Binary{BinaryFn::Mul}, {x, gate});
                            }),
            "reduce_mean* sigmoid | mul*");
}

TEST(Groups, MovementsChainAndTakeTheirElementwiseConsumer) {
  EXPECT_EQ(groups_of_built(
                {DType::F32, {4, 6}},
                [](Builder& b, Value x) {
                  const Value y = b.add(MatMul{}, {x, weight(b, {6, 6})});
                  const Value t = b.add(Transpose{{1, 0, 2}}, {b.add(Reshape{{4, 2, 3}}, {y})});
                  return relu(b, t);
                }),
            "matmul* | reshape transpose relu*");
}

TEST(Groups, OutputsOfTheModelEndGroups) {
  Builder b("m");
  const Value x = b.input("x", kImage);
  const Value y = conv(b, x, 4);
  b.output("y", y);
  b.output("z", relu(b, y));
  EXPECT_EQ(groups_text(std::move(b).finish().value()), "conv* | relu*");
}

TEST(Groups, ResNetIsItsConvolutionsAndALittle) {
  const Model model = prepare(zoo::build("resnet18").value()).value();
  const std::vector<FusionGroup> groups = groups_of(model);
  EXPECT_EQ(groups.size(), 20u + 3u);  // pooling, the mean, the last layer
}

}  // namespace
}  // namespace cambium::lower
