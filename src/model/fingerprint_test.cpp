#include "model/fingerprint.h"

#include <functional>

#include <gtest/gtest.h>

#include "model/builder.h"

namespace cambium::model {
namespace {

const TensorType kSquare{DType::F32, {4, 4}};

Tensor square(float value) {
  return Tensor::of<float>({4, 4}, std::vector<float>(16, value));
}

Model built(const std::function<void(Builder&)>& body) {
  Builder builder("m");
  body(builder);
  return std::move(builder).finish().value();
}

Model two_products(bool shared_weight) {
  return built([&](Builder& b) {
    const Value x = b.input("x", kSquare);
    const Value w = b.weight("w", square(1));
    const Value v = shared_weight ? w : b.weight("v", square(1));
    b.output("y", b.add(MatMul{}, {b.add(MatMul{}, {x, w}), v}));
  });
}

TEST(ModelFingerprint, TellsASharedWeightFromTwoEqualOnes) {
  EXPECT_NE(structure_of(two_products(true)), structure_of(two_products(false)));
  EXPECT_NE(content_of(two_products(true)), content_of(two_products(false)));
}

TEST(ModelFingerprint, TellsASharedSubexpressionFromADuplicatedOne) {
  const auto model = [](bool shared) {
    return built([&](Builder& b) {
      const Value x = b.input("x", kSquare);
      const Value p = b.add(Unary{UnaryFn::Exp}, {x});
      const Value q = shared ? p : b.add(Unary{UnaryFn::Exp}, {x});
      b.output("y", b.add(Binary{BinaryFn::Add}, {p, q}));
    });
  };
  EXPECT_NE(structure_of(model(true)), structure_of(model(false)));
}

// A hash of every node from its inputs alone cannot see which of two alike weights is read again.
TEST(ModelFingerprint, TellsWhichOfTwoAlikeWeightsIsReadAgain) {
  const auto model = [](bool first) {
    return built([&](Builder& b) {
      const Value v = b.weight("v", square(1)), w = b.weight("w", square(1));
      const Value x = b.input("x", kSquare);
      const Value p = b.add(MatMul{}, {x, v}), q = b.add(MatMul{}, {x, w});
      const Value both = b.add(Binary{BinaryFn::Sub}, {p, q});
      b.output("y", b.add(MatMul{}, {both, first ? v : w}));
    });
  };
  EXPECT_NE(structure_of(model(true)), structure_of(model(false)));
  EXPECT_EQ(structure_of(model(true)), structure_of(model(true)));
}

TEST(ModelFingerprint, CountsWeightsByTypeAndContentByValue) {
  const auto model = [](const Tensor& weight) {
    return built([&](Builder& b) {
      b.output("y", b.add(MatMul{}, {b.input("x", kSquare), b.weight("w", weight)}));
    });
  };
  EXPECT_EQ(structure_of(model(square(1))), structure_of(model(square(2))));
  EXPECT_NE(content_of(model(square(1))), content_of(model(square(2))));
  const Tensor wide = Tensor::of<float>({4, 5}, std::vector<float>(20, 1));
  EXPECT_NE(structure_of(model(square(1))), structure_of(model(wide)));
  // How a weight is stored does not count: lazy or not, the elements are the same.
  const Tensor lazy = Tensor::lazy(kSquare, {Fill::Law::Constant, 1, 0});
  EXPECT_EQ(content_of(model(square(1))), content_of(model(lazy)));
}

TEST(ModelFingerprint, CountsConstantsByValue) {
  const auto gather = [](std::int64_t row) {
    return built([&](Builder& b) {
      const Value rows = b.weight("rows", Tensor::of<std::int64_t>({1}, {row}));
      b.output("y", b.add(Gather{0}, {b.input("x", kSquare), rows}));
    });
  };
  const auto scale = [](float factor) {
    return built([&](Builder& b) {
      const Value s = b.weight("s", Tensor::scalar<float>(factor));
      b.output("y", b.add(Binary{BinaryFn::Mul}, {b.input("x", kSquare), s}));
    });
  };
  EXPECT_NE(structure_of(gather(1)), structure_of(gather(2)));
  EXPECT_NE(structure_of(scale(1)), structure_of(scale(2)));
}

TEST(ModelFingerprint, CountsTheOrderOfInputsOutputsAndSlots) {
  const auto model = [](bool swap_inputs, bool swap_outputs, std::uint32_t slot) {
    return built([&](Builder& b) {
      const Value x = b.input("x", kSquare), y = b.input("y", kSquare);
      const Value d = b.add(Binary{BinaryFn::Sub}, {swap_inputs ? y : x, swap_inputs ? x : y});
      const Value parts = b.add(Split{0, {2, 2}}, {d});
      const Value half = b.add(Unary{UnaryFn::Exp}, {Value{parts.node, slot}});
      b.output("a", swap_outputs ? half : d);
      b.output("b", swap_outputs ? d : half);
    });
  };
  const Fingerprint base = structure_of(model(false, false, 0));
  EXPECT_NE(base, structure_of(model(true, false, 0)));
  EXPECT_NE(base, structure_of(model(false, true, 0)));
  EXPECT_NE(base, structure_of(model(false, false, 1)));
}

TEST(ModelFingerprint, CountsAnInputThatNobodyReads) {
  const auto model = [](bool extra) {
    return built([&](Builder& b) {
      const Value x = b.input("x", kSquare);
      if (extra) b.input("unused", kSquare);
      b.output("y", b.add(Unary{UnaryFn::Exp}, {x}));
    });
  };
  EXPECT_NE(structure_of(model(false)), structure_of(model(true)));
}

TEST(ModelFingerprint, DoesNotFillAHugeLazyConstant) {
  const Model model = built([](Builder& b) {
    const Tensor huge =
        Tensor::lazy({DType::I64, {std::int64_t{1} << 36}}, {Fill::Law::Constant, 0, 0});
    b.output("y", b.add(Gather{0}, {b.input("x", kSquare), b.weight("rows", huge)}));
  });
  EXPECT_EQ(structure_of(model), structure_of(model));
}

TEST(ModelFingerprint, WalksADeepChainWithoutRecursion) {
  const Model model = built([](Builder& b) {
    Value x = b.input("x", {DType::F32, {1}});
    for (int i = 0; i < 200000; ++i) x = b.add(Unary{UnaryFn::Exp}, {x});
    b.output("y", x);
  });
  EXPECT_NE(structure_of(model), Fingerprint{});
}

}  // namespace
}  // namespace cambium::model
