#include "program/text.h"

#include <gtest/gtest.h>

#include "program/clone.h"
#include "program/fingerprint.h"

namespace cambium::program {
namespace {

constexpr std::string_view kConv = R"(program conv(x: f32[1, 64, 56, 56] input,
             w: f32[64, 64, 3, 3] constant,
             y: f32[1, 64, 56, 56] output) {
  local t: f32[64, 56] @align(64) @space("stack")
  for co in 64 parallel @grain(4) {
    for oh.o in 14 {
      for oh.i in 4 {
        for ci in 64 {
          for kh in 3 {
            block conv(spatial co = co, spatial oh in 56 = 4*oh.o + oh.i, spatial ow in 56 = 0, reduce ci = ci, reduce kh = kh) if 4*oh.o + oh.i < 56 @prefetch(2) {
              y[0, co, oh, ow] += select([1 <= oh + kh && oh + kh < 57], x[0, ci, oh + kh - 1, ow], 0.0) * w[co, ci, kh, 0] init 0.0
            }
          }
        }
      }
    }
  }
  for i in 64 {
    for j in 56 vectorized {
      block relu(spatial i = i, spatial j = j) {
        t[i, j] = max(0.0, y[0, i, j, j] - -1.5)
      }
    }
  }
}
)";

TEST(ProgramText, RoundTrips) {
  Context cx;
  const auto program = parse(cx, kConv);
  ASSERT_TRUE(program.ok()) << program.rejection().message();
  EXPECT_EQ(to_text(cx, *program), kConv);
}

std::string scalar_text(std::string_view scalar, std::string_view type = "f32") {
  Context cx;
  const std::string text =
      "program p(x: f32[8] input, k: i32[8] input, b: bool[8] input, y: " + std::string(type) +
      "[8] output) { for i in 8 { block s(spatial i = i) " + "{ y[i] = " + std::string(scalar) +
      " } } }";
  const auto program = parse(cx, text);
  if (!program.ok()) return program.rejection().message();
  return to_text(cx, as_block(as_loop(program->root)->body)->body->value);
}

TEST(ProgramText, KeepsTheGroupingOfScalars) {
  for (const std::string_view same :
       {"x[i] + x[i] - x[i]", "x[i] + (x[i] - x[i])", "(x[i] + 1.0) * x[i]", "-x[i] * x[i]",
        "-(x[i] * x[i])", "x[i] - -2.0", "--x[i]", "exp(-x[i])", "max(0.0, x[i])",
        "select(x[i] < 0.0 && !(x[i] == 1.0), x[i], 0.5)", "pow(x[i], 2.0) / 3.0", "1e-30", "-inf",
        "nan", "1e+20", "16777216.0", "f32([2*i + 1])", "f32(k[i])",

        "select(b[i] || [i < 3], x[i], 0.0)"}) {
    EXPECT_EQ(scalar_text(same), same);
  }
  EXPECT_EQ(scalar_text("mod(k[i], i32(8))", "i32"), "mod(k[i], i32(8))");
  EXPECT_EQ(scalar_text("gather(x, mod(k[i], i32(8)))"), "gather(x, mod(k[i], i32(8)))");
  EXPECT_EQ(scalar_text("f64(0.1)", "f64"), "f64(0.1)");
  EXPECT_EQ(scalar_text("u64(18446744073709551615)", "u64"), "u64(18446744073709551615)");
  EXPECT_EQ(scalar_text("i8(-128)", "i8"), "i8(-128)");
  EXPECT_EQ(scalar_text("7", "i64"), "7");
  EXPECT_EQ(scalar_text("true", "bool"), "true");
  EXPECT_EQ(scalar_text("x[i] > 2.0", "bool"), "2.0 < x[i]");
  EXPECT_EQ(scalar_text("f16([i])", "f32").substr(0, 4), "line");
}

Reason refusal(std::string_view text) {
  Context cx;
  const auto program = parse(cx, text);
  return program.ok() ? Reason::NotFound : program.rejection().reason();
}

std::string around(std::string_view body) {
  return "program p(x: f32[8] input, k: i32[8] input, y: f32[8] output) { for i in 8 { " +
         std::string(body) + " } }";
}

TEST(ProgramText, RefusesWithTheReason) {
  EXPECT_EQ(refusal("program p(x: f32[8] input"), Reason::BadSyntax);
  EXPECT_EQ(refusal("program p(x: f32[8] input, x: f32[8] output) {}"), Reason::NameTaken);
  EXPECT_EQ(refusal("program p(min: f32[8] input) {}"), Reason::BadName);
  EXPECT_EQ(refusal("program p(x: f31[8] input) {}"), Reason::UnknownName);
  EXPECT_EQ(refusal("program p(x: f32[0] input) {}"), Reason::SizeNotPositive);
  EXPECT_EQ(refusal("program p(x: f32[1099511627776, 2] input) {}"), Reason::BufferTooLarge);
  // The whole is small, but a part of it does not fit 64 bits.
  EXPECT_EQ(refusal("program p(x: f32[8] output) { for i in 8 { block b(spatial i = i) {"
                    " x[min(i*4611686018427387904, 7)] = 1.0 } } }"),
            Reason::IndexOverflow);
  EXPECT_EQ(refusal("program p(x: f32[8] local) {}"), Reason::UnknownName);
  EXPECT_EQ(refusal(around("for i in 2 { }")), Reason::NameTaken);
  EXPECT_EQ(refusal(around("block s(spatial i = j) { y[i] = 0.0 }")), Reason::UnknownName);
  EXPECT_EQ(refusal(around("block s(spatial i = i + 1) { y[i] = 0.0 }")), Reason::BadSyntax);
  EXPECT_EQ(refusal(around("block s(spatial i = i < 3) { y[i] = 0.0 }")), Reason::WrongOperand);
  EXPECT_EQ(refusal(around("block s(spatial i = i) if i { y[i] = 0.0 }")), Reason::WrongOperand);
  EXPECT_EQ(refusal(around("block s(spatial i = i) { y[i, i] = 0.0 }")), Reason::WrongRank);
  EXPECT_EQ(refusal(around("block s(spatial i = i) { y[i] = gather(x) }")), Reason::WrongRank);
  EXPECT_EQ(refusal(around("block s(spatial i = i) { y[i] = x[i] + k[i] }")), Reason::OperandType);
  EXPECT_EQ(refusal(around("block s(spatial i = i) { y[i] = k[i] }")), Reason::OperandType);
  EXPECT_EQ(refusal(around("block s(spatial i = i) { y[i] = gather(x, x[i]) }")),
            Reason::OperandType);
  EXPECT_EQ(refusal(around("block s(spatial i = i) { y[i] = relu(x[i]) }")),
            Reason::UnknownFunction);
  EXPECT_EQ(refusal(around("block s(reduce i = i) { y[0] = x[i] }")), Reason::BadReduction);
  EXPECT_EQ(refusal(around("block s(reduce i = i) { y[0] += x[i] init x[i] }")),
            Reason::UnknownName);
  EXPECT_EQ(refusal(around("block s(spatial i = i) { y[i] = i8(300) }")), Reason::OperandType);
  EXPECT_EQ(refusal(around("block s(spatial i = i) { y[i*i] = 0.0 }")), Reason::NotQuasiAffine);
  EXPECT_EQ(refusal(around("block s(spatial i = i) { y[i] = " + std::string(400, '(') + " }")),
            Reason::TooDeep);
}

TEST(ProgramText, SaysWhere) {
  Context cx;
  const auto bad = parse(cx, "program p(x: f32[8] input) {\n  for i in 8 {\n    blok\n  }\n}\n");
  EXPECT_EQ(bad.rejection().message(),
            "line 3, column 5: expected 'for', 'block' or '}', found 'blok'");
  const auto index = parse(cx, around("block s(spatial i = i) {\n y[i +] = 0.0 }"));
  EXPECT_EQ(
      index.rejection().message(),
      "line 2, column 4: index 'i +': line 1, column 4: expected an expression, found the end");
}

TEST(ProgramFingerprint, IgnoresNamesAndTheOrderOfLocals) {
  Context cx;
  const auto a = parse(cx, R"(program p(x: f32[8] input, y: f32[8] output) {
    local t: f32[8]  local u: f32[8, 2]
    for i in 8 { block a(spatial i = i) { t[i] = x[i] } }
    for j in 8 { block b(spatial i = j) { u[i, 0] = t[i] } }
    for k in 8 { block c(spatial i = k) { y[i] = u[i, 0] } } })")
                     .value();
  const auto b = parse(cx, R"(program q(in: f32[8] input, out: f32[8] output) {
    local v: f32[8, 2]  local s: f32[8] local unused: f32[1]
    for a in 8 { block a1(spatial z = a) { s[z] = in[z] } }
    for b in 8 { block b1(spatial z = b) { v[z, 0] = s[z] } }
    for c in 8 { block c1(spatial z = c) { out[z] = v[z, 0] } } })")
                     .value();
  EXPECT_EQ(fingerprint_of(a), fingerprint_of(b));
}

TEST(ProgramFingerprint, CountsEverythingElse) {
  const std::string_view base = R"(program p(x: f32[8] input, y: f32[8] output) {
    for i in 8 { block a(spatial i = i) { y[i] = x[i] } } })";
  Context cx;
  const Fingerprint original = fingerprint_of(parse(cx, base).value());
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text(base);
    text.replace(text.find(from), from.size(), to);
    const auto program = parse(cx, text);
    EXPECT_TRUE(program.ok()) << program.rejection().message();
    return fingerprint_of(*program);
  };
  EXPECT_EQ(changed("program p", "program q"), original);
  EXPECT_NE(changed("x: f32[8]", "x: f32[9]"), original);
  EXPECT_NE(changed("x: f32[8] input", "x: f32[8] constant"), original);
  EXPECT_NE(changed("x: f32[8] input", "x: f16[8] input"), original);
  EXPECT_NE(changed("in 8 {", "in 8 parallel {"), original);
  EXPECT_NE(changed("in 8 {", "in 8 @unroll(2) {"), original);
  EXPECT_NE(changed("spatial i = i", "spatial i in 8 = 7 - i"), original);
  EXPECT_NE(changed("= i)", "= i) if i < 4"), original);
  EXPECT_NE(changed("= x[i]", "= x[7 - i]"), original);
  EXPECT_NE(changed("= x[i]", "= -x[i]"), original);
}

TEST(ProgramClone, IsEqualAndOutlivesTheOriginal) {
  Context to;
  Program copy;
  Fingerprint original;
  {
    Context cx;
    const Program program = parse(cx, kConv).value();
    original = fingerprint_of(program);
    copy = clone_into(to, program);
  }
  EXPECT_EQ(fingerprint_of(copy), original);
  EXPECT_EQ(to_text(to, copy), kConv);
}

}  // namespace
}  // namespace cambium::program
