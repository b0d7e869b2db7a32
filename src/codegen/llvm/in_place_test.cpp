#include "codegen/llvm/in_place.h"

#include <gtest/gtest.h>

#include "codegen/llvm/native_testing.h"
#include "program/analysis.h"
#include "program/text.h"

namespace cambium::codegen {
namespace {

// The result in which local `t` lives; empty: it stays apart. What is compiled computes the same as
// the interpreter either way.
std::string home_of_t(const std::string& text) {
  program::Context cx;
  const auto parsed = program::parse(cx, text);
  EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.rejection().message());
  if (!parsed.ok()) return "not parsed";
  EXPECT_EQ(mismatch(cx, *parsed, 1), "");
  const auto sites = program::sites_of(*parsed);
  const program::Buffer* t = program::find_buffer(*parsed, "t");
  const auto found = in_place(cx, sites, *t, program::home_of(sites, t));
  return found ? std::string(found->result->name) : "";
}

// Rows of 40, of which the last eight are a piece of their own; `read` is what the results come
// from, `more` stands behind them in the same row.
std::string rows(const std::string& kind, const std::string& read, const std::string& more = "") {
  return R"(
program rows(x: f32[6, 40] input, y: f32[6, 40] output, z: f32[6] output) {
  local t: f32[40]
  local s: f32[1]
  for r in 6 )" +
         kind + R"( {
    for j in 40 { block t(spatial r = r, spatial j = j) { t[j] = exp(x[r, j]) } }
    for k in 40 { block s(spatial r = r, reduce j = k) { s[0] += t[j] init 0.0 } }
    for l.0 in 2 { for l.1 in 16 vectorized {
      block y(spatial r = r, spatial j in 32 = 16*l.0 + l.1) { y[r, j] = )" +
         read + R"( / s[0] }
    } }
    for m in 8 vectorized {
      block y.2(spatial r = r, spatial j in 8 = m) { y[r, 32 + j] = t[32 + j] / s[0] }
    }
    )" + more +
         R"(
    block z(spatial r = r) { z[r] = s[0] }
  }
})";
}

TEST(InPlace, ARowLivesWhereItsResultsGo) {
  EXPECT_EQ(home_of_t(rows("", "t[j]")), "y");
  EXPECT_EQ(home_of_t(rows("parallel", "t[j]")), "y");
}

TEST(InPlace, StaysApartWhereAResultNeedsAnotherElement) {
  EXPECT_EQ(home_of_t(rows("", "t[31 - j]")), "");
  EXPECT_EQ(home_of_t(rows("", "t[j] * t[39 - j]")), "");
}

TEST(InPlace, StaysApartWhereItIsReadAfterResultsAreWritten) {
  EXPECT_EQ(home_of_t(rows("", "t[j]",
                           "for n in 40 { block s.2(spatial r = r, reduce j = n) "
                           "{ s[0] max= t[j] } }")),
            "");
}

TEST(InPlace, StaysApartWhereItHasElementsThatAreNoResult) {
  EXPECT_EQ(home_of_t(R"(
program p(x: f32[3, 32] input, y: f32[3, 24] output) {
  local t: f32[32]
  local s: f32[1]
  for r in 3 {
    for j in 32 { block t(spatial r = r, spatial j = j) { t[j] = exp(x[r, j]) } }
    for k in 32 { block s(spatial r = r, reduce j = k) { s[0] += t[j] init 0.0 } }
    for l in 24 { block y(spatial r = r, spatial j = l) { y[r, j] = t[j] / s[0] } }
  }
})"),
            "");
}

TEST(InPlace, StaysApartWhereTheResultIsOfAnotherTypeOrReadAgain) {
  EXPECT_EQ(home_of_t(R"(
program p(x: f32[32] input, y: i32[32] output) {
  local t: f32[32]
  for j in 32 { block t(spatial j = j) { t[j] = x[j] * 2.0 } }
  for l in 32 { block y(spatial j = l) { y[j] = i32(t[j]) } }
})"),
            "");
  EXPECT_EQ(home_of_t(R"(
program p(x: f32[32] input, y: f32[32] output, z: f32[32] output) {
  local t: f32[32]
  for j in 32 { block t(spatial j = j) { t[j] = x[j] * 2.0 } }
  for l in 32 { block y(spatial j = l) { y[j] = t[j] + 1.0 } }
  for m in 32 { block z(spatial j = m) { z[j] = y[31 - j] } }
})"),
            "");
}

TEST(InPlace, StaysApartWhereUseAndResultTakeTurns) {
  EXPECT_EQ(home_of_t(R"(
program p(x: f32[8, 4] input, y: f32[8, 4] output) {
  local t: f32[8, 4]
  local s: f32[8]
  for i in 8 { for j in 4 { block t(spatial i = i, spatial j = j) { t[i, j] = x[i, j] * 2.0 } } }
  for r in 8 {
    for k in 4 { block s(spatial i = r, reduce j = k) { s[i] += t[7 - i, j] init 0.0 } }
    for l in 4 { block y(spatial i = r, spatial j = l) { y[i, j] = t[i, j] + s[i] } }
  }
})"),
            "");
}

}  // namespace
}  // namespace cambium::codegen
