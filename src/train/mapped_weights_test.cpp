#include "train/mapped_weights.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/operators.h"
#include "model/reference/execute.h"

namespace cambium::train {
namespace {

using model::Builder;
using model::Ints;
using model::Model;
using model::Tensor;
using model::Value;
using model::WeightOrigin;

constexpr std::int64_t kIn = 8, kOut = 12;

Tensor filled_later(Ints dims) {
  return Tensor::lazy({DType::F32, std::move(dims)}, {});
}

// x[1, 8, 5, 5] -> 3x3 convolution `conv` -> mean -> `fc`. The names of its weights tell the
// convolutions apart.
Model net(std::int64_t groups, const std::string& weight, std::int64_t out = kOut) {
  Builder b("net");
  const Value x = b.input("x", {DType::F32, {1, kIn, 5, 5}});
  const Value w = b.weight(weight, filled_later({out, kIn / groups, 3, 3}));
  const Value y = b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, groups}, {x, w}, "conv");
  const Value mean = b.add(model::Reduce{model::ReduceFn::Mean, {2, 3}, false}, {y}, "mean");
  const Value rows = b.weight("fc.w", filled_later({out, 4}));
  b.output("y", b.add(model::MatMul{}, {mean, rows}, "fc"));
  return std::move(b).finish().value();
}

const Tensor& weight_of(const Model& model, const std::string& name) {
  for (const model::NodePtr& node : model.nodes()) {
    if (node->name == name) return node->as<model::Weight>()->value;
  }
  ADD_FAILURE() << name;
  return model.nodes()[0]->as<model::Weight>()->value;
}

// Element [o, i, k] of the weight of a grouped convolution is [o, i + offset of its group, k] of
// the dense one.
WeightOrigin block_diagonal(std::int64_t groups) {
  WeightOrigin origin{"w.grouped", "w", {}};
  for (std::int64_t o = 0; o < kOut; ++o) {
    for (std::int64_t i = 0; i < kIn / groups; ++i) {
      const std::int64_t dense = o / (kOut / groups) * (kIn / groups) + i;
      for (std::int64_t k = 0; k < 9; ++k) origin.elements.push_back((o * kIn + dense) * 9 + k);
    }
  }
  return origin;
}

std::vector<double> outputs(const Model& model) {
  const Tensor x = Tensor::lazy({DType::F32, {1, kIn, 5, 5}}, {model::Fill::Law::Normal, 1, 7});
  return model::execute(model, {&x, 1}).value().at(0).to_doubles();
}

Model mapped(const Model& candidate, const std::vector<WeightOrigin>& origins,
             InitializeOptions options = {}, MappedScale scale = MappedScale::Law) {
  const Beginning original = beginning_of(net(1, "w"), options);
  auto made = mapped_beginning(candidate, original, origins, options, scale);
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return std::move(made).value();
}

// A grouped convolution is the dense one with zeros between the groups.
TEST(MappedWeights, AGroupedConvolutionIsTheBlockDiagonalOfTheDenseOne) {
  const Model grouped = mapped(net(4, "w.grouped"), {block_diagonal(4)});
  const Beginning original = beginning_of(net(1, "w"), {});
  const std::vector<double> all = weight_of(original.model, "w").to_doubles();
  std::vector<float> kept(all.size(), 0);
  for (const std::int64_t element : block_diagonal(4).elements) {
    kept[static_cast<std::size_t>(element)] =
        static_cast<float>(all[static_cast<std::size_t>(element)]);
  }
  Builder with_zeros(original.model);
  for (const model::NodePtr& node : original.model.nodes()) {
    if (node->name != "w") continue;
    with_zeros.set_weight(node->id, Tensor::of<float>({kOut, kIn, 3, 3}, kept));
  }
  const auto expected = outputs(std::move(with_zeros).finish().value()), made = outputs(grouped);
  ASSERT_EQ(made.size(), expected.size());
  for (std::size_t i = 0; i < made.size(); ++i) EXPECT_NEAR(made[i], expected[i], 1e-6) << i;
  EXPECT_NE(outputs(mapped(net(4, "w.grouped"), {})), made) << "fresh weights are others";
}

TEST(MappedWeights, OfAnotherNameBeginWithTheSameBits) {
  WeightOrigin same{"w.new", "w", std::vector<std::int64_t>(kOut * kIn * 9)};
  std::iota(same.elements.begin(), same.elements.end(), 0);
  const Model renamed = mapped(net(1, "w.new"), {same});
  EXPECT_EQ(outputs(renamed), outputs(initialized(net(1, "w"), {})));
  EXPECT_NE(outputs(initialized(net(1, "w.new"), {})), outputs(renamed));
}

TEST(MappedWeights, ElementsWithoutAnOriginStayAsTheyAreDrawn) {
  WeightOrigin some = block_diagonal(2);
  for (std::size_t i = 0; i < some.elements.size(); i += 3) some.elements[i] = -1;
  const Model made = mapped(net(2, "w.grouped"), {some});
  const auto elements = weight_of(made, "w.grouped").as<float>();
  const Model fresh = initialized(net(2, "w.grouped"), {}), old = initialized(net(1, "w"), {});
  const auto drawn = weight_of(fresh, "w.grouped").as<float>(),
             from = weight_of(old, "w").as<float>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::int64_t origin = some.elements[i];
    ASSERT_EQ(elements[i], origin < 0 ? drawn[i] : from[static_cast<std::size_t>(origin)]) << i;
  }
}

// The same random number under the law of each network: scaled as the laws are.
TEST(MappedWeights, HaveTheSizeOfTheCandidatesLaw) {
  struct Case {
    Scheme scheme;
    double factor;  // of a convolution in 4 groups, which has a quarter of the inputs
  };
  const double in = kIn * 9, out = kOut * 9;
  for (const Case& each :
       {Case{Scheme::KaimingFanOut, 1}, Case{Scheme::KaimingFanIn, 2}, Case{Scheme::Lecun, 2},
        Case{Scheme::Normal02, 1}, Case{Scheme::Xavier, std::sqrt((in + out) / (in / 4 + out))}}) {
    InitializeOptions options;
    options.scheme = each.scheme;
    const Model made = mapped(net(4, "w.grouped"), {block_diagonal(4)}, options);
    const Model old = initialized(net(1, "w"), options);
    const auto elements = weight_of(made, "w.grouped").as<float>();
    const auto from = weight_of(old, "w").as<float>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto element = static_cast<std::size_t>(block_diagonal(4).elements[i]);
      ASSERT_NEAR(elements[i], each.factor * from[element], 1e-6 * std::fabs(elements[i]));
    }
  }
}

// Half of the outputs: a law by fan-out draws sqrt(2) times as much, one by fan-in the same.
TEST(MappedWeights, OfABottleneckAreAPrefixOfTheOldOnes) {
  WeightOrigin prefix{"w.half", "w", std::vector<std::int64_t>(kOut / 2 * kIn * 9)};
  std::iota(prefix.elements.begin(), prefix.elements.end(), 0);
  const Model old = initialized(net(1, "w"), {});
  const auto from = weight_of(old, "w").as<float>();
  const auto first = [&](MappedScale scale) {
    const Model made = mapped(net(1, "w.half", kOut / 2), {prefix}, {}, scale);
    return weight_of(made, "w.half").as<float>()[5] / from[5];
  };
  EXPECT_NEAR(first(MappedScale::Law), std::sqrt(2.0), 1e-6);
  EXPECT_EQ(first(MappedScale::FanIn), 1);
  EXPECT_EQ(first(MappedScale::None), 1);
}

TEST(MappedWeights, KeepTheVarianceOfOutputsIfAsked) {
  const Model old = initialized(net(1, "w"), {});
  const Model made = mapped(net(4, "w.grouped"), {block_diagonal(4)}, {}, MappedScale::FanIn);
  const Model same = mapped(net(4, "w.grouped"), {block_diagonal(4)}, {}, MappedScale::None);
  const float from = weight_of(old, "w").as<float>()[0];
  EXPECT_EQ(weight_of(made, "w.grouped").as<float>()[0], 2 * from);
  EXPECT_EQ(weight_of(same, "w.grouped").as<float>()[0], from);
}

TEST(MappedWeights, ShareTheTensorsOfWeightsThatNoEditTouches) {
  const Beginning original = beginning_of(net(1, "w"), {});
  const Model made =
      mapped_beginning(net(4, "w.grouped"), original, std::vector{block_diagonal(4)}, {}).value();
  const Model alone = initialized(net(4, "w.grouped"), {});
  EXPECT_EQ(weight_of(made, "fc.w").bytes().data(),
            weight_of(original.model, "fc.w").bytes().data());
  EXPECT_NE(weight_of(alone, "fc.w").bytes().data(), weight_of(made, "fc.w").bytes().data());
}

TEST(MappedWeights, RefuseOriginsThatDoNotFit) {
  const Beginning original = beginning_of(net(1, "w"), {});
  const auto refusal = [&](WeightOrigin origin) {
    const auto made = mapped_beginning(net(4, "w.grouped"), original, {&origin, 1}, {});
    EXPECT_FALSE(made.ok());
    return made.ok() ? Reason::Unavailable : made.rejection().reason();
  };
  WeightOrigin origin = block_diagonal(4);
  origin.weight = "w";
  EXPECT_EQ(refusal(origin), Reason::NotFound);
  origin = block_diagonal(4);
  origin.from = "w.grouped";
  EXPECT_EQ(refusal(origin), Reason::NotFound);
  origin = block_diagonal(4);
  origin.elements.pop_back();
  EXPECT_EQ(refusal(origin), Reason::ShapeMismatch);
  origin = block_diagonal(4);
  origin.elements[3] = kOut * kIn * 9;
  EXPECT_EQ(refusal(origin), Reason::IndexOutOfRange);
}

TEST(MappedWeights, RefuseNumbersOfAnotherType) {
  const auto wide = [](const char* name, DType type) {
    Builder b("wide");
    const Value x = b.input("x", {type, {1, 4}});
    const Value w = b.weight(name, Tensor::lazy({type, {4, 2}}, {}));
    b.output("y", b.add(model::MatMul{}, {x, w}, "fc"));
    return std::move(b).finish().value();
  };
  const Beginning original = beginning_of(wide("a", DType::F64), {});
  const WeightOrigin origin{"b", "a", {0, 1, 2, 3, 4, 5, 6, 7}};
  const auto made = mapped_beginning(wide("b", DType::F64), original, {&origin, 1}, {});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.rejection().reason(), Reason::WrongType);
}

TEST(MappedScale, IsKnownByName) {
  for (const MappedScale scale : {MappedScale::Law, MappedScale::FanIn, MappedScale::None}) {
    EXPECT_EQ(mapped_scale_of(name_of(scale)).value(), scale);
  }
  EXPECT_EQ(mapped_scale_of("both").rejection().reason(), Reason::BadOption);
}

}  // namespace
}  // namespace cambium::train
