#include "compile/layouts.h"

#include <gtest/gtest.h>

#include "model/builder.h"

namespace cambium::compile {
namespace {

using namespace model;

TEST(Layouts, ConvolutionsAndWhatIsAddedToThemStandChannelsLast) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {1, 4, 8, 8}});
  const Value w = b.weight("w", Tensor::lazy({DType::F32, {4, 4, 1, 1}}, {}));
  const Value a = b.add(Unary{UnaryFn::Relu}, {x});
  const Value c = b.add(Conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {a, w});
  const Value other = b.add(Unary{UnaryFn::Tanh}, {x});
  const Value sum = b.add(Binary{BinaryFn::Add}, {c, other});
  const Value flat = b.add(Reshape{{1, 256}}, {sum});
  const Value y = b.add(Unary{UnaryFn::Relu}, {sum});
  b.output("y", y);
  b.output("flat", flat);
  const Model model = std::move(b).finish().value();
  const lower::Layouts layouts = choose_layouts(model);
  const lower::Order last{0, 2, 3, 1};
  EXPECT_EQ(layouts.of(a), last);
  EXPECT_EQ(layouts.of(c), last);
  EXPECT_EQ(layouts.of(other), last);
  EXPECT_EQ(layouts.of(sum), last);
  EXPECT_TRUE(layouts.of(x).empty()) << "an input of the model";
  EXPECT_TRUE(layouts.of(w).empty());
  EXPECT_TRUE(layouts.of(y).empty()) << "an output of the model";
  EXPECT_TRUE(layouts.of(flat).empty());
}

TEST(Layouts, AttentionHeadsStayAsTheyAre) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {1, 2, 8, 8}});
  const Value s = b.add(Softmax{3}, {b.add(MatMul{}, {x, x})});
  b.output("y", b.add(MatMul{}, {s, x}));
  const Model model = std::move(b).finish().value();
  EXPECT_TRUE(choose_layouts(model).of(s).empty());
}

}  // namespace
}  // namespace cambium::compile
