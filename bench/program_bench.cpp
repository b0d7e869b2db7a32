// How fast programs are made, named, checked and interpreted. A schedule search makes thousands of
// versions per second and asks each for its fingerprint.
#include <string>

#include <benchmark/benchmark.h>

#include "program/build.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "program/interpret.h"
#include "program/text.h"
#include "program/verify.h"
#include "program/walk.h"

namespace {

using namespace cambium::program;  // NOLINT
namespace expr = cambium::expr;

// A 3x3 convolution with padding, bias and activation, as lowering makes it.
Program conv(Context& cx, std::int64_t channels, std::int64_t size) {
  Builder b(cx, "conv");
  const Mem x = b.input("x", {channels, size, size});
  const Mem w = b.constant("w", {channels, channels, 3, 3});
  const Mem bias = b.constant("bias", {channels});
  const Mem y = b.output("y", {channels, size, size});
  const Mem acc = b.local("acc", {channels, size, size});
  b.block("conv",
          {spatial("co", channels), spatial("oh", size), spatial("ow", size),
           reduce("ci", channels), reduce("kh", 3), reduce("kw", 3)},
          [&](Point p) {
            const Ix ih = p[1] + p[4] - 1;
            const Ix iw = p[2] + p[5] - 1;
            const Val in = x(p[3], ih, iw);
            return sum(acc, {p[0], p[1], p[2]},
                       select(within(ih, 0, size) && within(iw, 0, size), in, number_like(in, 0)) *
                           w(p[0], p[3], p[4], p[5]));
          });
  b.block("relu", {spatial("co", channels), spatial("oh", size), spatial("ow", size)},
          [&](Point p) {
            const Val v = acc(p[0], p[1], p[2]) + bias(p[0]);
            return assign(y, {p[0], p[1], p[2]}, apply(BinaryFn::Max, number_like(v, 0), v));
          });
  return b.finish();
}

// The version in which the loop `co` of the convolution is split by `factor`.
Program split(Context& cx, const Program& program, std::int64_t factor) {
  const Loop* loop = find_loop(program, "co");
  Expr outer = cx.axis("co.o", loop->extent() / factor);
  Expr inner = cx.axis("co.i", factor);
  const Block* block = find_block(program, "conv");
  std::vector<Expr> bindings(block->bindings.begin(), block->bindings.end());
  bindings[0] =
      expr::add(cx.indices(), expr::mul(cx.indices(), outer, expr::Monomial::of(factor)), inner);
  const Program bound =
      replace(cx, program, block, cx.block(block->name, block->body, bindings, block->predicate));
  const Loop* moved = find_loop(bound, "co");
  return replace(cx, bound, moved,
                 cx.loop(outer, LoopKind::Parallel, cx.loop(inner, LoopKind::Serial, moved->body)));
}

void versions(benchmark::State& state) {
  auto cx = std::make_unique<Context>();
  Program program = conv(*cx, 64, 56);
  Fingerprinter fingerprint;
  std::int64_t made = 0;
  for (auto _ : state) {
    const std::int64_t factor = std::int64_t{1} << (made % 6);
    benchmark::DoNotOptimize(fingerprint(split(*cx, program, factor)));
    if (++made % 100000 == 0) {
      auto fresh = std::make_unique<Context>();
      program = clone_into(*fresh, program);
      cx = std::move(fresh);
    }
  }
  state.counters["versions/s"] =
      benchmark::Counter(static_cast<double>(made), benchmark::Counter::kIsRate);
  state.counters["bytes"] = static_cast<double>(cx->bytes());
}
BENCHMARK(versions);

void fingerprints(benchmark::State& state) {
  Context cx;
  const Program program = conv(cx, 64, 56);
  Fingerprinter fingerprint;
  for (auto _ : state) benchmark::DoNotOptimize(fingerprint(program));
}
BENCHMARK(fingerprints);

void verification(benchmark::State& state) {
  Context cx;
  const Program program = split(cx, conv(cx, 64, 56), 16);
  for (auto _ : state) benchmark::DoNotOptimize(check(cx, program, Stage::Scheduled).ok());
}
BENCHMARK(verification);

void print_and_parse(benchmark::State& state) {
  Context cx;
  const std::string text = to_text(cx, conv(cx, 64, 56));
  for (auto _ : state) {
    Context fresh;
    benchmark::DoNotOptimize(parse(fresh, text).ok());
  }
}
BENCHMARK(print_and_parse);

void interpretation(benchmark::State& state, const Program& program, Context& cx,
                    double instances) {
  std::vector<Array> arguments;
  for (const Buffer* buffer : program.parameters) {
    if (buffer->role == Role::Output) continue;
    arguments.push_back(
        Array::of(std::vector<float>(static_cast<std::size_t>(buffer->elements()), 0.5f)));
  }
  const Interpreter compiled = Interpreter::compile(cx, program).value();
  double runs = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(compiled.run(arguments).ok());
    ++runs;
  }
  state.counters["instances/s"] = benchmark::Counter(runs * instances, benchmark::Counter::kIsRate);
}

void interpret_padded_conv(benchmark::State& state) {
  Context cx;
  interpretation(state, conv(cx, 32, 28), cx, 32.0 * 28 * 28 * (32 * 9 + 1));
}
BENCHMARK(interpret_padded_conv)->Unit(benchmark::kMillisecond);

void interpret_matmul(benchmark::State& state) {
  Context cx;
  Builder b(cx, "matmul");
  const Mem a = b.input("a", {192, 192});
  const Mem w = b.constant("w", {192, 192});
  const Mem c = b.output("c", {192, 192});
  b.block("matmul", {spatial("i", 192), spatial("j", 192), reduce("k", 192)}, [&](Point p) {
    return sum(c, {p[0], p[1]}, a(p[0], p[2]) * w(p[2], p[1]));
  });
  interpretation(state, b.finish(), cx, 192.0 * 192 * 192);
}
BENCHMARK(interpret_matmul)->Unit(benchmark::kMillisecond);

}  // namespace
