// Every operator of a Model, in every form that changes how it is written, goes out as ONNX and
// comes back as it was.
#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "model/composite.h"
#include "model/cost.h"
#include "model/onnx/round_trip_testing.h"
#include "model/reference/execute.h"
#include "model/zoo/composites.h"

namespace cambium::model {
namespace {

struct Case {
  Op op;
  std::vector<TensorType> inputs;
};

TensorType f32(Ints dims) {
  return {DType::F32, std::move(dims)};
}

Pool pool(PoolFn fn) {
  Pool op;
  op.fn = fn;
  op.kernel = {3, 2};
  op.strides = {2, 1};
  op.pads = {1, 0, 1, 1};
  op.dilations = {1, 1};
  return op;
}

void add_contractions(std::vector<Case>& cases) {
  cases.push_back({Conv{{2}, {1, 0}, {2}, 2}, {f32({1, 4, 9}), f32({6, 2, 3}), f32({6})}});
  cases.push_back({Conv{{1, 2}, {0, 1, 2, 3}, {1, 1}, 1}, {f32({1, 3, 8, 8}), f32({4, 3, 3, 3})}});
  cases.push_back({Conv{{1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, 1},
                   {f32({1, 1, 3, 3, 3}), f32({2, 1, 2, 2, 2})}});
  cases.push_back({ConvTranspose{{2, 2}, {1, 1, 1, 1}, {1, 1}, {1, 0}, 1},
                   {f32({1, 3, 5, 5}), f32({3, 2, 3, 3}), f32({2})}});
  cases.push_back({MatMul{}, {f32({2, 3, 4}), f32({4, 5})}});
  cases.push_back({Gemm{0.1 + 1e-12, 0.5, true, false}, {f32({3, 2}), f32({3, 4}), f32({4})}});
  cases.push_back({Gemm{1, 1, false, true}, {f32({2, 3}), f32({4, 3})}});
  cases.push_back({Einsum{"bij,bjk->bki"}, {f32({2, 3, 4}), f32({2, 4, 5})}});
}

void add_normalizations(std::vector<Case>& cases) {
  const TensorType c = f32({6});
  cases.push_back({BatchNorm{1e-3}, {f32({2, 6, 4}), c, c, c, c}});
  cases.push_back({LayerNorm{1, 1e-6}, {f32({2, 3, 4}), f32({3, 4}), f32({3, 4})}});
  cases.push_back({LayerNorm{2, 1e-5}, {f32({2, 3, 4}), f32({4})}});
  cases.push_back({GroupNorm{6, 1e-5}, {f32({2, 6, 4}), c, c}});
  cases.push_back({GroupNorm{3, 1e-5}, {f32({2, 6, 4, 4}), c, c}});
  cases.push_back({GroupNorm{1, 1e-5}, {f32({2, 6, 4}), c, c}});
  cases.push_back({GroupNorm{2, 1.0 / 3}, {f32({2, 6}), c, c}});
  cases.push_back({GroupNorm{6, 1e-5}, {f32({2, 6}), c, c}});
  cases.push_back({Softmax{1}, {f32({2, 3, 4})}});
  cases.push_back({LogSoftmax{2}, {f32({2, 3, 4})}});
}

// Of functions without one it is 0, as everywhere.
double beta_of(ActivationFn fn) {
  const bool has =
      fn == ActivationFn::Selu || fn == ActivationFn::HardSigmoid || fn == ActivationFn::Clip;
  return has ? 0.7 : 0;
}

void add_elementwise(std::vector<Case>& cases) {
#define CAMBIUM_X(fn, name) \
  cases.push_back(          \
      {Unary{UnaryFn::fn}, {{UnaryFn::fn == UnaryFn::Not ? DType::Bool : DType::F32, {2, 3}}}});
  CAMBIUM_FOR_EACH_UNARY(CAMBIUM_X)
#undef CAMBIUM_X
#define CAMBIUM_X(fn, name) \
  cases.push_back({Activation{ActivationFn::fn, 0.1, beta_of(ActivationFn::fn)}, {f32({2, 3})}});
  CAMBIUM_FOR_EACH_ACTIVATION(CAMBIUM_X)
#undef CAMBIUM_X
#define CAMBIUM_X(fn, name)                                                                  \
  cases.push_back({Binary{BinaryFn::fn},                                                     \
                   std::vector<TensorType>(2, {is_logical(BinaryFn::fn)        ? DType::Bool \
                                               : BinaryFn::fn == BinaryFn::Mod ? DType::I32  \
                                                                               : DType::F32, \
                                               {2, 3}})});
  CAMBIUM_FOR_EACH_BINARY(CAMBIUM_X)
#undef CAMBIUM_X
  const double infinity = std::numeric_limits<double>::infinity();
  cases.push_back({Activation{ActivationFn::Clip, 0, infinity}, {f32({2, 3})}});
  cases.push_back({Activation{ActivationFn::Clip, -infinity, 1.0 / 3}, {f32({2, 3})}});
  cases.push_back({Activation{ActivationFn::Clip, -infinity, infinity}, {f32({2, 3})}});
  cases.push_back({Activation{ActivationFn::Clip, 0.1, 0.7}, {{DType::F16, {2, 3}}}});
  cases.push_back({Activation{ActivationFn::LeakyRelu, 1 / std::sqrt(96.0), 0}, {f32({2, 3})}});
  for (const DType dtype : {DType::F16, DType::F64}) {
    cases.push_back({Unary{UnaryFn::Gelu}, {{dtype, {2, 3}}}});
    cases.push_back({Unary{UnaryFn::GeluTanh}, {{dtype, {2, 3}}}});
  }
  cases.push_back({Binary{BinaryFn::Add}, {f32({2, 3}), f32({})}});
  cases.push_back({Where{}, {{DType::Bool, {3}}, f32({2, 3}), f32({1})}});
  cases.push_back({Cast{DType::I64}, {f32({2, 3})}});
  cases.push_back({Cast{DType::F32}, {f32({2, 3})}});
}

void add_reductions(std::vector<Case>& cases) {
  Pool with_indices = pool(PoolFn::Max);
  with_indices.with_indices = with_indices.column_major_indices = true;
  Pool dilated = pool(PoolFn::Max);
  dilated.dilations = {2, 1};
  dilated.ceil_mode = true;
  Pool counting = pool(PoolFn::Average);
  counting.count_include_pad = true;
  for (const Pool& op : {pool(PoolFn::Max), with_indices, dilated, counting}) {
    cases.push_back({op, {f32({1, 2, 8, 8})}});
  }
#define CAMBIUM_X(fn, name) \
  cases.push_back({Reduce{ReduceFn::fn, {0, 2}, false}, {f32({2, 3, 4})}});
  CAMBIUM_FOR_EACH_REDUCE(CAMBIUM_X)
#undef CAMBIUM_X
  cases.push_back({Reduce{ReduceFn::Sum, {}, true}, {f32({})}});
  cases.push_back({ArgReduce{false, true, false, 1}, {f32({2, 3, 4})}});
}

void add_movement(std::vector<Case>& cases) {
  cases.push_back({Concat{1}, {f32({2, 3}), f32({2, 1}), f32({2, 2})}});
  cases.push_back({Split{1, {1, 0, 2}}, {f32({2, 3})}});
  cases.push_back({Slice{{4, 1, 0, 3}, {5, 2, 5, 0}, {-1, 2, 1, 1}}, {f32({5, 5, 5, 5})}});
  cases.push_back({Gather{1}, {f32({2, 3}), {DType::I64, {4, 1}}}});
  cases.push_back({Reshape{{6, 1}}, {f32({2, 3})}});
  cases.push_back({Reshape{{0, 7}}, {f32({3, 0})}});
  cases.push_back({Reshape{{2, 3}}, {f32({2, 3})}});
  cases.push_back({Transpose{{2, 0, 1}}, {f32({2, 3, 4})}});
  cases.push_back({Expand{{4, 2, 3}}, {f32({2, 1})}});
  cases.push_back({Tile{{2, 1}}, {f32({2, 3})}});
  cases.push_back({Pad{PadMode::Constant, {1, 0, -1, 2}, 0.1}, {f32({4, 3})}});
  cases.push_back({Pad{PadMode::Reflect, {1, 0, 1, 2}, 0}, {f32({4, 3})}});
  cases.push_back({Pad{PadMode::Edge, {1, 0, 1, 2}, 0}, {{DType::F16, {4, 3}}}});
  cases.push_back(
      {Resize{{1, 1, 6, 2}, {1, 1, 2, 0.5}, "half_pixel", "floor"}, {f32({1, 1, 3, 4})}});
  cases.push_back(
      {Resize{{1, 1, 7, 2}, {1, 1, 2.4, 0.6}, "asymmetric", "ceil"}, {f32({1, 1, 3, 4})}});
  cases.push_back({DepthToSpace{2, true}, {f32({1, 8, 2, 3})}});
  cases.push_back({SpaceToDepth{2}, {f32({1, 2, 4, 6})}});
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_contractions(cases);
  add_normalizations(cases);
  add_elementwise(cases);
  add_reductions(cases);
  add_movement(cases);
  return cases;
}

// The first input of the operator is the input of the model, the others are weights.
Model model_of(const Case& one) {
  Builder builder("one");
  std::vector<Value> inputs;
  builder.begin_block("stem", "first");
  for (const TensorType& type : one.inputs) {
    inputs.push_back(inputs.empty()
                         ? builder.input("x", type)
                         : builder.weight("w" + std::to_string(inputs.size()),
                                          Tensor::lazy(type, {Fill::Law::Constant, 1, 0})));
  }
  const Value y = builder.add(one.op, inputs, "the_node");
  builder.end_block();
  for (std::uint32_t slot = 0; slot < (y.valid() ? builder.node(y.node).outputs.size() : 0);
       ++slot) {
    builder.output("y" + std::to_string(slot), {y.node, slot});
  }
  return std::move(builder).finish().value();
}

TEST(RoundTrip, EveryOperatorComesBackAndTheCheckerAcceptsIt) {
  const ScratchFolder folder;
  std::set<std::string_view> kinds = {"input", "weight", "composite"};
  int number = 0;
  for (const Case& one : all_cases()) {
    kinds.insert(kind_of(one.op));
    const std::string file =
        std::to_string(number++) + "_" + std::string(name_of(one.op)) + ".onnx";
    SCOPED_TRACE(file);
    expect_round_trip(model_of(one), folder / file);
  }
#define CAMBIUM_X(op, name, fewest, most, outputs) EXPECT_EQ(kinds.count(name), 1u) << name;
  CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X
  expect_checker_accepts(folder.path());
}

void expect_same_output(const Model& a, const Model& b) {
  const Tensor x = Tensor::lazy(a.type({a.inputs()[0], 0}), {Fill::Law::Normal, 1, 3});
  const auto want = execute(a, {&x, 1}), have = execute(b, {&x, 1});
  ASSERT_TRUE(want.ok() && have.ok());
  const std::vector<double> w = (*want)[0].to_doubles(), h = (*have)[0].to_doubles();
  ASSERT_EQ(w.size(), h.size());
  for (std::size_t i = 0; i < w.size(); ++i) ASSERT_NEAR(w[i], h[i], 1e-5) << i;
}

template <class Op>
int count_of(const Model& model) {
  int count = 0;
  for (const NodePtr& node : model.nodes()) count += node->as<Op>() != nullptr;
  return count;
}

TEST(RoundTrip, CompositesLeaveAsWhatTheyAre) {
  const ScratchFolder folder;
  for (const zoo::KnownComposite& known : zoo::known_composites()) {
    SCOPED_TRACE(known.name);
    const zoo::ConvPlace place{.batch = 2, .in = 16, .out = 16, .side = 6};
    const Model model = zoo::model_around(zoo::known_composite(known.name, place).value());
    const std::string file = folder / (std::string(known.name) + ".onnx");
    const Status written = export_onnx(model, file);
    ASSERT_TRUE(written.ok()) << written.rejection().message();
    const auto read = import_onnx(file);
    ASSERT_TRUE(read.ok()) << read.rejection().message();
    expect_same_output(model, read->model);
    EXPECT_EQ(count_of<Einsum>(read->model), 0);
    EXPECT_GE(count_of<Conv>(read->model), 1);
    EXPECT_EQ(parameters_of(read->model).size(), parameters_of(model).size());
  }
  expect_checker_accepts(folder.path());
}

// The einsum outside of the composite leaves as it is written, though it is a convolution too.
TEST(RoundTrip, OnlyCompositesLeaveAsAnythingElse) {
  Builder builder("both");
  const Value x = builder.input("x", f32({1, 4, 3, 3}));
  const auto weight = [&](const char* name) {
    return builder.weight(name, Tensor::lazy(f32({4, 4}), {Fill::Law::Normal, 1, 2}));
  };
  Builder body("body");
  const Value inner = body.input("x", f32({1, 4, 3, 3})), w = body.input("w", f32({4, 4}));
  body.output("y", body.add(Einsum{"nchw,oc->nohw"}, {inner, w}));
  const auto composite = composite_of("test", "", std::move(body).finish().value());
  const Value y = builder.add(composite.value(), {x, weight("inside")}, "place");
  builder.output("y", builder.add(Einsum{"nchw,oc->nohw"}, {y, weight("outside")}));
  const Model model = std::move(builder).finish().value();
  const auto bytes = export_onnx_bytes(model);
  ASSERT_TRUE(bytes.ok()) << bytes.rejection().message();
  const auto read = import_onnx_bytes(*bytes, {});
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  EXPECT_EQ(count_of<Einsum>(read->model), 1);
  EXPECT_EQ(count_of<Conv>(read->model), 1);
  expect_same_output(model, read->model);
}

TEST(RoundTrip, KeepsAProductWithItsSigmoidApartFromASilu) {
  Builder builder("two");
  const Value x = builder.input("x", f32({2}));
  const Value apart =
      builder.add(Binary{BinaryFn::Mul}, {x, builder.add(Unary{UnaryFn::Sigmoid}, {x})});
  builder.output("y", builder.add(Unary{UnaryFn::Silu}, {apart}));
  const Model model = std::move(builder).finish().value();
  const ScratchFolder folder;
  expect_round_trip(model, folder / "two.onnx");
}

TEST(RoundTrip, KeepsOperatorsOverWeightsAndSharedWeights) {
  Builder builder("weights");
  const Value x = builder.input("x", f32({2, 3}));
  const Value w = builder.weight("w", Tensor::lazy(f32({3, 2}), {Fill::Law::Normal, 1, 7}));
  const Value turned = builder.add(Transpose{{1, 0}}, {w});
  const Value sum = builder.add(Binary{BinaryFn::Add}, {x, turned});
  builder.output("y", builder.add(MatMul{}, {sum, w}));
  const Model model = std::move(builder).finish().value();
  const ScratchFolder folder;
  expect_round_trip(model, folder / "weights.onnx");
}

TEST(RoundTrip, GivesOutputsTheirNamesWhateverTheyAre) {
  Builder builder("outputs");
  const Value x = builder.input("x", f32({2}));
  const Value w = builder.weight("w", Tensor::of<float>({2}, {1, 2}));
  const Value y = builder.add(Binary{BinaryFn::Add}, {x, w}, "w_1");
  builder.output("x", x);
  builder.output("a", x);
  builder.output("w", w);
  builder.output("y", y);
  builder.output("again", y);
  const Model model = std::move(builder).finish().value();
  const ScratchFolder folder;
  ASSERT_TRUE(export_onnx(model, folder / "outputs.onnx").ok());
  const auto read = import_onnx(folder / "outputs.onnx");
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  EXPECT_EQ(structure_of(read->model), structure_of(model));
  ASSERT_EQ(read->model.outputs().size(), 5u);
  EXPECT_EQ(read->model.outputs()[4].name, "again");
  expect_checker_accepts(folder.path());
}

// Names that ONNX cannot have are replaced, and those that are too long are cut: names that
// differed may then be the same.
TEST(RoundTrip, TellsNodesApartWhoseNamesBecomeTheSame) {
  const std::string begin(600, 'b'), end(600, 'e');
  const std::vector<std::pair<std::string, std::string>> alike = {
      {"turn\x1b", "turn\\x1b"}, {begin + "1" + end, begin + "2" + end}};
  for (const auto& [first, second] : alike) {
    Builder builder("alike");
    Value value = builder.input("x", f32({2}));
    const Value w = builder.weight(second + "w", Tensor::of<float>({2}, {1, 2}));
    builder.begin_block("one", "t");
    value = builder.add(Binary{BinaryFn::Add}, {value, w}, first + "w");
    // A third is no float: what the file says beside the graph must find its own node.
    value = builder.add(Activation{ActivationFn::LeakyRelu, 1.0 / 3, 0}, {value}, first);
    builder.end_block();
    builder.begin_block("two", "t");
    value = builder.add(Activation{ActivationFn::LeakyRelu, 1.0 / 7, 0}, {value}, second);
    builder.output(first, value);
    builder.output(second, builder.add(Unary{UnaryFn::Silu}, {value}, first + "/Sigmoid"));
    builder.end_block();
    const Model model = std::move(builder).finish().value();
    const ScratchFolder folder;
    const Status written = export_onnx(model, folder / "alike.onnx");
    ASSERT_TRUE(written.ok()) << written.rejection().message();
    const auto read = import_onnx(folder / "alike.onnx");
    ASSERT_TRUE(read.ok()) << read.rejection().message();
    EXPECT_EQ(structure_of(read->model), structure_of(model));
    const auto blocks = [](const Model& of) {
      std::map<std::string, std::vector<std::uint32_t>> out;
      for (const NodePtr& node : of.nodes()) {
        out[std::string(name_of(node->op))].push_back(node->block);
      }
      return out;
    };
    EXPECT_EQ(blocks(read->model), blocks(model));
    EXPECT_EQ(export_onnx_bytes(model).value(), export_onnx_bytes(model).value());
    expect_checker_accepts(folder.path());
  }
}

TEST(RoundTrip, ThroughExternalDataBesideTheModel) {
  Builder builder("external");
  const Value x = builder.input("x", f32({1, 64}));
  const Value w = builder.weight("w", Tensor::lazy(f32({64, 64}), {Fill::Law::Normal, 1, 7}));
  const Value b = builder.weight("b", Tensor::lazy(f32({64}), {Fill::Law::Normal, 1, 8}));
  builder.output("y", builder.add(Gemm{}, {x, w, b}));
  const Model model = std::move(builder).finish().value();
  const ScratchFolder folder;
  ExportOptions options;
  options.external_above = 0;
  expect_round_trip(model, folder / "external.onnx", options);
  EXPECT_EQ(std::filesystem::file_size(folder / "external.onnx.data"), 64u * 64 * 4);
  EXPECT_LT(std::filesystem::file_size(folder / "external.onnx"), 2000u);
  EXPECT_EQ(content_of(import_onnx(folder / "external.onnx")->model), content_of(model));
  expect_checker_accepts(folder.path());
}

TEST(RoundTrip, GivesTheSameBytesForTheSameModel) {
  const Model model = model_of(all_cases()[0]);
  EXPECT_EQ(export_onnx_bytes(model).value(), export_onnx_bytes(model).value());
}

TEST(Export, RefusesWhatOpset17CannotSay) {
  Pool dilated = pool(PoolFn::Average);
  dilated.dilations = {2, 1};
  const auto result = export_onnx_bytes(model_of({dilated, {f32({1, 2, 8, 8})}}));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.rejection().reason(), Reason::NotExportable);
  EXPECT_EQ(
      result.rejection().message(),
      "node 'the_node' (average_pool): it cannot be written at opset 17: an average pool with "
      "dilations");
  EXPECT_FALSE(export_onnx_bytes(model_of({Binary{BinaryFn::Mod}, {f32({2}), f32({2})}})).ok());
}

TEST(Export, RefusesAFolderThatIsNotThere) {
  const auto status = export_onnx(model_of(all_cases()[0]), "/no/such/folder/model.onnx");
  ASSERT_FALSE(status.ok());
}

}  // namespace
}  // namespace cambium::model
