#include "codegen/llvm/locals.h"

#include <gtest/gtest.h>

#include "program/text.h"

namespace cambium::codegen {
namespace {

struct Placing {
  program::Context cx;
  program::Program program;
  Locals locals;

  explicit Placing(const char* text) {
    program = program::parse(cx, text).value();
    const auto sites = program::sites_of(program);
    locals = place_locals(cx, program, sites, machine_named("avx2").value()).value();
  }
  const LocalHome& home(std::string_view name) {
    return locals.homes.at(program::find_buffer(program, name));
  }
};

TEST(Locals, ShareBytesWhenNeverAliveTogether) {
  Placing p(R"(
program chain(x: f32[100] input, y: f32[100] output) {
  local a: f32[100]
  local b: f32[100]
  local c: f32[100]
  for i in 100 { block one(spatial i = i) { a[i] = x[i] + 1.0 } }
  for j in 100 { block two(spatial i = j) { b[i] = a[99 - i] * 2.0 } }
  for k in 100 { block three(spatial i = k) { c[i] = b[i] + b[99 - i] } }
  for l in 100 { block four(spatial i = l) { y[i] = c[99 - i] } }
})");
  EXPECT_EQ(p.home("a").offset, p.home("c").offset);
  EXPECT_NE(p.home("a").offset, p.home("b").offset);
  EXPECT_EQ(p.locals.workspace.shared_bytes, 2 * 448);
  EXPECT_EQ(p.locals.workspace.worker_bytes, 0);
}

TEST(Locals, KeepTheirBytesThroughTheLoopsThatUseThem) {
  Placing p(R"(
program loop(x: f32[4, 100] input, y: f32[100] output) {
  local sum: f32[100]
  local t: f32[100]
  for z in 100 { block zero(spatial i = z) { sum[i] = 0.0 } }
  for k in 4 {
    for i in 100 { block one(spatial i = i, spatial k = k) { t[i] = x[k, i] + 1.0 } }
    for j in 100 { block add(spatial i = j, reduce k = k) { sum[i] += t[99 - i] } }
  }
  for l in 100 { block out(spatial i = l) { y[i] = sum[99 - i] } }
})");
  EXPECT_NE(p.home("sum").offset, p.home("t").offset);
}

TEST(Locals, BelongToWorkersInsideParallelLoops) {
  Placing p(R"(
program rows(x: f32[4, 100] input, y: f32[4, 100] output) {
  local t: f32[100]
  for i in 4 parallel {
    for j in 100 { block one(spatial i = i, spatial j = j) { t[j] = x[i, j] + 1.0 } }
    for k in 100 { block two(spatial i = i, spatial j = k) { y[i, j] = t[99 - j] } }
  }
})");
  EXPECT_TRUE(p.home("t").per_worker);
  EXPECT_EQ(p.locals.workspace.shared_bytes, 0);
  EXPECT_EQ(p.locals.workspace.worker_bytes, 448);
  EXPECT_EQ(p.locals.workspace.bytes(3), 3 * 448);
}

TEST(Locals, AreRegistersWhenSmallAndAtKnownPlaces) {
  Placing p(R"(
program small(x: f32[4, 8] input, y: f32[4, 8] output) {
  local t: f32[8]
  local m: f32[8]
  for i in 4 {
    for j in 8 vectorized { block one(spatial i = i, spatial j = j) { t[j] = x[i, j] + 1.0 } }
    for k in 8 { block two(spatial j = k) { m[j] = t[0] * 2.0 } }
    for l in 8 vectorized { block three(spatial i = i, spatial j = l) { y[i, j] = t[j] + m[j] } }
  }
})");
  EXPECT_TRUE(p.home("t").in_registers);
  EXPECT_EQ(p.home("t").form.lanes, 8);
  EXPECT_FALSE(p.home("m").in_registers) << "loop k is not unrolled";
}

TEST(Locals, BeginARegisterWithEveryRowThatDoesNotFillItsLast) {
  Placing p(R"(
program rows(x: f32[3, 9] input, y: f32[3, 9] output) {
  local t: f32[3, 9] @space("register")
  for r in 3 unrolled {
    for v in 2 unrolled {
      for l in 8 vectorized {
        block one(spatial i in 3 = r, spatial j in 9 = 8*v + l) if 8*v + l < 9 {
          t[i, j] = x[i, j] + 1.0
        }
      }
    }
  }
  for i in 3 unrolled {
    for j in 9 unrolled { block two(spatial i = i, spatial j = j) { y[i, j] = t[i, j] } }
  }
})");
  const RegisterForm& form = p.home("t").form;
  EXPECT_EQ(form.lanes, 8);
  EXPECT_EQ(form.dims, (std::vector<std::int64_t>{3, 16}));
  EXPECT_EQ(form.slots(), 6);
}

}  // namespace
}  // namespace cambium::codegen
