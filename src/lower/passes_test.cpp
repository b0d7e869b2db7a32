#include "lower/passes.h"

#include <functional>
#include <string>
#include <vector>

#include "lower/passes_testing.h"
#include "model/builder.h"
#include "model/zoo/composites.h"
#include "model/zoo/zoo.h"

namespace cambium::lower {
namespace {

using namespace model;

Tensor normal(Ints dims, std::uint64_t seed) {
  return Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Normal, 0.5, seed});
}

Model built(const TensorType& type, const std::function<Value(Builder&, Value)>& body) {
  Builder builder("m");
  const Value x = builder.input("x", type);
  builder.output("y", body(builder, x));
  auto model = std::move(builder).finish();
  EXPECT_TRUE(model.ok()) << model.rejection().message();
  return std::move(model).value();
}

Value with_norm(Builder& builder, Value x, std::int64_t channels) {
  const Value scale = builder.weight("scale", normal({channels}, 1));
  const Value bias = builder.weight("bias", normal({channels}, 2));
  const Value mean = builder.weight("mean", normal({channels}, 3));
  std::vector<float> variances;
  for (std::int64_t c = 0; c < channels; ++c) variances.push_back(0.5f + static_cast<float>(c));
  const Value variance = builder.weight("variance", Tensor::of<float>({channels}, variances));
  return builder.add(BatchNorm{1e-3}, {x, scale, bias, mean, variance});
}

TEST(FoldConstants, ComputesWhatDependsOnWeightsAlone) {
  const Model model = built({DType::F32, {2, 3}}, [](Builder& b, Value x) {
    const Value w = b.weight("w", normal({3, 2}, 1));
    const Value t = b.add(Unary{UnaryFn::Tanh}, {b.add(Transpose{{1, 0}}, {w})});
    return b.add(Binary{BinaryFn::Mul}, {x, t});
  });
  const Model folded = fold_constants(model).value();
  EXPECT_EQ(folded.nodes().size(), 3u);  // the input, one weight, the product
  expect_same_function(model, folded, 0);
}

TEST(FoldConstants, EveryOutputOfASplitBecomesAWeight) {
  const Model model = built({DType::F32, {2, 2}}, [](Builder& b, Value x) {
    const Value w = b.weight("w", normal({2, 4}, 1));
    const Value halves = b.add(Split{1, {2, 2}}, {w});
    return b.add(MatMul{}, {b.add(MatMul{}, {x, halves}), {halves.node, 1}});
  });
  const Model folded = fold_constants(model).value();
  EXPECT_EQ(count_of<Split>(folded), 0);
  expect_same_function(model, folded, 0);
}

TEST(FoldConstants, LeavesAnExpansionIntoGigabytes) {
  const Model model = built({DType::F32, {1}}, [](Builder& b, Value x) {
    const Value zero = b.weight("zero", Tensor::scalar<float>(0));
    const Value large = b.add(Expand{{1 << 15, 1 << 15}}, {zero});
    return b.add(Binary{BinaryFn::Add}, {x, large});
  });
  EXPECT_EQ(count_of<Expand>(fold_constants(model).value()), 1);
}

TEST(FoldConstants, LeavesAnIndexOutOfRangeToWhoeverRunsTheModel) {
  const Model model = built({DType::F32, {1}}, [](Builder& b, Value x) {
    const Value table = b.weight("table", normal({4}, 1));
    const Value row = b.weight("row", Tensor::of<std::int64_t>({1}, {9}));
    return b.add(Binary{BinaryFn::Add}, {x, b.add(Gather{0}, {table, row})});
  });
  EXPECT_EQ(count_of<Gather>(fold_constants(model).value()), 1);
}

TEST(FoldBatchNorm, GoesIntoConvolutionsWithAndWithoutBias) {
  for (const bool bias : {false, true}) {
    for (const std::int64_t groups : {1, 2}) {
      const Model model = built({DType::F32, {1, 4, 6, 6}}, [&](Builder& b, Value x) {
        std::vector<Value> inputs{x, b.weight("w", normal({6, 4 / groups, 3, 3}, 4))};
        if (bias) inputs.push_back(b.weight("b", normal({6}, 5)));
        return with_norm(b, b.add(Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, groups}, inputs), 6);
      });
      const Model folded = fold_batch_norm(model).value();
      EXPECT_EQ(count_of<BatchNorm>(folded), 0);
      expect_same_function(model, folded, 1e-6);
    }
  }
}

TEST(FoldBatchNorm, GoesIntoGroupedTransposedConvolutions) {
  for (const std::int64_t groups : {1, 2}) {
    const Model model = built({DType::F32, {1, 4, 5, 5}}, [&](Builder& b, Value x) {
      const Value w = b.weight("w", normal({4, 3, 2, 2}, 4));
      return with_norm(b,
                       b.add(ConvTranspose{{2, 2}, {0, 0, 0, 0}, {1, 1}, {0, 0}, groups}, {x, w}),
                       3 * groups);
    });
    const Model folded = fold_batch_norm(model).value();
    EXPECT_EQ(count_of<BatchNorm>(folded), 0);
    expect_same_function(model, folded, 1e-6);
  }
}

TEST(FoldBatchNorm, GoesIntoGemmsWithAnyBias) {
  for (const bool transposed : {false, true}) {
    for (const Ints& bias : std::vector<Ints>{{5}, {1, 5}, {3, 5}, {3, 1}, {1}, {}}) {
      const Model model = built({DType::F32, {3, 4}}, [&](Builder& b, Value x) {
        const Value w = b.weight("w", normal(transposed ? Ints{5, 4} : Ints{4, 5}, 4));
        const Value c = b.weight("c", normal(bias, 5));
        return with_norm(b, b.add(Gemm{0.5, 3, false, transposed}, {x, w, c}), 5);
      });
      const Model folded = fold_batch_norm(model).value();
      EXPECT_EQ(count_of<BatchNorm>(folded), 0);
      expect_same_function(model, folded, 1e-6);
    }
  }
}

TEST(FoldBatchNorm, TurnsAMatMulIntoAGemm) {
  const Model model = built({DType::F32, {3, 4}}, [&](Builder& b, Value x) {
    return with_norm(b, b.add(MatMul{}, {x, b.weight("w", normal({4, 5}, 4))}), 5);
  });
  const Model folded = fold_batch_norm(model).value();
  EXPECT_EQ(count_of<Gemm>(folded), 1);
  EXPECT_EQ(count_of<BatchNorm>(folded), 0);
  expect_same_function(model, folded, 1e-6);
}

TEST(FoldBatchNorm, TwoInARowBothFold) {
  const Model model = built({DType::F32, {1, 3, 4, 4}}, [&](Builder& b, Value x) {
    const Value w = b.weight("w", normal({3, 3, 1, 1}, 4));
    const Value y = b.add(Conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {x, w});
    return with_norm(b, with_norm(b, y, 3), 3);
  });
  const Model folded = fold_batch_norm(model).value();
  EXPECT_EQ(count_of<BatchNorm>(folded), 0);
  expect_same_function(model, folded, 1e-6);
}

TEST(FoldBatchNorm, StaysWhenTheConvolutionIsReadTwiceOrThereIsNone) {
  const Model shared = built({DType::F32, {1, 3, 4, 4}}, [&](Builder& b, Value x) {
    const Value w = b.weight("w", normal({3, 3, 1, 1}, 4));
    const Value y = b.add(Conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {x, w});
    return b.add(Binary{BinaryFn::Add}, {with_norm(b, y, 3), y});
  });
  EXPECT_EQ(count_of<BatchNorm>(fold_batch_norm(shared).value()), 1);
  const Model alone =
      built({DType::F32, {1, 3, 4, 4}}, [&](Builder& b, Value x) { return with_norm(b, x, 3); });
  EXPECT_EQ(count_of<BatchNorm>(fold_batch_norm(alone).value()), 1);
}

TEST(DropIdentities, TakesOutNodesThatChangeNothing) {
  const TensorType type{DType::F32, {1, 2, 4, 4}};
  const auto constant = [](Builder& b, double v, Ints dims) {
    return b.weight("c", Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Constant, v, 0}));
  };
  const std::vector<std::function<Value(Builder&, Value)>> identities = {
      [](Builder& b, Value x) { return b.add(Cast{DType::F32}, {x}); },
      [](Builder& b, Value x) {
        return b.add(Reshape{{1, 2, 4, 4}}, {x});
      },
      [](Builder& b, Value x) {
        return b.add(Transpose{{0, 1, 2, 3}}, {x});
      },
      [](Builder& b, Value x) {
        return b.add(Expand{{1, 2, 4, 4}}, {x});
      },
      [](Builder& b, Value x) {
        return b.add(Tile{{1, 1, 1, 1}}, {x});
      },
      [](Builder& b, Value x) {
        return b.add(Pad{PadMode::Edge, Ints(8, 0), 0}, {x});
      },
      [](Builder& b, Value x) {
        return b.add(Slice{{0, 0, 0, 0}, {1, 2, 4, 4}, {1, 1, 1, 1}}, {x});
      },
      [](Builder& b, Value x) { return b.add(Concat{1}, {x}); },
      [](Builder& b, Value x) {
        return b.add(Split{1, {2}}, {x});
      },
      [](Builder& b, Value x) { return b.add(SpaceToDepth{1}, {x}); },
      [](Builder& b, Value x) {
        return b.add(Pool{PoolFn::Max, {1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}}, {x});
      },
      [](Builder& b, Value x) {
        return b.add(Resize{{1, 2, 4, 4}, {1, 1, 1, 1}, "asymmetric", "floor"}, {x});
      },
      [&](Builder& b, Value x) {
        return b.add(Binary{BinaryFn::Add}, {x, constant(b, 0, {2, 1, 1})});
      },
      [&](Builder& b, Value x) {
        return b.add(Binary{BinaryFn::Mul}, {constant(b, 1, {}), x});
      },
  };
  for (const auto& identity : identities) {
    const Model model = built(
        type, [&](Builder& b, Value x) { return b.add(Unary{UnaryFn::Abs}, {identity(b, x)}); });
    const Model dropped = drop_identities(model).value();
    EXPECT_EQ(dropped.nodes().size(), 2u) << kind_of(model.nodes()[1]->op);
    expect_same_function(model, dropped, 0);
  }
}

TEST(DropIdentities, KeepsWhatOnlyLooksLikeOne) {
  const auto constant = [](Builder& b, double v, Ints dims) {
    return b.weight("c", Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Constant, v, 0}));
  };
  const std::vector<std::function<Value(Builder&, Value)>> others = {
      [](Builder& b, Value x) {
        return b.add(Transpose{{0, 1, 3, 2}}, {x});
      },
      [](Builder& b, Value x) {
        return b.add(Slice{{0, 0, 3, 0}, {1, 2, 4, 4}, {1, 1, -1, 1}}, {x});
      },
      [](Builder& b, Value x) {
        return b.add(Pad{PadMode::Constant, {0, 0, 1, 0, 0, 0, -1, 0}, 0}, {x});
      },
      [](Builder& b, Value x) {
        return b.add(Pool{PoolFn::Max, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}}, {x});
      },
      [&](Builder& b, Value x) {
        return b.add(Binary{BinaryFn::Sub}, {constant(b, 0, {}), x});
      },
      [&](Builder& b, Value x) {
        return b.add(Binary{BinaryFn::Add}, {x, constant(b, 1, {})});
      },
      [&](Builder& b, Value x) {  // adding zeros repeats x here
        return b.add(Binary{BinaryFn::Add}, {x, constant(b, 0, {3, 2, 4, 4})});
      },
  };
  for (const auto& other : others) {
    const Model model = built({DType::F32, {1, 2, 4, 4}}, other);
    EXPECT_EQ(drop_identities(model).value().nodes().size(), model.nodes().size())
        << kind_of(model.nodes().back()->op);
  }
}

TEST(MergeMovements, TwoBecomeOneAndOppositesVanish) {
  const Model model = built({DType::F32, {2, 3, 4}}, [](Builder& b, Value x) {
    const Value t = b.add(Transpose{{2, 0, 1}}, {b.add(Transpose{{1, 0, 2}}, {x})});
    const Value r = b.add(Reshape{{24}}, {b.add(Reshape{{6, 4}}, {b.add(Reshape{{4, 6}}, {t})})});
    return b.add(Unary{UnaryFn::Neg}, {r});
  });
  const Model merged = merge_movements(model).value();
  EXPECT_EQ(merged.nodes().size(), 4u);
  expect_same_function(model, merged, 0);

  const Model undone = built({DType::F32, {2, 3, 4}}, [](Builder& b, Value x) {
    const Value t = b.add(Transpose{{2, 0, 1}}, {b.add(Transpose{{1, 2, 0}}, {x})});
    return b.add(Unary{UnaryFn::Neg}, {t});
  });
  EXPECT_EQ(prepare(undone).value().nodes().size(), 2u);
}

TEST(Passes, CanBeLeftOutByNameAndRefusesOthers) {
  const Model model = built({DType::F32, {1, 3, 4, 4}}, [&](Builder& b, Value x) {
    const Value w = b.weight("w", normal({3, 3, 1, 1}, 4));
    return with_norm(b, b.add(Conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {x, w}), 3);
  });
  EXPECT_EQ(count_of<BatchNorm>(prepare(model).value()), 0);
  const std::vector<std::string> off{"fold-batch-norm"};
  EXPECT_EQ(count_of<BatchNorm>(prepare(model, off).value()), 1);
  const std::vector<std::string> wrong{"fold-everything"};
  const auto refused = prepare(model, wrong);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::UnknownPass);
}

TEST(Passes, PutWhatCompositesAreInTheirPlace) {
  for (const zoo::KnownComposite& known : zoo::known_composites()) {
    SCOPED_TRACE(known.name);
    const zoo::ConvPlace place{.batch = 2, .in = 16, .out = 16, .side = 6};
    const Model model = zoo::model_around(zoo::known_composite(known.name, place).value());
    const auto prepared = prepare(model);
    ASSERT_TRUE(prepared.ok()) << prepared.rejection().message();
    EXPECT_EQ(count_of<Composite>(*prepared), 0);
    EXPECT_EQ(count_of<Einsum>(*prepared), 0);
    EXPECT_GE(count_of<Conv>(*prepared), 1);
    expect_same_function(model, *prepared, 1e-5);
    const std::string off[] = {"recognize"};
    const auto written = prepare(model, off);
    ASSERT_TRUE(written.ok()) << written.rejection().message();
    EXPECT_GE(count_of<Einsum>(*written), 1);
    EXPECT_EQ(count_of<Composite>(*written) + count_of<Conv>(*written), 0);
  }
}

TEST(Passes, KeepWhatZooModelsCompute) {
  const std::pair<const char*, zoo::ZooOptions> cases[] = {
      {"tiny-resnet", {.width_divisor = 4}},
      {"mobilenet-v2", {.classes = 10, .image = 32, .width_divisor = 8}},
      {"densenet121", {.classes = 10, .image = 32, .width_divisor = 8}},
      {"efficientnet-b0", {.classes = 10, .image = 32, .width_divisor = 8}},
      {"tiny-gpt", {.length = 16, .width_divisor = 4}},
  };
  for (const auto& [name, options] : cases) {
    const auto model = zoo::build(name, options);
    ASSERT_TRUE(model.ok()) << model.rejection().message();
    const auto prepared = prepare(*model);
    ASSERT_TRUE(prepared.ok()) << prepared.rejection().message();
    SCOPED_TRACE(name);
    expect_same_function(*model, *prepared, 1e-5);
    EXPECT_LE(prepared->nodes().size(), model->nodes().size());
  }
}

}  // namespace
}  // namespace cambium::lower
