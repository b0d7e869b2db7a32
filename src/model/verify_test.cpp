#include "model/verify.h"

#include <functional>

#include <gtest/gtest.h>

#include "model/builder.h"

namespace cambium::model {
namespace {

std::string verdict(const std::function<void(Builder&)>& body) {
  Builder builder("m");
  body(builder);
  const Status status = verify(std::move(builder).finish().value());
  if (status.ok()) return "sound";
  EXPECT_EQ(status.rejection().reason(), Reason::Unsound);
  return status.rejection().message();
}

TEST(Verify, AcceptsWhatABuilderMakes) {
  EXPECT_EQ(verdict([](Builder& b) {
              const Value x = b.input("x", {DType::F32, {2, 2}});
              b.input("unread", {DType::F32, {2}});
              b.begin_block("b", "t");
              const Value w = b.weight("w", Tensor::lazy({DType::F32, {2, 2}}, {}));
              b.output("y", b.add(MatMul{}, {x, w}));
            }),
            "sound");
}

TEST(Verify, RefusesABlockThatDoesNotExist) {
  EXPECT_EQ(verdict([](Builder& b) {
              const Value x = b.input("x", {DType::F32, {2}});
              b.set_block(x.node, 3);
              b.output("y", x);
            }),
            "model 'm': node 'x' (input): broken model: its block does not exist");
}

TEST(Verify, RefusesElementsThatAreNoElements) {
  EXPECT_EQ(verdict([](Builder& b) {
              b.output("y", b.weight("w", Tensor({DType::Bool, {1}}, {std::byte{2}})));
            }),
            "model 'm': node 'w' (weight): broken model: a bool is neither 0 nor 1");
  EXPECT_EQ(verdict([](Builder& b) {
              b.output("y", b.weight("w", Tensor::lazy({DType::U8, {1}}, {Fill::Law::Normal, 1})));
            }),
            "model 'm': node 'w' (weight): broken model: its rule cannot fill its type");
}

TEST(Verify, RefusesTwoOutputsOfOneName) {
  EXPECT_EQ(verdict([](Builder& b) {
              const Value x = b.input("x", {DType::F32, {2}});
              b.output("y", x);
              b.output("y", x);
            }),
            "model 'm': broken model: two outputs are named 'y'");
}

TEST(Verify, KnowsWhatARuleMayFill) {
  EXPECT_TRUE(can_fill(DType::U8, {Fill::Law::Constant, 255, 0}));
  EXPECT_FALSE(can_fill(DType::U8, {Fill::Law::Constant, 256, 0}));
  EXPECT_FALSE(can_fill(DType::U8, {Fill::Law::Constant, -1, 0}));
  EXPECT_FALSE(can_fill(DType::U8, {Fill::Law::Constant, 0.5, 0}));
  EXPECT_FALSE(can_fill(DType::I64, {Fill::Law::Constant, 9223372036854775808.0, 0}));
  EXPECT_TRUE(can_fill(DType::I64, {Fill::Law::Constant, -9223372036854775808.0, 0}));
  EXPECT_TRUE(can_fill(DType::Bool, {Fill::Law::Constant, 1, 0}));
  EXPECT_FALSE(can_fill(DType::Bool, {Fill::Law::Constant, 2, 0}));
  EXPECT_TRUE(can_fill(DType::F16, {Fill::Law::Normal, 1e300, 0}));
}

}  // namespace
}  // namespace cambium::model
