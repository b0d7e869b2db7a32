#include "model/pytorch/source.h"

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/pytorch/check_testing.h"
#include "model/text.h"
#include "model/zoo/composites.h"
#include "model/zoo/zoo.h"

namespace cambium::model {
namespace {

TEST(PytorchSource, ReadsLikeTheNetwork) {
  const Model model = zoo::build("tiny-resnet").value();
  const PytorchSource source = pytorch_source(model).value();
  EXPECT_EQ(source.class_name, "TinyResnet");
  const auto has = [&](const char* text) {
    EXPECT_NE(source.text.find(text), std::string::npos) << text;
  };
  has("class TinyResnet(nn.Module):\n");
  has("        self.conv1_weight = nn.Parameter(torch.empty(16, 1, 3, 3))\n");
  has("        self.register_buffer(\"bn1_running_mean\", torch.empty(16))\n");
  has("    def forward(self, image):\n        conv1 = F.conv2d(image, self.conv1_weight, "
      "padding=1)\n");
  has("training=self.training");
  EXPECT_EQ(pytorch_source(model)->text, source.text);
}

TEST(PytorchSource, ComputesWhatModelsOfTheZooDo) {
  PytorchCheck check;
  for (const zoo::ZooEntry& entry : zoo::entries()) {
    SCOPED_TRACE(std::string(entry.name));
    const Model full = zoo::build(entry.name).value();
    const bool tokens = full.node(full.inputs()[0]).outputs[0].dtype == DType::I64;
    zoo::ZooOptions small{.batch = 2, .classes = 10, .width_divisor = 16};
    (tokens ? small.length : small.image) = tokens ? 8 : 64;
    check.add(zoo::build(entry.name, small).value());
  }
  check.run();
}

TEST(PytorchSource, HasEveryOperator) {
  const auto text = read_file(CAMBIUM_MODEL_GOLDEN "/operators.cambium");
  PytorchCheck check;
  check.add(parse_text(*text).value());
  check.run();
}

TEST(PytorchSource, HasEveryFunction) {
  const Ints dims{2, 3, 5};
  PytorchCheck check;
  {
    Builder b("unary");
    const Value x = b.input("x", {DType::F32, dims});
#define CAMBIUM_X(fn, name)                         \
  if (UnaryFn::fn != UnaryFn::Not) {                \
    b.output(name, b.add(Unary{UnaryFn::fn}, {x})); \
  }
    CAMBIUM_FOR_EACH_UNARY(CAMBIUM_X)
#undef CAMBIUM_X
#define CAMBIUM_X(fn, name) b.output(name, b.add(Activation{ActivationFn::fn, 0.3, 0.8}, {x}));
    CAMBIUM_FOR_EACH_ACTIVATION(CAMBIUM_X)
#undef CAMBIUM_X
#define CAMBIUM_X(fn, name)                                         \
  b.output(name, b.add(Reduce{ReduceFn::fn, {0, 2}, true}, {x}));   \
  b.output(name "1", b.add(Reduce{ReduceFn::fn, {1}, false}, {x})); \
  b.output(name "0", b.add(Reduce{ReduceFn::fn, {}, false}, {x}));
    CAMBIUM_FOR_EACH_REDUCE(CAMBIUM_X)
#undef CAMBIUM_X
    check.add(std::move(b).finish().value());
  }
  for (const DType dtype : {DType::F32, DType::I64}) {
    Builder b("binary");
    const Value x = b.input("x", {dtype, dims});
    const Value one = b.weight("one", Tensor::lazy({dtype, {3, 1}}, {Fill::Law::Constant, 3, 0}));
#define CAMBIUM_X(fn, name)                                \
  if (!is_logical(BinaryFn::fn)) {                         \
    b.output(name, b.add(Binary{BinaryFn::fn}, {x, one})); \
  }
    CAMBIUM_FOR_EACH_BINARY(CAMBIUM_X)
#undef CAMBIUM_X
    check.add(std::move(b).finish().value());
  }
  check.run();
}

Pool pool(PoolFn fn, Ints kernel, Ints strides, Ints pads, Ints dilations) {
  Pool op;
  op.fn = fn;
  op.kernel = std::move(kernel);
  op.strides = std::move(strides);
  op.pads = std::move(pads);
  op.dilations = std::move(dilations);
  return op;
}

TEST(PytorchSource, PoolsAndPadsAsTheModelDoes) {
  Builder b("windows");
  const Value x = b.input("x", {DType::F32, {2, 4, 7, 9}});
  int count = 0;
  const auto out = [&](Op op) {
    b.output("y" + std::to_string(count++), b.add(std::move(op), {x}));
  };
  for (const PoolFn fn : {PoolFn::Max, PoolFn::Average}) {
    for (const bool ceil : {false, true}) {
      for (const bool include : {false, true}) {
        for (Pool op : {pool(fn, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}),
                        pool(fn, {3, 2}, {2, 3}, {0, 1, 2, 0}, {1, 1}),
                        pool(fn, {2, 2}, {2, 2}, {0, 0, 0, 0}, {2, 3})}) {
          op.ceil_mode = ceil;
          op.count_include_pad = include;
          out(op);
        }
      }
    }
  }
  for (const PadMode mode : {PadMode::Constant, PadMode::Reflect, PadMode::Edge}) {
    out(Pad{mode, {0, 1, 2, -1, 0, 0, 1, 3}, mode == PadMode::Constant ? 0.5 : 0});
  }
  for (const char* coordinates : {"half_pixel", "asymmetric", "align_corners"}) {
    out(Resize{{2, 4, 10, 5}, {1, 1, 10.0 / 7, 5.0 / 9}, coordinates, "round_prefer_floor"});
  }
  out(Slice{{1, 3, 6, 8}, {1, 2, 3, 4}, {1, -2, -2, -1}});
  out(ArgReduce{true, true, false, 2});
  out(ArgReduce{false, false, true, 3});
  out(DepthToSpace{2, false});
  out(DepthToSpace{2, true});
  const Value w =
      b.weight("w", Tensor::lazy({DType::F32, {4, 2, 3, 2}}, {Fill::Law::Normal, 0.5, 5}));
  b.output("asymmetric", b.add(Conv{{2, 1}, {1, 0, 2, 1}, {1, 2}, 2}, {x, w}));
  b.output("deconvolved", b.add(ConvTranspose{{2, 3}, {1, 0, 2, 1}, {1, 1}, {1, 2}, 1}, {x, w}));
  PytorchCheck check;
  check.add(std::move(b).finish().value());
  check.run();
}

TEST(PytorchSource, WritesCompositesAsFunctionsOfWhatTheyAre) {
  PytorchCheck check;
  for (const zoo::KnownComposite& known : zoo::known_composites()) {
    const auto composite =
        zoo::known_composite(known.name, {.batch = 2, .in = 16, .out = 32, .side = 6});
    check.add(zoo::model_around(composite.value()));
  }
  check.run();
  const auto composite =
      zoo::known_composite("syno-1", {.batch = 2, .in = 16, .out = 32, .side = 6});
  const Model model = zoo::model_around(composite.value());
  const std::string text = pytorch_source(model)->text;
  EXPECT_NE(text.find("def known_1(x, "), std::string::npos) << text;
  EXPECT_NE(text.find("F.conv2d("), std::string::npos) << text;
  EXPECT_EQ(text.find("torch.einsum"), std::string::npos) << text;
}

// A graph for one sample, of which the number of samples must not stay in the text.
TEST(PytorchSource, RunsAnyNumberOfSamples) {
  for (const zoo::KnownComposite& known : zoo::known_composites()) {
    const auto composite = zoo::known_composite(known.name, {.in = 16, .out = 32, .side = 6});
    const std::string text = pytorch_source(zoo::model_around(composite.value()))->text;
    EXPECT_EQ(text.find("127"), std::string::npos) << text;
    EXPECT_EQ(text.find("reshape(1, "), std::string::npos) << text;
  }
}

TEST(PytorchSource, SaysRollWhereTwoPartsChangePlaces) {
  const auto composite = zoo::known_composite("syno-2", {.in = 16, .out = 32, .side = 6});
  const std::string text = pytorch_source(zoo::model_around(composite.value()))->text;
  EXPECT_NE(text.find("torch.roll(x, -1, dims=2)"), std::string::npos) << text;
  EXPECT_EQ(text.find("torch.split"), std::string::npos) << text;
}

TEST(PytorchSource, RefusesWhatPytorchCannotSay) {
  Builder b("indices");
  Pool op = pool(PoolFn::Max, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1});
  op.with_indices = op.column_major_indices = true;
  b.output("y", b.add(op, {b.input("x", {DType::F32, {1, 1, 4, 4}})}, "pooled"));
  const auto indices = pytorch_source(std::move(b).finish().value());
  ASSERT_FALSE(indices.ok());
  EXPECT_EQ(indices.rejection().reason(), Reason::UnsupportedOperator);
  EXPECT_NE(indices.rejection().message().find("'pooled'"), std::string::npos);
  Builder u("unsigned");
  u.output("y", u.weight("w", Tensor::lazy({DType::U32, {2}}, {})));
  EXPECT_EQ(pytorch_source(std::move(u).finish().value()).rejection().reason(),
            Reason::UnsupportedType);
  EXPECT_EQ(to_safetensors({{"w", Tensor::lazy({DType::U16, {2}}, {})}}).rejection().reason(),
            Reason::UnsupportedType);
}

TEST(Safetensors, PutsElementsBehindAnAlignedHeader) {
  const std::string bytes = to_safetensors({{"a", Tensor::of<std::uint8_t>({3}, {1, 2, 3})},
                                            {"b", Tensor::of<std::uint8_t>({1, 1}, {9})}})
                                .value();
  const auto header = static_cast<unsigned char>(bytes[0]);
  EXPECT_EQ(header % 8, 0);
  EXPECT_EQ(bytes.substr(8, 56),
            "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},\"b\"");
  EXPECT_EQ(bytes.substr(8 + header), std::string("\x01\x02\x03\x09"));
}

}  // namespace
}  // namespace cambium::model
