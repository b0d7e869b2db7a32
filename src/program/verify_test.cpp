#include "program/verify.h"

#include <set>

#include <gtest/gtest.h>

#include "program/build.h"
#include "program/text.h"

namespace cambium::program {
namespace {

std::set<std::string> broken_in(Context& cx, std::string_view text, Stage stage) {
  const auto program = parse(cx, text);
  if (!program.ok()) return {program.rejection().message()};
  std::set<std::string> names;
  for (const Violation& v : violations(cx, *program, stage)) {
    names.insert(std::string(v.rule->name) + " " + std::string(name_of(v.rejection.reason())));
  }
  // The first of them alone is refused for the same reason.
  const Status first = check(cx, *program, stage);
  EXPECT_EQ(first.ok(), names.empty());
  if (!first.ok()) {
    EXPECT_EQ(first.rejection().reason(),
              violations(cx, *program, stage).front().rejection.reason());
  }
  return names;
}

// The rules that a program breaks, each with its reason: "points-once ComputedTwice". They are the
// same in a context that has found other programs sound, which share most of their parts with it.
std::set<std::string> broken(std::string_view text, Stage stage = Stage::Scheduled) {
  static Context used;
  Context cx;
  const std::set<std::string> names = broken_in(cx, text, stage);
  EXPECT_EQ(broken_in(used, text, stage), names);
  EXPECT_EQ(broken_in(used, text, stage), names) << "when it is asked again";
  return names;
}

using Names = std::set<std::string>;

std::string on(std::string_view parameters, std::string_view statements) {
  return "program p(" + std::string(parameters) + ") { " + std::string(statements) + " }";
}

constexpr std::string_view kMatmul = R"(
  program matmul(a: f32[60, 32] input, b: f32[32, 64] constant, c: f32[60, 64] output) {
    for i.o in 8 parallel {
      for j.o in 4 {
        for k in 32 {
          for i.i in 8 unrolled {
            for j.i in 16 vectorized {
              block matmul(spatial i in 60 = 8*i.o + i.i, spatial j in 64 = 16*j.o + j.i, reduce k = k) if 8*i.o + i.i < 60 {
                c[i, j] += a[i, k] * b[k, j] init 0.0
              }
            }
          }
        }
      }
    }
  })";

TEST(Verifier, AcceptsATiledMatmulWithATail) {
  EXPECT_EQ(broken(kMatmul), Names());
  EXPECT_EQ(broken(kMatmul, Stage::Ready), Names{"inits-decomposed InitNotDecomposed"});
  EXPECT_EQ(broken(kMatmul, Stage::Lowered), Names{"loops-plain LoopNotPlain"});
}

// What was found sound is remembered by block: the same blocks in another program are not.
TEST(Verifier, RemembersBlocksOnlyWithAllThatTheirSoundnessIsMadeOf) {
  const std::string parameters = "x: f32[8] input, y: f32[8] output";
  const std::string first = "for i in 8 { block t(spatial i = i) { t[i] = x[i] } }";
  const std::string second = "for j in 8 { block y(spatial j = j) { y[j] = t[j] } }";
  EXPECT_EQ(broken(on(parameters, "local t: f32[8] " + first + second)), Names());
  EXPECT_EQ(broken(on(parameters, "local t: f32[7] " + first + second)),
            (Names{"writes-apart WritesCollide", "accesses-in-bounds AccessOutOfBounds"}));
  EXPECT_EQ(broken(on(parameters, "local t: f32[8] " + second + first)),
            Names{"reads-after-writes ReadBeforeWrite"});
  EXPECT_EQ(broken(on(parameters, "local t: f32[8] local u: f32[8] " + first +
                                      "for j in 8 { block y(spatial j = j) { y[j] = u[j] } }")),
            Names{"reads-after-writes ReadBeforeWrite"});
  // Under a parallel loop it matters which buffers are one.
  const auto reads_back = [](const std::string& buffer) {
    return on("x: f32[8] input, y: f32[8] output, z: f32[8] output",
              "local u: f32[8] for j in 8 { block u(spatial j = j) { u[j] = x[j] } } "
              "for i in 8 parallel { block y(spatial i = i) { y[i] = x[i] } "
              "block z(spatial i = i) { z[i] = " +
                  buffer + "[7 - i] } }");
  };
  EXPECT_EQ(broken(reads_back("u")), Names());
  EXPECT_NE(broken(reads_back("y")), Names());
}

TEST(Verifier, AcceptsAFusedLoopAndDecomposedInit) {
  EXPECT_EQ(broken(on("a: f32[6, 10] input, y: f32[6, 10] output", R"(
    for f in 60 parallel {
      block init(spatial i in 6 = f/10, spatial j in 10 = f % 10) { y[i, j] = 0.0 }
      for k in 10 {
        block sum(spatial i in 6 = f/10, spatial j in 10 = f % 10, reduce k = k) { y[i, j] += a[i, k] }
      }
    })"),
                   Stage::Ready),
            Names());
  EXPECT_EQ(broken(on("a: f32[6, 10] input, y: f32[6, 10] output", R"(
    for i in 6 parallel {
      for j in 10 { block init(spatial i = i, spatial j = j) { y[i, j] = 0.0 } }
      for k in 10 {
        for l in 10 vectorized {
          block sum(spatial i = i, spatial j = l, reduce k = k) { y[i, j] += a[i, k] }
        }
      }
    })"),
                   Stage::Ready),
            Names());
}

// The producer of a convolution computed where it is needed: rows overlap between iterations, and
// the local is born anew in each.
TEST(Verifier, AcceptsAProducerInsideTheLoopOfItsConsumer) {
  EXPECT_EQ(broken(on("x: f32[18] input, y: f32[16] output", R"(
    local t: f32[18]
    for o in 4 parallel {
      for r in 6 { block t(spatial i in 18 = 4*o + r) { t[i] = x[i] * 2.0 } }
      for i in 4 {
        for k in 3 {
          block y(spatial i in 16 = 4*o + i, reduce k = k) { y[i] += t[i + k] init 0.0 }
        }
      }
    })")),
            Names());
  // One row too few.
  EXPECT_EQ(broken(on("x: f32[18] input, y: f32[16] output", R"(
    local t: f32[18]
    for o in 4 {
      for r in 5 { block t(spatial i in 18 = 4*o + r) { t[i] = x[i] * 2.0 } }
      for i in 4 {
        for k in 3 {
          block y(spatial i in 16 = 4*o + i, reduce k = k) { y[i] += t[i + k] init 0.0 }
        }
      }
    })")),
            Names{"reads-after-writes NotProved"});
}

// A local in a tile: its index is that of the tile, and the tail leaves a part of it unwritten.
constexpr std::string_view kTile = R"(
    local t: f32[6]
    for o in 3 parallel {
      for r in 6 { for k in 4 {
        block t(spatial i in 14 = 6*o + r, reduce k = k) if 6*o + r < 14 { t[i % 6] += x[i] init 0.0 }
      } }
      for i in 6 { block y(spatial i in 14 = 6*o + i) if 6*o + i < 14 { y[i] = t[READ] } }
    })";
std::string tile_reading(const std::string& index) {
  std::string text(kTile);
  text.replace(text.find("READ"), 4, index);
  return on("x: f32[14] input, y: f32[14] output", text);
}

TEST(Verifier, AcceptsATileIndexedModuloItsSize) {
  EXPECT_EQ(broken(tile_reading("i % 6")), Names());
  // The last element of the tile is not written in the last iteration.
  EXPECT_EQ(broken(tile_reading("5")), Names{"reads-after-writes NotProved"});
  EXPECT_EQ(broken(tile_reading("(i + 1) % 6")), Names{"reads-after-writes NotProved"});
  // Without the tile's loop around its readers, the iterations write the same elements.
  EXPECT_EQ(broken(on("x: f32[12] input, y: f32[12] output", R"(
    local t: f32[6]
    for o in 2 { for r in 6 { block t(spatial i in 12 = 6*o + r) { t[i % 6] = x[i] } } }
    for i in 12 { block y(spatial i = i) { y[i] = t[i % 6] } })")),
            Names{"writes-apart WritesCollide"});
}

// Rows of a window go round in a local of three.
TEST(Verifier, AcceptsAWindowThatWrapsAround) {
  const auto window = [](const std::string& rows) {
    return on("x: f32[9] input, y: f32[4] output", "local t: f32[" + rows + "]" + R"(
      for o in 4 {
        for r in 3 { block t(spatial i in 9 = 2*o + r) { t[i % )" +
                                                       rows + R"(] = x[i] } }
        for k in 3 { block y(spatial o = o, reduce k = k) { y[o] += t[(2*o + k) % )" +
                                                       rows + R"(] init 0.0 } }
      })");
  };
  EXPECT_EQ(broken(window("3")), Names());
  EXPECT_EQ(broken(window("4")), Names());
  EXPECT_NE(broken(window("2")), Names());
}

// Large packed weights, and a large output written through digits: decided without visiting points.
TEST(Verifier, AcceptsPanelsAndDigitsOfAnySize) {
  EXPECT_EQ(broken(on("w: f32[40960, 5120] input, y: f32[40960, 5120] output", R"(
    local p: f32[80, 40960, 64]
    for a in 40960 { for b in 5120 { block p(spatial i = a, spatial j = b) { p[j / 64, i, j % 64] = w[i, j] } } }
    for f in 209715200 {
      block y(spatial i in 40960 = f / 5120, spatial j in 5120 = f % 5120) { y[i, j] = p[j / 64, i, j % 64] }
    })")),
            Names());
}

// Pixels in tiles of 6 with a tail of its own, written by row and column.
TEST(Verifier, AcceptsPiecesThatWriteThroughDigits) {
  const auto pieces = [](const std::string& tail) {
    return on(
        "x: f32[9000000] input, y: f32[3000, 3000] output",
        R"(
      for o in 1499999 { for r in 6 {
        block a(spatial p in 9000000 = 6*o + r) { y[p / 3000, p % 3000] = x[p] }
      } }
      for t in )" +
            tail +
            R"( { block b(spatial p in 9000000 = t + 8999994) { y[p / 3000, p % 3000] = x[p] } })");
  };
  EXPECT_EQ(broken(pieces("6")), Names());
  EXPECT_EQ(broken(pieces("5")), Names{"outputs-written NotProved"});
}

TEST(Verifier, AcceptsPaddingBehindAConditionAndOutputsInPieces) {
  EXPECT_EQ(broken(on("x: f32[8] input, y: f32[8] output", R"(
    local t: f32[10]
    for p in 10 { block pad(spatial i = p) { t[i] = select([1 <= i && i < 9], x[i - 1], 0.0) } }
    for i in 8 { block y(spatial i = i) { y[i] = t[i] + t[i + 2] } })"),
                   Stage::Lowered),
            Names());
  EXPECT_EQ(broken(on("x: f32[8] input, y: f32[20] output", R"(
    for i in 8 { block a(spatial i = i) { y[2*i] = x[i] } }
    for j in 8 { block b(spatial i = j) { y[2*i + 1] = x[i] } }
    for k in 4 { block c(spatial i = k) { y[i + 16] = x[7 - i] } })"),
                   Stage::Lowered),
            Names());
}

// A loop in three pieces, each with the block, as partitioning leaves it.
TEST(Verifier, AcceptsAPartitionedLoop) {
  EXPECT_EQ(
      broken(on("x: f32[4096, 4096] input, y: f32[4096, 4096] output, z: f32[4096] output", R"(
    for a in 1 {
      for j.a in 4096 { block a(spatial i in 4096 = a, spatial j = j.a) { y[i, j] = x[i, j] } }
    }
    for b in 4094 {
      for j.b in 4096 { block b(spatial i in 4096 = b + 1, spatial j = j.b) { y[i, j] = x[i, j] } }
    }
    for c in 1 {
      for j.c in 4096 { block c(spatial i in 4096 = c + 4095, spatial j = j.c) { y[i, j] = x[i, j] } }
    }
    for k in 4096 { block z(spatial i = k) { z[i] = y[i, 4095 - i] } })")),
      Names());
}

TEST(Verifier, RefusesWhatIsOutOfScope) {
  Context cx;
  const Program program = parse(cx, on("x: f32[8] input, y: f32[8] output",
                                       "for i in 8 { block a(spatial i = i) { y[i] = x[i] } }"))
                              .value();
  Program broken_program = program;
  broken_program.root = as_loop(program.root)->body;  // the block without its loop
  EXPECT_EQ(check(cx, broken_program, Stage::Lowered).rejection().reason(), Reason::AxisUnbound);
  broken_program = program;
  broken_program.parameters = program.parameters.subspan(0, 1);
  EXPECT_EQ(check(cx, broken_program, Stage::Lowered).rejection().reason(), Reason::UnknownName);
  broken_program = program;
  const Stmt twice[] = {program.root, program.root};
  broken_program.root = cx.seq(twice);
  EXPECT_EQ(check(cx, broken_program, Stage::Lowered).rejection().reason(), Reason::NameTaken);
  EXPECT_EQ(broken(on("x: f32[1] input", "block a() { x[0] = 1.0 }")),
            Names{"read-only-kept WritesReadOnly"});
  // The target of a reduction may not depend on where the reduction is.
  EXPECT_EQ(broken(on("y: f32[4] output",
                      "for k in 4 { block a(reduce k = k) { y[k] += 1.0 init 0.0 } }")),
            Names{"axes-in-scope AxisUnbound"});
}

TEST(Verifier, RefusesBindingsThatMissTheirDomain) {
  const std::string_view xy = "x: f32[64] input, y: f32[64] output";
  EXPECT_EQ(broken(on("y: f32[10] output",
                      "for o in 3 { for i in 4 { block a(spatial i in 10 = 4*o + i) { y[i] = 1.0 } "
                      "} }")),
            Names{"bindings-in-range BindingOutOfRange"});
  EXPECT_EQ(broken(on(xy,
                      "for o in 8 { for i in 16 { block a(spatial i in 64 = 4*o + i) if 4*o + i "
                      "< 64 { y[i] = x[i] } } }")),
            (Names{"points-once ComputedTwice", "outputs-written OutputNotWritten"}));
  EXPECT_EQ(broken(on(xy,
                      "for o in 8 { for i in 4 { block a(spatial i in 64 = 8*o + i) { y[i] = "
                      "x[i] } } }")),
            Names{"outputs-written OutputNotWritten"});
  EXPECT_EQ(broken(on("x: f32[64] input, y: f32[1] output",
                      "for k in 32 { block a(spatial i in 1 = 0, reduce k in 64 = 2*k) { y[i] += "
                      "x[k] init 0.0 } }")),
            Names{"reductions-complete ReductionIncomplete"});
  EXPECT_EQ(broken(on("y: f32[64] output",
                      "for r in 2 { for i in 64 { block a(spatial i = i) { y[i] = 1.0 } } }")),
            Names{"points-once ComputedTwice"});
}

TEST(Verifier, RefusesPointsThatWriteTheSameElement) {
  EXPECT_EQ(broken(on("x: f32[8] input, y: f32[4] output",
                      "for i in 8 { block a(spatial i = i) { y[i/2] = x[i] } }")),
            Names{"writes-apart WritesCollide"});
  EXPECT_EQ(broken(on("x: f32[8] input, y: f32[1] output",
                      "for i in 8 { block a(spatial i = i) { y[0] = x[i] } }")),
            Names{"writes-apart WritesCollide"});
}

TEST(Verifier, SaysWhenItDoesNotKnow) {
  EXPECT_EQ(broken(on("x: f32[8388608] input, y: f32[8388608] output", R"(
    for i in 8388608 {
      block a(spatial i = i) { y[3*i % 8388608] = x[i] }
    })")),
            (Names{"writes-apart NotProved", "outputs-written NotProved"}));
}

TEST(Verifier, RefusesAccessesBeyondTheEdge) {
  EXPECT_EQ(broken(on("x: f32[8] input, y: f32[8] output",
                      "for i in 8 { block a(spatial i = i) { y[i] = x[i + 1] } }")),
            Names{"accesses-in-bounds AccessOutOfBounds"});
  EXPECT_EQ(broken(on("x: f32[8] input, y: f32[8] output",
                      "for i in 8 { block a(spatial i = i) { y[i] = select([i < 8], x[i + 1], 0.0) "
                      "} }")),
            Names{"accesses-in-bounds AccessOutOfBounds"});
}

TEST(Verifier, RefusesReadsBeforeTheWriteIsComplete) {
  EXPECT_EQ(broken(on("y: f32[4] output",
                      "local t: f32[4] for i in 4 { block a(spatial i = i) { "
                      "y[i] = t[i] } }")),
            Names{"reads-after-writes ReadBeforeWrite"});
  EXPECT_EQ(broken(on("x: f32[4, 4] input, y: f32[4, 4] output", R"(
    local t: f32[4]
    for k in 4 {
      for i in 4 { block t(spatial i = i, reduce k = k) { t[i] += x[i, k] init 0.0 } }
      for j in 4 { block y(spatial j = j, spatial k = k) { y[j, k] = t[j] } }
    })")),
            Names{"reads-after-writes ReadBeforeWrite"});
  EXPECT_EQ(broken(on("y: f32[4] output", "for i in 4 { block a(spatial i = i) { y[i] += 1.0 } }")),
            (Names{"reads-after-writes ReadBeforeWrite", "outputs-written OutputNotWritten"}));
}

TEST(Verifier, RefusesOutputsThatAreNotWritten) {
  EXPECT_EQ(broken(on("y: f32[4] output", "")), Names{"outputs-written OutputNotWritten"});
  EXPECT_EQ(broken(on("y: f32[4] output", "for i in 3 { block a(spatial i = i) { y[i] = 1.0 } }")),
            Names{"outputs-written OutputNotWritten"});
}

TEST(Verifier, RefusesParallelLoopsThatAreNot) {
  EXPECT_EQ(broken(on("x: f32[8] input, y: f32[1] output",
                      "for k in 8 parallel { block a(spatial i in 1 = 0, reduce k = k) { y[i] += "
                      "x[k] init 0.0 } }")),
            Names{"parallel-independent ParallelReduction"});
  EXPECT_EQ(broken(on("y: f32[8] output",
                      "for r in 2 parallel { for i in 8 { block a(spatial i = i) { y[i] = 1.0 } } "
                      "}")),
            (Names{"points-once ComputedTwice", "parallel-independent ParallelOverlap"}));
  EXPECT_EQ(broken(on("y: f32[9] output", R"(
    for i in 8 parallel {
      block a(spatial i = i) { y[i] = 1.0 }
      block b(spatial i = i) { y[i + 1] = 2.0 }
    })")),
            Names{"parallel-independent NotProved"});
  EXPECT_EQ(broken(on("y: f32[8] output, z: f32[8] output", R"(
    for j in 8 { block c(spatial i = j) { y[i] = 0.0 } }
    for i in 8 parallel {
      block a(spatial i = i) { z[i] = y[7 - i] }
      block b(spatial i = i) { y[i] = 2.0 }
    })")),
            Names{"parallel-independent NotProved"});
}

// Boxes say nothing about these: the elements are looked at one by one.
TEST(Verifier, AcceptsReadsOfWhatAFusedLoopOrSeveralBlocksWroteInTheSameIteration) {
  EXPECT_EQ(broken(on("x: f32[3, 10] input, y: f32[3, 10] output", R"(
    local t: f32[2, 5]
    for n in 3 {
      for f in 10 {
        block t(spatial n = n, spatial i in 2 = f/5, spatial j in 5 = f % 5) { t[i, j] = x[n, 5*i + j] }
      }
      for i in 2 { for j in 5 {
        block y(spatial n = n, spatial i = i, spatial j = j) { y[n, 5*i + j] = t[i, j] }
      } }
    })")),
            Names());
  const std::string_view halves = R"(
    local t: f32[6]
    for n in 3 {
      for a in 4 { block a(spatial n = n, spatial i = a) { t[i] = x[n] } }
      for b in WIDTH { block b(spatial n = n, spatial i = b) { t[i + 4] = x[n] } }
      for i in 6 { block y(spatial n = n, spatial i = i) { y[n, i] = t[i] } }
    })";
  const auto with_width = [&](char width) {
    std::string text(halves);
    text.replace(text.find("WIDTH"), 5, 1, width);
    return broken(on("x: f32[3] input, y: f32[3, 6] output", text));
  };
  EXPECT_EQ(with_width('2'), Names());
  EXPECT_EQ(with_width('1'), Names{"reads-after-writes NotProved"});
}

TEST(Verifier, KnowsThatNothingIsReadWhereAConditionIsNeverTrue) {
  EXPECT_EQ(
      broken(on("x: f32[4] input, y: f32[4] output",
                "for i in 4 { block y(spatial i = i) { y[i] = select([4 < 3], x[-9], 0.0) } }")),
      Names());
}

TEST(Verifier, RefusesWhatCodeGenerationCannotTake) {
  EXPECT_EQ(broken(on("y: f32[4, 4] output",
                      "for i in 4 vectorized { for j in 4 { block a(spatial i = i, spatial j = j) "
                      "{ y[i, j] = 1.0 } } }")),
            Names{"vectorized-innermost VectorizedNotInnermost"});
  EXPECT_EQ(broken(on("y: f32[4] output @space(3)",
                      "for i in 4 @note(\"mine\") { block a(spatial i = i) @prefetch(2) { y[i] = "
                      "1.0 } }"),
                   Stage::Ready),
            Names{"hints-known UnknownHint"});
  EXPECT_EQ(broken(on("y: f32[128, 128] output",
                      "for i in 128 unrolled { for j in 128 unrolled { block a(spatial i = i, "
                      "spatial j = j) { y[i, j] = 1.0 } } }"),
                   Stage::Ready),
            Names{"unroll-bounded UnrollTooLarge"});
}

}  // namespace
}  // namespace cambium::program
