// A matrix product as a program without schedule and as kernels. For tests from the code generator
// to times.
#pragma once

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include "codegen/llvm/gemm_testing.h"
#include "measure/measure.h"
#include "program/build.h"
#include "program/text.h"

namespace cambium::measure {

inline Runner runner() {
  auto started = Runner::start(CAMBIUM_RUNNER);
  EXPECT_TRUE(started.ok());
  return std::move(*started);
}

// What gemm_text computes, without any schedule: b lies in panels of `panel` columns.
inline program::Program lowered_gemm(program::Context& cx, std::int64_t m, std::int64_t n,
                                     std::int64_t k, std::int64_t panel) {
  using namespace program;  // NOLINT(google-build-using-namespace): programs are what is made here
  Builder builder(cx, "gemm");
  const Mem a = builder.input("a", {m, k});
  const Mem b = builder.constant("b", {n / panel, k, panel});
  const Mem c = builder.output("c", {m, n});
  builder.block("c", {spatial("i", m), spatial("j", n), reduce("k", k)}, [&](Point p) {
    return sum(c, {p[0], p[1]}, a(p[0], p[2]) * b(p[1] / panel, p[2], p[1] % panel));
  });
  return builder.finish();
}

struct Gemm {
  program::Context cx;
  Machine machine = host_machine();
  int lanes = static_cast<int>(machine.lanes());

  codegen::ObjectCode code(int m, int n, int k, int rows) {
    const auto parsed = program::parse(cx, codegen::gemm_text(m, n, k, lanes, rows));
    EXPECT_TRUE(parsed.ok()) << parsed.rejection().message();
    const auto made = codegen::compile_kernel(cx, *parsed, machine);
    EXPECT_TRUE(made.ok()) << made.rejection().message();
    return *made;
  }
};

}  // namespace cambium::measure
