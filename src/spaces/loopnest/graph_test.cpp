// The body of a rewritten nest computes what its program does, and recognition makes it standard
// convolutions.
#include "spaces/loopnest/graph.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/composite.h"
#include "model/cost.h"
#include "model/recognize/recognize.h"
#include "model/reference/execute.h"
#include "model/text.h"
#include "program/interpret.h"
#include "program/text.h"
#include "schedule/recipe/document.h"
#include "spaces/loopnest/loopnest_testing.h"
#include "spaces/loopnest/nest.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Ints;
using Strings = std::vector<std::string>;

struct Bodied {
  Bodied(const Shape& shape, const std::string& text) {
    const Nest nest = nest_of(cx, shape.conv, shape.filter, shape.input).value();
    const auto original = schedule::original_of(cx, nest.program, nest.block).value();
    auto read = schedule::read_document(cx, original, text);
    if (!read.ok()) {
      ADD_FAILURE() << shape.words() << ", " << text << ": " << read.rejection().message();
      return;
    }
    program = read->half.schedule.program();
    auto made = body_of(cx, program);
    if (made.ok()) {
      body = std::move(*made);
      is_read = true;
    } else {
      ADD_FAILURE() << shape.words() << ", " << text << ": " << made.rejection().message() << "\n"
                    << program::to_text(cx, program);
    }
  }

  program::Context cx;
  program::Program program;
  model::Model body;
  bool is_read = false;
};

std::vector<float> whole_numbers(std::int64_t count, Rng& rng) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = static_cast<float>(rng.between(-3, 3));
  return numbers;
}

Ints dims_of(const program::Buffer& buffer) {
  return {buffer.dims.begin(), buffer.dims.end()};
}

// A network of the body alone, with these weights; lazy ones if there are none.
model::Model network_of(const Bodied& made, const std::vector<model::Tensor>& weights = {}) {
  model::Builder builder("net");
  std::vector<model::Value> reads;
  std::size_t next = 0;
  for (const model::NodeId id : made.body.inputs()) {
    const model::Node& input = made.body.node(id);
    if (reads.empty()) {
      reads.push_back(builder.input("x", input.outputs[0]));
    } else {
      reads.push_back(builder.weight(input.name, weights.empty()
                                                     ? model::Tensor::lazy(input.outputs[0], {})
                                                     : weights[next++]));
    }
  }
  builder.output("y", model::inlined(builder, made.body, reads, "site")[0]);
  return std::move(builder).finish().value();
}

// Small whole numbers, so that every order of adding gives the same.
void expect_body_computes_the_program(Bodied& made) {
  Rng rng(7);
  std::vector<program::Array> arrays;
  std::vector<model::Tensor> tensors;
  for (const program::Buffer* parameter : made.program.parameters) {
    if (parameter->role == program::Role::Output) continue;
    const std::vector<float> numbers = whole_numbers(parameter->elements(), rng);
    arrays.push_back(program::Array::of(numbers));
    tensors.push_back(model::Tensor::of<float>(dims_of(*parameter), numbers));
  }
  const auto wanted = program::interpret(made.cx, made.program, arrays);
  ASSERT_TRUE(wanted.ok()) << wanted.rejection().message();
  const auto have = model::execute(made.body, tensors);
  ASSERT_TRUE(have.ok()) << have.rejection().message();
  EXPECT_EQ((*have)[0].to_doubles(), (*wanted)[0].as_doubles());
  const model::Model network = network_of(made, {tensors.begin() + 1, tensors.end()});
  const auto recognized = model::execute(model::recognize(network).model, {&tensors[0], 1});
  ASSERT_TRUE(recognized.ok()) << recognized.rejection().message();
  EXPECT_EQ((*recognized)[0].to_doubles(), (*wanted)[0].as_doubles());
}

std::int64_t count_of(const model::Model& model, std::string_view op) {
  return std::count_if(model.nodes().begin(), model.nodes().end(),
                       [&](const model::NodePtr& node) { return model::name_of(node->op) == op; });
}

const Strings kNames = {"",
                        "group 4",
                        "interleaved group 2",
                        "depthwise",
                        "bottleneck 2",
                        "input bottleneck 4",
                        "spatial bottleneck 2",
                        "slabs 2",
                        "channel slabs 2",
                        "peel 2 2",
                        "peel 4 1",
                        "halves 2 4",
                        "quarters 1 2 4 2",
                        "pointwise then depthwise",
                        "depthwise then pointwise",
                        "rows then columns",
                        "rows then depthwise columns",
                        "spatial bottleneck 4",
                        "split(loop: h, factors: [2, 0], tail: exact)\n"
                        "group_channels(rows: h.0, outer: co)\n"
                        "group(outer: co, inner: ci, factor: 2)"};

// Documents of walks that once had no graph, of 16 -> 16 channels.
const Strings kOdd = {
    "bottleneck(loop: w, factor: 8)\nsplit(loop: h, factors: [4, 0], tail: exact)\n"
    "group_channels(rows: h.0, outer: co)\nsplit(loop: ci, factors: [0, 2], tail: exact)\n"
    "group(outer: co, inner: ci.1, factor: 2)",
    "split(loop: h, factors: [8, 0], tail: exact)\ngroup_slabs(rows: h.0)\n"
    "bottleneck(loop: ci, factor: 4)",
    "bottleneck(loop: h, factor: 8)\nbottleneck(loop: w, factor: 8)",
    "bottleneck(loop: w, factor: 8)\ngroup(outer: co, inner: ci, factor: 2)\n"
    "split(loop: h, factors: [4, 0], tail: exact)\ngroup_channels(rows: h.0, outer: co)"};

bool fits(const std::string& name, const ConvNumbers& numbers) {
  if (name == "depthwise") return numbers.ci == numbers.co;
  if (name.starts_with("quarters")) return numbers.co >= 16;
  return numbers.kernel > 1 || name.find(" then ") == std::string::npos;
}

TEST(Graph, OfTheCatalogueComputesTheProgram) {
  for (const ConvNumbers& numbers :
       {ConvNumbers{}, ConvNumbers{.ci = 16, .size = 4, .kernel = 1, .batch = 2},
        ConvNumbers{.co = 16, .stride = 2, .batch = 3}}) {
    for (const std::string& name : kNames) {
      if (!fits(name, numbers)) continue;
      const Shape shape = shape_of(numbers);
      SCOPED_TRACE(shape.words() + ", " + name);
      Bodied made(shape, name);
      if (made.is_read) expect_body_computes_the_program(made);
    }
  }
}

TEST(Graph, OfOddDocumentsComputesTheProgram) {
  for (const ConvNumbers& numbers :
       {ConvNumbers{.ci = 16, .co = 16}, ConvNumbers{.ci = 16, .co = 16, .groups = 2},
        ConvNumbers{.ci = 16, .co = 16, .size = 16, .stride = 2, .batch = 2}}) {
    for (const std::string& text : kOdd) {
      const Shape shape = shape_of(numbers);
      SCOPED_TRACE(shape.words() + ", " + text);
      Bodied made(shape, text);
      if (made.is_read) expect_body_computes_the_program(made);
    }
  }
}

TEST(Graph, OfAGroupedConvolutionComputesTheProgram) {
  const Shape shape = shape_of({.groups = 2});
  for (const char* name : {"", "group 2", "depthwise", "interleaved group 2", "input bottleneck 2",
                           "bottleneck 2", "spatial bottleneck 2", "slabs 2"}) {
    SCOPED_TRACE(name);
    Bodied made(shape, name);
    if (made.is_read) expect_body_computes_the_program(made);
  }
}

TEST(Graph, OfOneAndThreeDimensionsOfSpaceComputesTheProgram) {
  const Shape line{{{1}, {1, 1}, {1}, 1}, {8, 8, 3}, {2, 8, 12}};
  const Shape cube{{{1, 2, 1}, {1, 1, 0, 1, 1, 0}, {1, 1, 1}, 1}, {4, 4, 3, 3, 1}, {1, 4, 4, 4, 4}};
  for (const Shape* shape : {&line, &cube}) {
    for (const char* name : {"", "group 2", "halves 1 2", "bottleneck(loop: w, factor: 2)"}) {
      SCOPED_TRACE(name);
      Bodied made(*shape, name);
      if (made.is_read) expect_body_computes_the_program(made);
    }
  }
}

TEST(Graph, OfDilatedAndUnevenlyPaddedConvolutionsComputesTheProgram) {
  Shape shape = shape_of({});
  shape.conv.dilations = {2, 1};
  shape.conv.pads = {2, 0, 1, 1};
  for (const char* name : {"", "group 2", "input bottleneck 2", "peel 2 3"}) {
    SCOPED_TRACE(name);
    Bodied made(shape, name);
    if (made.is_read) expect_body_computes_the_program(made);
  }
}

// What training runs. An einsum that is left would be slow, and its activations large.
struct Recognized {
  const char* name;
  std::int64_t convolutions, pointwise;  // pointwise: of a kernel of 1
};

TEST(Graph, OfTheCatalogueIsRecognizedAsConvolutions) {
  const Recognized rows[] = {{"", 1, 1},
                             {"group 4", 1, 1},
                             {"interleaved group 2", 1, 1},
                             {"depthwise", 1, 0},  // a pointwise one scales channels
                             {"bottleneck 2", 1, 1},
                             {"input bottleneck 4", 1, 1},
                             {"spatial bottleneck 2", 1, 1},
                             {"slabs 2", 2, 1},  // without a border, slabs are groups
                             {"channel slabs 2", 2, 2},
                             {"peel 2 2", 2, 2},
                             {"peel 4 1", 2, 2},
                             {"halves 2 4", 2, 2},
                             {"halves 2 2", 2, 2},
                             {"quarters 1 2 4 2", 4, 4},
                             {"pointwise then depthwise", 2, -1},
                             {"depthwise then pointwise", 2, -1},
                             {"rows then columns", 2, -1},
                             {"rows then depthwise columns", 2, -1}};
  const ConvNumbers same{.ci = 16, .co = 16, .size = 32};
  ConvNumbers pointwise = same, strided = same, batch = same;
  pointwise.kernel = 1;
  strided.stride = 2;
  batch.batch = 2;
  for (const ConvNumbers& numbers : {same, pointwise, strided, batch}) {
    const Shape shape = shape_of(numbers);
    const Bodied original(shape, "");
    const std::int64_t before =
        model::cost_of(model::recognize(network_of(original)).model).activation_bytes;
    for (const Recognized& row : rows) {
      const std::int64_t wanted = numbers.kernel == 1 ? row.pointwise : row.convolutions;
      if (wanted < 0) continue;
      SCOPED_TRACE(shape.words() + ", " + row.name);
      const Bodied made(shape, row.name);
      if (!made.is_read) continue;
      const model::Model recognized = model::recognize(network_of(made)).model;
      const model::Cost cost = model::cost_of(recognized);
      EXPECT_EQ(count_of(recognized, "einsum"), wanted == 0 ? 1 : 0);
      EXPECT_EQ(count_of(recognized, "conv"), wanted);
      EXPECT_EQ(cost.macs, model::cost_of(made.body).macs);
      EXPECT_LE(cost.activation_bytes, 3 * before);
    }
  }
}

TEST(Graph, HasTheInputsOfTheProgram) {
  Bodied made(shape_of({}), "halves 2 4");
  ASSERT_TRUE(made.is_read);
  ASSERT_EQ(made.body.inputs().size(), 3u);
  Strings names;
  for (const model::NodeId id : made.body.inputs()) names.push_back(made.body.node(id).name);
  EXPECT_EQ(names, (Strings{"x", "w1", "w2"}));
  ASSERT_EQ(made.body.outputs().size(), 1u);
  EXPECT_EQ(made.body.outputs()[0].name, "y");
}

struct NoSum {
  const char* block;
  const char* text;
};

// Each is one block of x and w that makes all or a part of y.
TEST(Graph, RefusesProgramsThatAreNoSumsOfProducts) {
  const std::string loops =
      "(x: f32[1, 4, 8] input, w: f32[4] constant, y: f32[1, 4] output) {\n"
      "  for c in 4 { for i in 8 { ";
  const NoSum rows[] = {
      {"maxima", "block b(spatial c = c, reduce i = i) { y[0, c] max= x[0, c, i] init 0.0 }"},
      {"a start", "block b(spatial c = c, reduce i = i) { y[0, c] += x[0, c, i] * w[c] init 1.0 }"},
      {"a sum", "block b(spatial c = c, reduce i = i) { y[0, c] += x[0, c, i] + w[c] init 0.0 }"},
      {"a tail",
       "block b(spatial c = c, reduce i = i) if i < 5 { y[0, c] += x[0, c, i] * w[c] init 0.0 }"},
  };
  for (const NoSum& row : rows) {
    SCOPED_TRACE(row.block);
    program::Context cx;
    const auto program = program::parse(cx, "program p" + loops + row.text + " } } }");
    ASSERT_TRUE(program.ok()) << program.rejection().message();
    const auto body = body_of(cx, *program);
    ASSERT_FALSE(body.ok());
    EXPECT_EQ(body.rejection().reason(), Reason::NotAContraction) << body.rejection().message();
    EXPECT_NE(body.rejection().message().find("'b'"), std::string::npos)
        << body.rejection().message();
  }
}

}  // namespace
}  // namespace cambium::spaces::loopnest
