// Whole networks with a document of its own at each convolution, as samples of the space give them:
// sound, and the same by the reference executor, after recognition, as ONNX, as native code and as
// PyTorch source.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compile/compile_testing.h"
#include "model/fingerprint.h"
#include "model/onnx/export.h"
#include "model/onnx/import.h"
#include "model/pytorch/check_testing.h"
#include "model/recognize/recognize.h"
#include "model/verify.h"
#include "model/zoo/zoo.h"
#include "nest_draws.h"
#include "spaces/loopnest/space.h"

namespace cambium::tests {
namespace {

struct Network {
  const char* name;
  model::zoo::ZooOptions options;
};

// Narrow, so that the reference executor is fast.
const Network kNetworks[] = {
    {"tiny-resnet", {.batch = 2, .image = 16}},
    {"resnet34-cifar", {.image = 8, .width_divisor = 8}},
    {"resnext29-2x64d", {.image = 8, .width_divisor = 16}},
    {"densenet161-cifar", {.image = 8, .width_divisor = 6}},
};

struct Sampled {
  std::string name;
  model::Model model;
  std::size_t narrowed = 0;  // edits with an output bottleneck
};

// So many of each network, or as many as CAMBIUM_NEST_NETWORKS says.
std::vector<Sampled> sampled(std::uint64_t usual) {
  const std::uint64_t seeds = cases_asked("CAMBIUM_NEST_NETWORKS", usual);
  std::vector<Sampled> all;
  for (const Network& network : kNetworks) {
    const model::Model base = model::zoo::build(network.name, network.options).value();
    const auto space =
        loopnest::LoopNestSpace::make(base, model::select(base, "conv:*").value()).value();
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const spaces::Candidate candidate{
          model::structure_of(base), space->samples()->sample(seed).value(), {}};
      Sampled one{std::string(network.name) + ", seed " + std::to_string(seed),
                  spaces::apply(base, candidate, {space.get()}).value()};
      for (const spaces::Edit& edit : candidate.edits) {
        one.narrowed += edit.document.find("accept: true") != std::string::npos ? 1 : 0;
      }
      all.push_back(std::move(one));
    }
  }
  return all;
}

TEST(NestNetworks, TrainAndExportWhatTheyCompute) {
  std::size_t narrowed = 0;
  for (const Sampled& each : sampled(3)) {
    SCOPED_TRACE(each.name);
    narrowed += each.narrowed;
    EXPECT_TRUE(model::verify(each.model).ok());
    const auto inputs = compile::random_inputs(each.model, 3);
    const auto wanted = model::execute(each.model, inputs).value();
    const model::Model recognized = model::recognize_composites(each.model).model;
    compile::expect_near(wanted, model::execute(recognized, inputs).value(), 1e-4);
    const auto bytes = model::export_onnx_bytes(each.model);
    ASSERT_TRUE(bytes.ok()) << bytes.rejection().message();
    const auto read = model::import_onnx_bytes(*bytes, "");
    ASSERT_TRUE(read.ok()) << read.rejection().message();
    compile::expect_near(wanted, model::execute(read->model, inputs).value(), 1e-4);
  }
  EXPECT_GT(narrowed, 5u);
}

TEST(NestNetworks, AreNativeCodeThatComputesTheSame) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  for (const Sampled& each : sampled(1)) {
    SCOPED_TRACE(each.name);
    const auto inputs = compile::random_inputs(each.model, 3);
    auto compiled = compile::compile(each.model);
    ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
    auto native = compile::NativeModel::load(std::move(*compiled));
    ASSERT_TRUE(native.ok()) << native.rejection().message();
    ThreadPool pool(2);
    const auto have = native->run(inputs, pool);
    ASSERT_TRUE(have.ok()) << have.rejection().message();
    compile::expect_near(model::execute(each.model, inputs).value(), *have, 1e-3);
  }
}

TEST(NestNetworks, ArePytorchSourceThatComputesTheSame) {
  model::PytorchCheck check;
  for (const Sampled& each : sampled(1)) check.add(each.model);
  check.run();
}

}  // namespace
}  // namespace cambium::tests
