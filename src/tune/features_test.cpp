#include "tune/features.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "program/text.h"

namespace cambium::tune {
namespace {

const char* kProduct = R"(
program p(a: f32[96, 64] input, b: f32[64, 96] input, c: f32[96, 96] output) {
  local t: f32[6, 48] @space("register")
  for jo in 2 { for io in 16 parallel {
    for i.0 in 6 unrolled { for j.0 in 3 unrolled { for l.0 in 16 vectorized {
      block zero(spatial i in 96 = 6*io + i.0, spatial j in 96 = 48*jo + 16*j.0 + l.0) {
        t[i % 6, j % 48] = 0.0
      }
    } } }
    for k in 64 { for i in 6 unrolled { for j in 3 unrolled { for l in 16 vectorized {
      block sum(spatial i in 96 = 6*io + i, spatial j in 96 = 48*jo + 16*j + l, reduce k = k) {
        t[i % 6, j % 48] += a[i, k] * b[k, j]
      }
    } } } }
    for i.2 in 6 unrolled { for j.2 in 3 unrolled { for l.2 in 16 vectorized {
      block store(spatial i in 96 = 6*io + i.2, spatial j in 96 = 48*jo + 16*j.2 + l.2) {
        c[i, j] = t[i % 6, j % 48]
      }
    } } }
  } }
})";

Features features(int threads = 1) {
  program::Context cx;
  const auto program = program::parse(cx, kProduct);
  EXPECT_TRUE(program.ok());
  return features_of(cx, *program, machine_named("avx512").value(), threads);
}

float column(const Features& f, std::size_t row, const std::string& name) {
  const auto& names = feature_names();
  const auto at = std::find(names.begin(), names.end(), name);
  EXPECT_NE(at, names.end()) << name;
  return f.row(row)[static_cast<std::size_t>(at - names.begin())];
}

TEST(Features, HaveANameEach) {
  const auto& names = feature_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_GT(names.size(), 190U);
  const Features f = features();
  EXPECT_EQ(f.values.size(), f.rows * names.size());
}

TEST(Features, LeaveOutBlocksThatTakeNoTime) {
  EXPECT_EQ(features().rows, 2U) << "the sum and the store, not the zeros";
}

TEST(Features, AreFiniteNumbers) {
  const Features f = features();
  for (float value : f.values) EXPECT_TRUE(std::isfinite(value));
}

TEST(Features, SeeTheTileOfRegisters) {
  const Features f = features();
  EXPECT_EQ(column(f, 0, "registers.accumulators"), 18);
  EXPECT_NEAR(column(f, 0, "registers.loads_per_operation"), 3.0 / 18, 1e-6);
  EXPECT_NEAR(column(f, 0, "registers.broadcasts_per_operation"), 6.0 / 18, 1e-6);
  EXPECT_EQ(column(f, 0, "vectorize.inner_spatial"), 1);
  EXPECT_NEAR(column(f, 0, "unroll.product"), std::log2(19.0), 1e-5);
  EXPECT_NEAR(column(f, 0, "count.multiply_adds"), std::log2(96.0 * 96 * 64 + 1), 1e-4);
  EXPECT_EQ(column(f, 0, "buffer0.reads"), 1);
  EXPECT_EQ(column(f, 1, "buffer0.writes"), 1);
}

TEST(Features, ChangeWithThreads) {
  EXPECT_EQ(column(features(3), 0, "machine.threads"), 3);
  EXPECT_NEAR(column(features(3), 0, "machine.balance"), 16.0 / 18, 1e-6);
}

TEST(Features, SharesOfTheRowsAddUpToAboutOne) {
  const Features f = features();
  EXPECT_NEAR(column(f, 0, "draft.share") + column(f, 1, "draft.share"), 1, 0.03);
}

}  // namespace
}  // namespace cambium::tune
