#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "codegen/codegen.h"
#include "program/text.h"

namespace cambium::codegen {
namespace {

// y = sqrt-free polynomial of x in one kernel, z = sin(y) in another.
constexpr const char* kFirst = R"(
program first(x: f32[40] input, w: f32[40] constant, t: f32[40] output) {
  for i in 40 vectorized { block a(spatial i = i) { t[i] = x[i] * w[i] + 1.0 } }
})";
constexpr const char* kSecond = R"(
program second(t: f32[40] input, y: f32[40] output) {
  for i in 40 parallel { block a(spatial i = i) { y[i] = sin(t[i]) } }
})";

Result<std::vector<ObjectCode>> objects_for(const Machine& machine) {
  program::Context cx;
  std::vector<ObjectCode> objects;
  for (const auto& [text, symbol] : {std::pair(kFirst, "first"), std::pair(kSecond, "second")}) {
    CAMBIUM_TRY(const program::Program program, program::parse(cx, text));
    CodegenOptions options;
    options.symbol = symbol;
    CAMBIUM_TRY(ObjectCode code, compile_kernel(cx, program, machine, options));
    objects.push_back(std::move(code));
  }
  using Base = Place::Base;
  Driver driver;
  driver.plan_bytes = 160;
  driver.calls = {{"first", {{Base::Input, 0, 0}, {Base::Weights, 0, 64}, {Base::Plan, 0, 0}}},
                  {"second", {{Base::Plan, 0, 0}, {Base::Output, 0, 0}}}};
  CAMBIUM_TRY(const Backend* const backend, backend_for(machine));
  CAMBIUM_TRY(ObjectCode code, backend->compile_driver(driver, machine));
  objects.push_back(std::move(code));
  return objects;
}

using Model = int (*)(const void* const*, void* const*, const void*, void*,
                      const cambium_parallel*);

void expect_model(Model model) {
  alignas(64) float x[40], y[40] = {}, weights[16 + 40], workspace[1024];
  for (int i = 0; i < 40; ++i) x[i] = static_cast<float>(i) / 8, weights[16 + i] = 0.5F;
  const void* inputs[] = {x};
  void* outputs[] = {y};
  ASSERT_EQ(model(inputs, outputs, weights, workspace, nullptr), 0);
  for (int i = 0; i < 40; ++i) {
    EXPECT_NEAR(y[i], std::sin(static_cast<float>(i) / 16 + 1), 1e-6) << i;
  }
}

TEST(Driver, CallsKernelsInOrder) {
  const auto objects = objects_for(host_machine());
  ASSERT_TRUE(objects.ok()) << objects.rejection().message();
  EXPECT_EQ(objects->back().workspace.shared_bytes, 192);
  const auto loaded = backend_for(host_machine()).value()->load(*objects);
  ASSERT_TRUE(loaded.ok()) << loaded.rejection().message();
  const auto model = (*loaded)->find("model");
  ASSERT_TRUE(model.ok()) << model.rejection().message();
  expect_model(reinterpret_cast<Model>(*model));
}

TEST(Link, ExportsOneSymbol) {
  const auto objects = objects_for(host_machine());
  ASSERT_TRUE(objects.ok()) << objects.rejection().message();
  const ScratchFolder folder;
  const std::string path = folder / "link_test.so";
  const auto linked = link_shared(*objects, "model", host_machine(), path);
  ASSERT_TRUE(linked.ok()) << linked.rejection().message();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(dlsym(library, "first"), nullptr);
  void* model = dlsym(library, "model");
  ASSERT_NE(model, nullptr);
  expect_model(reinterpret_cast<Model>(model));
  dlclose(library);
  std::filesystem::remove(path);
}

TEST(Link, TellsWhatTheLinkerSays) {
  ObjectCode junk;
  junk.bytes = "no object";
  const auto linked =
      link_shared(std::span(&junk, 1), "model", host_machine(), ScratchFolder() / "junk.so");
  ASSERT_FALSE(linked.ok());
  EXPECT_EQ(linked.rejection().reason(), Reason::LinkFailed);
}

TEST(Link, RefusesObjectsOfAnUnknownFormat) {
  ObjectCode unknown;
  unknown.format = static_cast<CodeFormat>(7);
  const auto linked =
      link_shared(std::span(&unknown, 1), "model", host_machine(), ScratchFolder() / "unknown.so");
  ASSERT_FALSE(linked.ok());
  EXPECT_EQ(linked.rejection().reason(), Reason::Unavailable);
  EXPECT_NE(linked.rejection().message().find("format 7"), std::string::npos);
}

TEST(Link, NamesThePackageOfAMissingLinker) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const auto linked = link_shared({}, "model", machine_named("aarch64").value(), "/nowhere/x.so");
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(linked.ok());
  EXPECT_EQ(linked.rejection().reason(), Reason::LinkerMissing);
  EXPECT_NE(linked.rejection().message().find("binutils-aarch64-linux-gnu"), std::string::npos);
}

// A library for AArch64, called by a C program, in an emulator.
TEST(Link, RunsOnAArch64) {
  for (const char* tool : {"aarch64-linux-gnu-gcc", "aarch64-linux-gnu-ld", "qemu-aarch64"}) {
    const auto found = run_process({{tool, "--version"}, "", {}});
    if (!found.ok() || !found->succeeded()) GTEST_SKIP() << tool << " is not there";
  }
  const Machine machine = machine_named("aarch64").value();
  const auto objects = objects_for(machine);
  ASSERT_TRUE(objects.ok()) << objects.rejection().message();
  const ScratchFolder folder;
  const std::string library = folder / "libcambium_arm.so";
  const auto linked = link_shared(*objects, "model", machine, library);
  ASSERT_TRUE(linked.ok()) << linked.rejection().message();
  const std::string source = folder / "arm.c";
  const std::string program = folder / "arm";
  ASSERT_TRUE(write_file(source, R"(
#include <math.h>
#include <stdio.h>
int model(const void* const*, void* const*, const void*, void*, const void*);
static _Alignas(64) float x[40], y[40], weights[56], workspace[1024];
int main(void) {
  const void* inputs[] = {x};
  void* outputs[] = {y};
  for (int i = 0; i < 40; ++i) x[i] = i / 8.0f, weights[16 + i] = 0.5f;
  int code = model(inputs, outputs, weights, workspace, 0);
  for (int i = 0; i < 40; ++i) if (fabs(y[i] - sin(i / 16.0 + 1)) > 1e-6) code = i + 1;
  printf("%g\n", y[39]);
  return code;
})")
                  .ok());
  const auto built = run_process({{"aarch64-linux-gnu-gcc", source, library, "-o", program, "-lm",
                                   "-Wl,-rpath," + folder.path()},
                                  "",
                                  {}});
  ASSERT_TRUE(built.ok() && built->succeeded()) << built->errors;
  const auto ran = run_process({{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", program}, "", {}});
  ASSERT_TRUE(ran.ok());
  EXPECT_TRUE(ran->succeeded()) << ran->text() << " " << ran->output << ran->errors;
}

}  // namespace
}  // namespace cambium::codegen
