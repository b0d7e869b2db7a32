// The library end to end: written, compiled against by a C compiler, run by a process that knows
// nothing of Cambium.
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>
#include <schema.h>  // of tests/cli

#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "compile/compile_testing.h"
#include "compile/library_texts.h"

namespace cambium::compile {
namespace {

namespace fs = std::filesystem;
using namespace model;

class Library : public testing::Test {
 protected:
  static ProcessOutcome run(std::vector<std::string> argv, std::string input = {}) {
    auto outcome = run_process({std::move(argv), std::move(input), {}});
    EXPECT_TRUE(outcome.ok()) << outcome.rejection().message();
    return outcome.ok() ? std::move(outcome).value() : ProcessOutcome{};
  }
  static bool has(const std::string& program) {
    return run_process({{program, "--version"}, "", {}}).ok();
  }

  // Compiles tiny-resnet and examples/native/main.c for a machine and compares what it prints.
  void expect_example_runs(const Machine& machine, const std::string& c_compiler,
                           const std::vector<std::string>& emulator) {
    Options options;
    options.machine = machine;
    const Model model = zoo::build("tiny-resnet").value();
    const auto compiled = compile(model, options);
    ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
    const std::string folder = folder_.path();
    const Status written = write_library(*compiled, folder);
    ASSERT_TRUE(written.ok()) << written.rejection().message();

    const std::string program = folder + "/classify";
    const ProcessOutcome built =
        run({c_compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I" + folder,
             CAMBIUM_SOURCE_DIR "/examples/native/main.c", folder + "/tiny_resnet.so", "-lm",
             "-Wl,-rpath," + folder, "-o", program});
    ASSERT_TRUE(built.succeeded()) << built.errors;

    const std::vector<Tensor> inputs = random_inputs(model, 3);
    const std::span<const std::byte> image = inputs[0].bytes();
    std::vector<std::string> argv = emulator;
    argv.push_back(program);
    argv.push_back(folder + "/tiny_resnet.weights");
    const ProcessOutcome ran =
        run(argv, std::string(reinterpret_cast<const char*>(image.data()), image.size()));
    ASSERT_TRUE(ran.succeeded()) << ran.text() << ran.errors;
    std::vector<float> logits;
    std::istringstream lines(ran.output);
    for (float logit; lines >> logit;) logits.push_back(logit);
    const auto expected = execute(model, inputs);
    ASSERT_EQ(static_cast<std::int64_t>(logits.size()), (*expected)[0].elements());
    expect_near(*expected, {Tensor::of<float>((*expected)[0].dims(), logits)}, 1e-4);
  }

  ScratchFolder folder_;
};

TEST_F(Library, ACProgramOfTenLinesRunsIt) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  if (!has("cc") || !has("ld")) GTEST_SKIP() << "needs a C compiler and a linker";
  expect_example_runs(host_machine(), "cc", {});
}

TEST_F(Library, TheSameProgramRunsOnAnotherMachine) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  if (!has("aarch64-linux-gnu-gcc") || !has("qemu-aarch64")) {
    GTEST_SKIP() << "needs aarch64-linux-gnu-gcc and qemu-aarch64";
  }
  expect_example_runs(machine_named("aarch64").value(), "aarch64-linux-gnu-gcc",
                      {"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"});
}

TEST_F(Library, TheManifestFitsItsSchema) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  const auto compiled = compile(zoo::build("tiny-resnet", {.width_divisor = 4}).value());
  ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
  const auto manifest = parse_json(manifest_text(*compiled));
  ASSERT_TRUE(manifest.ok());
  const auto schema =
      parse_json(read_file(CAMBIUM_SOURCE_DIR "/docs/schema/manifest.json").value());
  EXPECT_EQ(tests::misfit(*manifest, *schema), "");
  EXPECT_EQ((*manifest)["weight_bytes"], compiled->weights.size());
  EXPECT_EQ((*manifest)["kernels"].size(), compiled->kernels.size());
}

TEST_F(Library, AFolderThatCannotBeMadeIsRefused) {
  CompiledModel model;
  model.name = "m";
  ASSERT_TRUE(write_file(folder_ / "file", "").ok());
  EXPECT_EQ(write_library(model, folder_ / "file/below").rejection().reason(), Reason::Unwritable);
}

TEST(Header, NamesFromFilesCannotEndItsComments) {
  CompiledModel model;
  model.name = "a*/b";
  model.driver = "a__b_run";
  model.inputs = {{DType::F32, {2, 3}}};
  model.input_names = {"x */ int evil; /*\n"};
  const std::string text = header_text(model);
  EXPECT_EQ(text.find("evil; /"), text.rfind("evil; /"));
  EXPECT_EQ(text.find("*/ int"), std::string::npos);
  EXPECT_NE(text.find("#define A__B_INPUT0_BYTES 24\n"), std::string::npos);
  EXPECT_NE(text.find("int a__b_run("), std::string::npos);
  EXPECT_EQ(text.find("#pragma once"), std::string::npos);
}

}  // namespace
}  // namespace cambium::compile
