// Random documents over the shapes of three networks, each computed in every way that there is: by
// the interpreter from the rewritten program, by the reference executor from what trains in its
// place, by what recognition and a round trip through ONNX make of that, and by native code. All
// numbers are small and whole, so that all but native code must agree to the bit.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/features.h"
#include "compile/compile_testing.h"
#include "model/onnx/export.h"
#include "model/onnx/import.h"
#include "model/recognize/recognize.h"
#include "model/reference/execute.h"
#include "nest_draws.h"
#include "program/interpret.h"
#include "schedule/recipe/document.h"
#include "schedule/recipe/weights.h"
#include "spaces/loopnest/nest.h"

namespace cambium::tests {
namespace {

using model::Ints;
using model::Tensor;

constexpr std::uint64_t kUsual = 2000;
constexpr const char* kDocuments = "CAMBIUM_NEST_DOCUMENTS";
constexpr double kTolerance = 1e-4;  // of native code: single precision, Winograd

Ints dims_of(const program::Buffer& buffer) {
  return {buffer.dims.begin(), buffer.dims.end()};
}

// A document replayed, and what it computes.
struct Computed {
  explicit Computed(const NestCase& c) {
    const loopnest::Nest nest =
        loopnest::nest_of(cx, c.shape.conv, c.shape.filter, c.shape.input).value();
    original = schedule::original_of(cx, nest.program, nest.block).value();
    document = std::make_unique<schedule::Document>(
        schedule::read_document(cx, original, c.variant->document).value());
  }

  const program::Program& program() const { return document->half.schedule.program(); }

  static std::vector<double> run(program::Context& cx, const program::Program& program,
                                 const std::vector<Tensor>& arguments) {
    std::vector<program::Array> arrays;
    for (const Tensor& argument : arguments) {
      const std::vector<double> values = argument.to_doubles();
      arrays.push_back(program::Array::of(std::vector<float>(values.begin(), values.end())));
    }
    const auto made = program::interpret(cx, program, arrays);
    EXPECT_TRUE(made.ok()) << made.rejection().message();
    return made.ok() ? (*made)[0].as_doubles() : std::vector<double>{};
  }

  program::Context cx;
  schedule::Original original;
  std::unique_ptr<schedule::Document> document;
};

// x and the weights in the order of the program's parameters.
std::vector<Tensor> arguments_of(const program::Program& program, std::uint64_t seed) {
  std::vector<Tensor> arguments;
  for (const program::Buffer* parameter : program.parameters) {
    if (parameter->role == program::Role::Output) continue;
    arguments.push_back(whole_tensor(dims_of(*parameter), seed++));
  }
  return arguments;
}

std::vector<double> run(const model::Model& model, const Tensor& x) {
  const auto made = model::execute(model, {&x, 1});
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return made.ok() ? (*made)[0].to_doubles() : std::vector<double>{};
}

void say(const char* what, std::uint64_t documents, std::uint64_t distinct) {
  std::printf("%llu documents, %llu of them distinct, %s\n",
              static_cast<unsigned long long>(documents), static_cast<unsigned long long>(distinct),
              what);
}

TEST(NestShapes, AreThoseOfTheThreeNetworks) {
  const std::vector<loopnest::Shape> shapes = small_shapes();
  EXPECT_GT(shapes.size(), 40u);
  const auto count = [&](const auto& is_counted) {
    return std::count_if(shapes.begin(), shapes.end(), is_counted);
  };
  EXPECT_GT(count([](const auto& shape) { return shape.conv.groups == 2; }), 1) << "ResNeXt";
  EXPECT_GT(count([](const auto& shape) { return shape.conv.strides[0] == 2; }), 5);
  EXPECT_GT(count([](const auto& shape) { return shape.filter[2] == 1; }), 20);
  EXPECT_GT(count([](const auto& shape) { return shape.input[1] % 3 == 0; }), 10) << "DenseNet";
}

TEST(NestDocuments, TrainAndExportWhatTheProgramComputes) {
  NestDraws draws;
  std::set<std::string> distinct;
  const std::uint64_t count = cases_asked(kDocuments, kUsual);
  for (std::uint64_t number = 0; number < count; ++number) {
    const NestCase c = draws.draw(number);
    distinct.insert(c.text());
    Computed computed(c);
    ASSERT_EQ(computed.document->text, c.variant->document) << c.text();
    const std::vector<Tensor> arguments = arguments_of(computed.program(), number);
    const std::vector<double> wanted = Computed::run(computed.cx, computed.program(), arguments);
    const model::Model network = network_of(c, {arguments.begin() + 1, arguments.end()});
    ASSERT_EQ(run(network, arguments[0]), wanted) << "trained\n" << c.text();
    const model::Model recognized = model::recognize(model::expanded(network)).model;
    ASSERT_EQ(run(recognized, arguments[0]), wanted) << "recognized\n" << c.text();
    if (!require_feature("onnx").ok()) continue;
    const auto bytes = model::export_onnx_bytes(network);
    ASSERT_TRUE(bytes.ok()) << bytes.rejection().message() << "\n" << c.text();
    const auto read = model::import_onnx_bytes(*bytes, "");
    ASSERT_TRUE(read.ok()) << read.rejection().message() << "\n" << c.text();
    ASSERT_EQ(run(read->model, arguments[0]), wanted) << "ONNX\n" << c.text();
  }
  say("trained, recognized and as ONNX files what the program computes", count, distinct.size());
  EXPECT_GT(distinct.size(), std::min<std::uint64_t>(count / 2, 10'000));
}

// ---- weights

// Whether each weight starts from the original filter, and the original computes the same at every
// place: neither one sum as two, nor slabs of rows.
bool is_part_of_the_original(const schedule::Function& function,
                             const std::vector<schedule::WeightMap>& maps) {
  for (const schedule::Piece& piece : function.pieces) {
    if (piece.weight_slabs > 1 || piece.channel_slabs > 1) return false;
  }
  return std::all_of(maps.begin(), maps.end(), [](const schedule::WeightMap& map) {
    return std::none_of(map.elements.begin(), map.elements.end(),
                        [](std::int64_t element) { return element < 0; });
  });
}

// From the output of the original with zeros in its filter: channels that are left, and pixels that
// stand for others.
std::vector<double> expected_of(const std::vector<double>& dense, const Ints& dims,
                                std::int64_t groups, const schedule::Function& function) {
  const std::int64_t width = dims[1] / groups, kept = function.outs / groups;
  std::vector<double> expected;
  for (std::int64_t n = 0; n < dims[0]; ++n) {
    for (std::int64_t c = 0; c < function.outs; ++c) {
      const std::int64_t from = n * dims[1] + c / kept * width + c % kept;
      for (std::int64_t h = 0; h < dims[2]; ++h) {
        for (std::int64_t w = 0; w < dims[3]; ++w) {
          const std::int64_t row = h - h % function.coarse[0], column = w - w % function.coarse[1];
          expected.push_back(
              dense[static_cast<std::size_t>((from * dims[2] + row) * dims[3] + column)]);
        }
      }
    }
  }
  return expected;
}

Ints output_of(const program::Program& program) {
  for (const program::Buffer* parameter : program.parameters) {
    if (parameter->role == program::Role::Output) return dims_of(*parameter);
  }
  return {};
}

// A nest whose weights start from a filter is the convolution with zeros in the filter: a group is
// the blocks on its diagonal, a bottleneck the channels that stay.
TEST(NestDocuments, StartAsTheConvolutionWithZerosInItsFilter) {
  NestDraws draws;
  const std::uint64_t count = cases_asked(kDocuments, kUsual);
  std::uint64_t compared = 0, smaller = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    const NestCase c = draws.draw(number);
    Computed computed(c);
    const schedule::Document& document = *computed.document;
    const auto maps = schedule::weight_maps_of(computed.cx, document.half, c.shape.filter);
    ASSERT_TRUE(maps.ok()) << maps.rejection().message() << "\n" << c.text();
    if (!is_part_of_the_original(document.function, *maps)) continue;
    const Tensor x = whole_tensor(c.shape.input, number);
    const Tensor filter = whole_tensor(c.shape.filter, number + 1);
    const std::vector<double> elements = filter.to_doubles();
    std::vector<float> left(elements.size(), 0.0F);
    std::vector<Tensor> arguments{x};
    for (const schedule::WeightMap& map : *maps) {
      std::vector<float> weights;
      for (const std::int64_t element : map.elements) {
        const auto at = static_cast<std::size_t>(element);
        left[at] = static_cast<float>(elements.at(at));
        weights.push_back(left[at]);
      }
      arguments.push_back(Tensor::of<float>(map.dims, weights));
    }
    const std::vector<double> dense = Computed::run(computed.cx, computed.original.program,
                                                    {x, Tensor::of<float>(filter.dims(), left)});
    ASSERT_EQ(Computed::run(computed.cx, computed.program(), arguments),
              expected_of(dense, output_of(computed.original.program), c.shape.conv.groups,
                          document.function))
        << c.text();
    ++compared;
    smaller += document.weights < computed.original.weights ? 1 : 0;
  }
  std::printf("%llu of %llu documents compared\n", static_cast<unsigned long long>(compared),
              static_cast<unsigned long long>(count));
  EXPECT_GT(compared * 2, count);
  EXPECT_GT(smaller * 3, count);
}

// ---- native code

// Compiled whole, with the default schedule. Counts kernels whose loops stay as lowering left them.
void expect_native(const model::Model& network, const Tensor& x, const std::vector<double>& wanted,
                   std::uint64_t& plain) {
  auto compiled = compile::compile(network);
  ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
  for (const compile::KernelReport& kernel : compiled->kernels) plain += kernel.is_plain ? 1 : 0;
  auto native = compile::NativeModel::load(std::move(*compiled));
  ASSERT_TRUE(native.ok()) << native.rejection().message();
  ThreadPool pool(1);
  const auto have = native->run({&x, 1}, pool);
  ASSERT_TRUE(have.ok()) << have.rejection().message();
  const std::vector<float> numbers(wanted.begin(), wanted.end());
  compile::expect_near({Tensor::of<float>((*have)[0].dims(), numbers)}, *have, kTolerance);
}

TEST(NestDocuments, AreNativeCodeThatComputesTheSame) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  NestDraws draws;
  std::set<std::string> distinct;
  std::uint64_t plain = 0;
  const std::uint64_t count = cases_asked(kDocuments, kUsual);
  for (std::uint64_t number = 0; number < count; ++number) {
    const NestCase c = draws.draw(number);
    distinct.insert(c.text());
    SCOPED_TRACE(c.text());
    Computed computed(c);
    const std::vector<Tensor> arguments = arguments_of(computed.program(), number);
    expect_native(network_of(c, {arguments.begin() + 1, arguments.end()}), arguments[0],
                  Computed::run(computed.cx, computed.program(), arguments), plain);
    if (testing::Test::HasFailure()) return;
  }
  say("native code", count, distinct.size());
  EXPECT_LT(plain * 20, count) << "kernels without a schedule";
}

}  // namespace
}  // namespace cambium::tests
