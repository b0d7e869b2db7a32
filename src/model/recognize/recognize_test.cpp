#include "model/recognize/recognize.h"

#include <limits>

#include "model/composite.h"
#include "model/recognize/soup_testing.h"
#include "model/zoo/composites.h"
#include "model/zoo/zoo.h"

namespace cambium::model {
namespace {

using Kinds = std::map<std::string, int>;

const Node& only(const Model& model, std::string_view kind) {
  const Node* found = nullptr;
  for (const NodePtr& node : model.nodes()) {
    if (kind_of(node->op) != kind) continue;
    EXPECT_EQ(found, nullptr) << "more than one " << kind;
    found = node.get();
  }
  EXPECT_NE(found, nullptr) << "no " << kind << "\n" << to_text(model, {true});
  return found != nullptr ? *found : *model.nodes()[0];
}

class RecognizesColumns : public ::testing::TestWithParam<Unfolding> {};
INSTANTIATE_TEST_SUITE_P(Styles, RecognizesColumns,
                         ::testing::Values(Unfolding::Slices, Unfolding::Gather));

TEST_P(RecognizesColumns, AsAConvolution) {
  Soup s;
  const Value x = s.input({2, 6, 8, 10});
  const Value y =
      s.einsum("ncahbw,ocab->nohw", {s.columns(x, 3, 1, 1, GetParam()), s.weight({4, 6, 3, 3})});
  const Model model = s.done(y);
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
  EXPECT_EQ(only(out.model, "conv").as<Conv>()->pads, (Ints{1, 1, 1, 1}));
  EXPECT_EQ(cost_of(out.model).macs, cost_of(model).macs);
  show("conv 3x3", model, out);
}

TEST_P(RecognizesColumns, OfAStridedAndDilatedConvolution) {
  for (const auto& [stride, dilation] : {std::pair{2, 1}, std::pair{1, 2}, std::pair{2, 3}}) {
    Soup s;
    const Value columns = s.columns(s.input({1, 3, 12, 9}), 3, stride, dilation, GetParam());
    const Model model = s.done(s.einsum("ncahbw,ocab->nohw", {columns, s.weight({5, 3, 3, 3})}));
    const Recognized out = expect_same(model);
    EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
    const Conv& conv = *only(out.model, "conv").as<Conv>();
    EXPECT_EQ(conv.strides, (Ints{stride, stride}));
    EXPECT_EQ(conv.dilations, (Ints{dilation, dilation}));
    show("conv strided, dilated", model, out);
  }
}

TEST_P(RecognizesColumns, AsGroupedAndDepthwiseConvolutions) {
  Soup s;
  Value columns = s.columns(s.input({2, 8, 6, 6}), 3, 1, 1, GetParam());
  columns = s.reshape(columns, {2, 4, 2, 3, 6, 3, 6});
  const Model grouped = s.done(s.reshape(
      s.einsum("ngcahbw,gocab->ngohw", {columns, s.weight({4, 3, 2, 3, 3})}), {2, 12, 6, 6}));
  Recognized out = expect_same(grouped);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
  EXPECT_EQ(only(out.model, "conv").as<Conv>()->groups, 4);
  show("grouped conv", grouped, out);

  Soup d;
  const Value each = d.columns(d.input({2, 5, 6, 7}), 3, 1, 1, GetParam());
  const Model depthwise = d.done(d.einsum("ncahbw,cab->nchw", {each, d.weight({5, 3, 3})}));
  out = expect_same(depthwise);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
  EXPECT_EQ(only(out.model, "conv").as<Conv>()->groups, 5);
  show("depthwise conv", depthwise, out);
}

TEST_P(RecognizesColumns, InOneDimension) {
  Soup s;
  const Value columns = s.unfold(s.input({2, 4, 20}), {2, 5, 2, 1, 2, 2}, GetParam());
  const Model model = s.done(s.einsum("ncal,oca->nol", {columns, s.weight({3, 4, 5})}));
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
  EXPECT_EQ(only(out.model, "conv").outputs[0].dims, (Ints{2, 3, 10}));
  show("conv 1-D", model, out);
}

// The classic: [N, OH*OW, C*9] times [C*9, O], as a MatMul, then back to NCHW.
TEST_P(RecognizesColumns, MultipliedAsAMatrix) {
  Soup s;
  Value columns = s.columns(s.input({2, 4, 6, 8}), 3, 1, 1, GetParam());
  columns = s.reshape(s.transpose(columns, {0, 3, 5, 1, 2, 4}), {2, 48, 36});
  const Value product = s.builder().add(MatMul{}, {columns, s.weight({36, 5})});
  const Model model = s.done(s.reshape(s.transpose(product, {0, 2, 1}), {2, 5, 6, 8}));
  const Recognized out = expect_same(model);
  EXPECT_EQ(only(out.model, "conv").as<Conv>()->groups, 1);
  EXPECT_EQ(kinds(out.model).count("matmul"), 0u);
  show("im2col matmul", model, out);
}

// One gather over the flattened, padded image.
TEST(Recognizes, AGatherOverTheFlattenedImage) {
  Soup s;
  Value x = s.input({1, 3, 6, 7});
  x = s.reshape(s.pad(s.pad(x, 2, 1, 1), 3, 1, 1), {1, 3, 8 * 9});
  std::vector<std::int64_t> at;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      for (int h = 0; h < 6; ++h) {
        for (int w = 0; w < 7; ++w) at.push_back((h + a) * 9 + w + b);
      }
    }
  }
  const Value columns = s.builder().add(Gather{2}, {x, s.indices({9, 42}, at)});
  const Value y = s.einsum("nckp,ock->nop", {columns, s.weight({4, 3, 9})});
  const Recognized out = expect_same(s.done(s.reshape(y, {1, 4, 6, 7})));
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
}

TEST(Recognizes, APointwiseConvolutionAndOneWithAStride) {
  Soup s;
  const Value x = s.input({2, 6, 8, 8});
  const Model model = s.done(s.einsum("nchw,oc->nohw", {x, s.weight({4, 6})}));
  Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
  show("conv 1x1", model, out);

  Soup t;
  Value every_second = t.slice(t.input({2, 6, 8, 8}), 2, 0, 4, 2);
  every_second = t.slice(every_second, 3, 0, 4, 2);
  const Model strided = t.done(t.einsum("nchw,oc->nohw", {every_second, t.weight({4, 6})}));
  out = expect_same(strided);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
  EXPECT_EQ(only(out.model, "conv").as<Conv>()->strides, (Ints{2, 2}));
}

TEST(Recognizes, PatchesAsAConvolutionThatStridesOverThem) {
  Soup s;
  const Value patches = s.reshape(s.input({2, 3, 8, 12}), {2, 3, 2, 4, 3, 4});
  const Model model = s.done(s.einsum("nchawb,ocab->nohw", {patches, s.weight({5, 3, 4, 4})}));
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
  EXPECT_EQ(only(out.model, "conv").as<Conv>()->strides, (Ints{4, 4}));
}

// Composites of the zoo, expanded: 16 to 16 channels, 8 x 8, windows as they are asked for.
const zoo::ConvPlace kPlace{.batch = 2, .in = 16, .out = 16, .side = 8};

Model written(std::string_view name, const zoo::ConvPlace& place) {
  return expanded(zoo::model_around(zoo::known_composite(name, place).value()));
}

Model written(std::string_view name, Unfolding how) {
  zoo::ConvPlace place = kPlace;
  place.unfolding = how;
  return written(name, place);
}

// Syno's letters for that place.
constexpr struct { std::int64_t n = 2, in = 16, out = 16, side = 8, g = 2, k = 3, m = 2; } z;

TEST_P(RecognizesColumns, OfSynoOperator1AsTwoStagesWithoutAWindow) {
  const Model model = written("syno-1", GetParam());
  const Recognized out = expect_same(model);
  const Kinds found = kinds(out.model);
  EXPECT_EQ(found.at("conv"), 2) << to_text(out.model, {true});
  EXPECT_EQ(found.count("einsum") + found.count("gather"), 0u);
  // Z[n, G, h, w, b, c] is the largest there is, padded by one column on each side.
  const std::int64_t stage = z.n * z.g * z.side * (z.side + 2) * z.k * z.m * 4;
  const std::int64_t input = z.n * z.in * z.side * z.side * 4;
  EXPECT_LE(largest_activation(out.model), std::max(stage, input));
  const std::int64_t pixels = z.n * z.side * z.side;
  EXPECT_EQ(cost_of(out.model).macs,
            pixels * z.k * z.m * z.in + pixels * z.k * z.k * z.g * z.m * z.out);
  show("Syno operator 1", model, out);
}

TEST_P(RecognizesColumns, OfSynoOperator2AsTwoConvolutionsOfAShift) {
  const Model model = written("syno-2", GetParam());
  const Recognized out = expect_same(model);
  const Kinds found = kinds(out.model);
  EXPECT_EQ(found.at("conv"), 2) << to_text(out.model, {true});
  EXPECT_EQ(found, (Kinds{{"conv", 2}, {"split", 1}, {"concat", 1}})) << to_text(out.model, {true});
  const std::int64_t pixels = z.n * z.side * z.side;
  EXPECT_LE(largest_activation(out.model), pixels * std::max(z.in, z.g * z.m) * 4);
  EXPECT_EQ(cost_of(out.model).macs, pixels * z.k * z.m * z.in + pixels * z.k * z.g * z.m * z.out);
  show("Syno operator 2", model, out);
}

// Where the channels between the stages are many, one convolution with the product of the weights
// costs less.
TEST(Recognizes, ThatMultiplyingTheWeightsMayBeCheaper) {
  zoo::ConvPlace place = kPlace;
  place.out = 128;  // m = 16
  const Recognized out = expect_same(written("syno-1", place));
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 1}})) << to_text(out.model, {true});
}

// The same operator written in its stages.
TEST(Recognizes, StagedSynoOperator1) {
  Soup s;
  Value x = s.input({z.n, z.in, z.side, z.side});
  x = s.reshape(s.unfold(x, {3, z.k, 1, 1, 1, 1}, Unfolding::Slices),
                {z.n, z.g, z.in / z.g, z.side, z.k, z.side});
  const Value w2 = s.reshape(s.weight({z.in, z.k, z.m}), {z.g, z.in / z.g, z.k, z.m});
  const Value stage = s.einsum("ngihbw,gibc->nghwbc", {x, w2});
  const Value unfolded = s.unfold(stage, {2, z.k, 1, 1, 1, 1}, Unfolding::Gather);
  const Value w1 = s.weight({z.g, z.k, z.k, z.out, z.m});
  const Model model = s.done(s.einsum("ngahwbc,gaboc->nohw", {unfolded, w1}));
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model).at("conv"), 2) << to_text(out.model, {true});
  EXPECT_EQ(kinds(out.model).count("einsum"), 0u);
  show("Syno operator 1, staged", model, out);
}

TEST_P(RecognizesColumns, OfNasPteSequence1) {
  const Model model = written("nas-pte-1", GetParam());
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 2}, {"split", 1}, {"concat", 1}}))
      << to_text(out.model, {true});
  show("NAS-PTE sequence 1", model, out);
}

TEST(Recognizes, NasPteSequence1AsOneGroupedConvolution) {
  Soup s;
  const Value slabs = s.reshape(s.input({2, 4, 8, 8}), {2, 4, 2, 4, 8});
  Value columns = s.unfold(slabs, {3, 3, 1, 1, 1, 1}, Unfolding::Slices);
  columns = s.unfold(columns, {5, 3, 1, 1, 1, 1}, Unfolding::Slices);
  const Value y = s.einsum("ncgahbw,gocab->noghw", {columns, s.weight({2, 6, 4, 3, 3})});
  const Recognized out = expect_same(s.done(s.reshape(y, {2, 6, 8, 8})));
  EXPECT_EQ(only(out.model, "conv").as<Conv>()->groups, 2);
  EXPECT_EQ(kinds(out.model).count("einsum"), 0u);
}

TEST_P(RecognizesColumns, OfNasPteSequence2) {
  const Model model = written("nas-pte-2", GetParam());
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 2}, {"slice", 1}, {"concat", 1}}))
      << to_text(out.model, {true});
  show("NAS-PTE sequence 2", model, out);
}

TEST_P(RecognizesColumns, OfNasPteSequence3) {
  const Model model = written("nas-pte-3", GetParam());
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"conv", 2}, {"concat", 1}})) << to_text(out.model, {true});
  show("NAS-PTE sequence 3", model, out);
}

TEST(Recognizes, AShiftConvolution) {
  const Model model = written("shift", kPlace);
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model).at("conv"), 1);
  EXPECT_EQ(kinds(out.model).count("einsum"), 0u);
  EXPECT_LE(largest_activation(out.model), 2 * 16 * 10 * 10 * 4);
  EXPECT_EQ(cost_of(out.model).macs, cost_of(model).macs);
  show("shift conv", model, out);
}

// At the sizes of a real layer, which the benchmark of training has too.
TEST(Recognizes, KnownCompositesAtTheirUsualSize) {
  for (const zoo::KnownComposite& known : zoo::known_composites()) {
    const Model model = written(known.name, zoo::ConvPlace{});
    const Recognized out = recognize(model);
    EXPECT_EQ(kinds(out.model).count("einsum"), 0u) << known.name;
    EXPECT_GE(kinds(out.model)["conv"], 1) << known.name;
    show(std::string(known.name), model, out);
  }
}

TEST(Recognizes, AndSaysWhatComputesTheValueNow) {
  const Model model = written("nas-pte-3", kPlace);
  const Recognized out = recognize(model);
  EXPECT_EQ(out.moved.size(), 2u);
  for (const auto& [old, now] : out.moved) {
    EXPECT_TRUE(model.contains(old.node) && !out.model.contains(old.node));
    EXPECT_EQ(out.model.type(now), model.type(old));
  }
  // The rows of a shift are slices, then a split: of the model itself only the gather has moved.
  Soup s;
  const Model rolled = s.done(s.roll(s.input({2, 3, 7}), 2, 3));
  const Recognized shift = recognize(rolled);
  ASSERT_EQ(shift.moved.size(), 1u);
  EXPECT_EQ(shift.moved.begin()->first, rolled.outputs()[0].value);
  EXPECT_EQ(shift.moved.begin()->second, shift.model.outputs()[0].value);
  const Model nothing = zoo::build("tiny-resnet").value();
  EXPECT_EQ(recognize(nothing).model.nodes().data()[0], nothing.nodes().data()[0]);
}

TEST(Recognizes, CompositesAloneIfThatIsAsked) {
  Builder b(written("shift", kPlace));  // an einsum outside
  const Model outside = written("shift", kPlace);
  const auto inside = zoo::known_composite("shift", kPlace).value();
  const Value w = b.weight("w2", Tensor::lazy({DType::F32, {16, 16}}, {Fill::Law::Normal, 1, 3}));
  b.output("z", b.add(inside, {outside.outputs()[0].value, w}, "place"));
  const Recognized out = recognize_composites(std::move(b).finish().value());
  EXPECT_FALSE(out.found.empty());
  for (const std::string& line : out.found) EXPECT_EQ(line.rfind("place", 0), 0u) << line;
  EXPECT_EQ(kinds(out.model).at("einsum"), 1);
  EXPECT_EQ(kinds(out.model).count("composite"), 0u);
}

TEST(Recognizes, AGatherThatWrapsAroundAsAShift) {
  Soup s;
  const Recognized out = expect_same(s.done(s.roll(s.input({2, 3, 7}), 2, 3)));
  EXPECT_EQ(kinds(out.model), (Kinds{{"split", 1}, {"concat", 1}}));
}

TEST_P(RecognizesColumns, AveragedAsPooling) {
  Soup s;
  const Value columns = s.columns(s.input({2, 3, 8, 8}), 3, 2, 1, GetParam());
  const Model model = s.done(s.builder().add(Reduce{ReduceFn::Mean, {2, 4}, false}, {columns}));
  Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"pool", 1}})) << to_text(out.model, {true});
  show("average pool", model, out);

  Soup t;
  const Value again = t.columns(t.input({2, 3, 8, 8}), 3, 1, 1, GetParam());
  out = expect_same(t.done(t.einsum("ncahbw->nchw", {again})));
  EXPECT_EQ(kinds(out.model), (Kinds{{"pool", 1}, {"binary", 1}})) << to_text(out.model, {true});
}

TEST(Recognizes, MaximaAsPoolingOnlyWhereTheBorderCannotWin) {
  for (const double fill : {-std::numeric_limits<double>::infinity(), 0.0}) {
    Soup s;
    Value x = s.unfold(s.input({2, 3, 8, 8}), {2, 3, 2, 1, 1, 1}, Unfolding::Slices, fill);
    x = s.unfold(x, {4, 3, 2, 1, 1, 1}, Unfolding::Slices, fill);
    const Recognized out =
        expect_same(s.done(s.builder().add(Reduce{ReduceFn::Max, {2, 4}, false}, {x})));
    EXPECT_EQ(kinds(out.model).count("pool"), fill == 0 ? 0u : 1u);
  }
}

TEST(Recognizes, PoolingOfTiles) {
  Soup s;
  const Value tiles = s.reshape(s.input({2, 3, 8, 6}), {2, 3, 4, 2, 3, 2});
  const Model model = s.done(s.builder().add(Reduce{ReduceFn::Mean, {3, 5}, false}, {tiles}));
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"pool", 1}})) << to_text(out.model, {true});
}

TEST(Recognizes, NothingInAPixelShuffle) {
  Soup s;
  const Value split = s.reshape(s.input({2, 12, 4, 4}), {2, 3, 2, 2, 4, 4});
  const Model model = s.done(s.reshape(s.transpose(split, {0, 1, 4, 2, 5, 3}), {2, 3, 8, 8}));
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"transpose", 1}}));
  EXPECT_TRUE(out.found.empty());
}

TEST(Recognizes, AFullyConnectedLayer) {
  Soup s;
  const Model model = s.done(s.einsum("ni,oi->no", {s.input({4, 6}), s.weight({5, 6})}));
  Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model), (Kinds{{"matmul", 1}}));

  // As an expanded product and a sum.
  Soup t;
  const Value x = t.builder().add(Expand{{4, 5, 6}}, {t.reshape(t.input({4, 6}), {4, 1, 6})});
  const Value product = t.builder().add(Binary{BinaryFn::Mul}, {x, t.weight({5, 6})});
  const Model summed = t.done(t.builder().add(Reduce{ReduceFn::Mean, {2}, false}, {product}));
  out = expect_same(summed);
  EXPECT_EQ(kinds(out.model).at("matmul"), 1) << to_text(out.model, {true});
  show("fully connected, product and mean", summed, out);
}

TEST(Recognizes, ProjectionsPerHeadAndTheirScores) {
  Soup s;
  const Value x = s.input({2, 5, 12});
  const Value q = s.einsum("ntc,hcd->nhtd", {x, s.weight({3, 12, 4})});
  const Value k = s.einsum("ntc,hcd->nhtd", {x, s.weight({3, 12, 4})});
  const Model model = s.done(s.einsum("nhtd,nhsd->nhts", {q, k}));
  const Recognized out = expect_same(model);
  EXPECT_EQ(kinds(out.model).at("matmul"), 3) << to_text(out.model, {true});
  EXPECT_EQ(kinds(out.model).count("einsum"), 0u);
  show("per-head projections", model, out);
}

// Y[n,t,j] = sum over r of X[n,t,(j % P)/Q * R + r] * W[j/P, r, j % Q]
TEST(Recognizes, TheProjectionOfSynoForLanguageModels) {
  Soup s;
  const Value x = s.reshape(s.input({2, 5, 8}), {2, 5, 2, 4});
  const Value y = s.einsum("ntgr,prq->ntpgq", {x, s.weight({3, 4, 2})});
  const Recognized out = expect_same(s.done(s.reshape(y, {2, 5, 12})));
  EXPECT_EQ(kinds(out.model), (Kinds{{"matmul", 1}, {"transpose", 1}}))
      << to_text(out.model, {true});
}

TEST(Recognizes, WhatHasAnotherReader) {
  Soup s;
  const Value columns = s.columns(s.input({1, 4, 6, 6}), 3, 1, 1, Unfolding::Slices);
  s.builder().output("columns", columns);
  const Recognized out =
      expect_same(s.done(s.einsum("ncahbw,ocab->nohw", {columns, s.weight({2, 4, 3, 3})})));
  EXPECT_EQ(kinds(out.model).at("conv"), 1);
  EXPECT_GT(kinds(out.model).at("slice"), 0);
}

TEST(Recognizes, NothingInPublishedNetworks) {
  for (const zoo::ZooEntry& entry : zoo::entries()) {
    const auto model = zoo::build(entry.name);
    ASSERT_TRUE(model.ok()) << entry.name;
    const Recognized out = recognize(*model);
    EXPECT_EQ(kinds(out.model), kinds(*model)) << entry.name;
    EXPECT_EQ(cost_of(out.model).macs, cost_of(*model).macs) << entry.name;
    EXPECT_TRUE(out.found.empty()) << entry.name << ": " << out.found[0];
  }
}

TEST(Recognizes, NothingInAModelWithoutOutputs) {
  EXPECT_TRUE(recognize(Model()).model.nodes().empty());
}

TEST(Recognizes, NothingInLongChainsManyOperandsAndEmptyTensors) {
  Soup s;
  Value x = s.input({2, 3});
  for (int i = 0; i < 5000; ++i) x = s.transpose(x, {1, 0});
  expect_same(s.done(s.einsum("ij,jk->ik", {x, s.weight({3, 2})})));

  Soup many;
  const Value a = many.input({2, 2});
  const Model product = many.done(many.einsum("ij,jk,kl,lm,mn->in", {a, a, a, a, a}));
  EXPECT_EQ(kinds(expect_same(product).model), (Kinds{{"einsum", 1}}));

  Soup none;
  const Value y = none.einsum("ij,jk->ik", {none.input({2, 0}), none.weight({0, 3})});
  EXPECT_EQ(kinds(expect_same(none.done(y)).model), (Kinds{{"einsum", 1}}));
}

TEST(Recognizes, NothingWhereNothingIsContracted) {
  Soup s;
  const Model model = s.done(s.einsum("nchw,c->nchw", {s.input({1, 4, 6, 6}), s.weight({4})}));
  EXPECT_EQ(kinds(expect_same(model).model), (Kinds{{"einsum", 1}}));
}

}  // namespace
}  // namespace cambium::model
