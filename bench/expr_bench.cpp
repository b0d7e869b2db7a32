// Index expressions: nodes built and expressions simplified per second, on one core.
//
// "Fresh" means that the memo answers nothing: the context is new and holds the raw expression
// only. Its construction and the building of the raw expression are timed apart (Build) and are not
// part of the fresh figure. "Again" is the answer from the memo.
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "expr/context.h"
#include "expr/simplify.h"
#include "expr/text.h"

namespace cambium::expr {
namespace {

struct Case {
  const char* text;
  const char* simple;
};

// What tiling, fusing, reshaping and convolution make, and what a person would write instead.
constexpr Case kTypical[] = {
    {"((io*4 + ii)*W + j)/W", "4*io + ii"},
    {"((io*4 + ii)*W + j) % W", "j"},
    {"(io*4 + ii)*56 + w", "224*io + 56*ii + w"},
    {"((io*4 + ii)*56 + w)/56 % 4", "ii"},
    {"(f/3136*64 + f/56 % 56)*56 + f % 56", "3584*(f/3136) + f % 3136"},
    {"f/56*56 + f % 56", "f"},
    {"(co*[Ci/g] + ci)/[Ci/g]", "co"},
    {"(co*[Ci/g] + ci) % [Ci/g]", "ci"},
    {"i*s + r - k/2", "s*i + r - k/2"},
    {"0 <= i + r && i + r < H + k", "true"},
    {"io*4 + ii < 64", "true"},
    {"io*4 + ii < 42", "4*io + ii < 42"},
    {"min(io*4 + 4, 62) - io*4", "min(4*io + 4, 62) - 4*io"},
    {"((n*64 + c)*56 + h)*56 + w", "200704*n + 3136*c + 56*h + w"},
    {"(((n*64 + c)*56 + h)*56 + w)/3136 % 64", "c"},
    {"(((n*64 + c)*56 + h)*56 + w) % 3136 / 56", "h"},
};
constexpr std::size_t kCases = std::size(kTypical);

std::unique_ptr<Context> new_context() {
  static const SizeTable kSizes = [] {
    SizeTable sizes;
    for (const char* name : {"Ci", "H", "W"}) (void)sizes.add_primary(name).value();
    for (const char* name : {"k", "s", "g"}) (void)sizes.add_coefficient(name).value();
    return sizes;
  }();
  struct NamedAxis {
    const char* name;
    const char* extent;
  };
  static constexpr NamedAxis kAxes[] = {
      {"i", "H"},  {"j", "W"}, {"r", "k"},  {"co", "g"}, {"ci", "[Ci/g]"}, {"io", "16"},
      {"ii", "4"}, {"n", "8"}, {"c", "64"}, {"h", "56"}, {"w", "56"},      {"f", "200704"}};
  auto cx = std::make_unique<Context>(kSizes);
  for (const NamedAxis& axis : kAxes) {
    (void)cx->axis(axis.name, parse(*cx, axis.extent).value()).value();
  }
  return cx;
}

std::vector<Expr> raw_expressions(Context& cx) {
  std::vector<Expr> all;
  for (const Case& c : kTypical) all.push_back(parse(cx, c.text).value());
  return all;
}

// What is fast must also be right.
bool is_right(benchmark::State& state) {
  const auto cx = new_context();
  const std::vector<Expr> raw = raw_expressions(*cx);
  for (std::size_t i = 0; i < kCases; ++i) {
    const std::string simple = print(*cx, simplify(*cx, raw[i]));
    if (simple == kTypical[i].simple) continue;
    state.SkipWithError((std::string(kTypical[i].text) + " became " + simple).c_str());
    return false;
  }
  return true;
}

void simplify_fresh(benchmark::State& state) {
  if (!is_right(state)) return;
  constexpr std::size_t kContexts = 64;
  std::int64_t done = 0;
  while (state.KeepRunningBatch(kContexts * kCases)) {
    state.PauseTiming();
    std::vector<std::unique_ptr<Context>> contexts;
    std::vector<std::vector<Expr>> raw;
    for (std::size_t n = 0; n < kContexts; ++n) {
      contexts.push_back(new_context());
      raw.push_back(raw_expressions(*contexts.back()));
    }
    state.ResumeTiming();
    for (std::size_t n = 0; n < kContexts; ++n) {
      for (Expr e : raw[n]) benchmark::DoNotOptimize(simplify(*contexts[n], e));
    }
    state.PauseTiming();
    contexts.clear();
    state.ResumeTiming();
    done += static_cast<std::int64_t>(kContexts * kCases);
  }
  state.SetItemsProcessed(done);
}
BENCHMARK(simplify_fresh)->Name("Simplify/fresh");

void simplify_again(benchmark::State& state) {
  const auto cx = new_context();
  const std::vector<Expr> raw = raw_expressions(*cx);
  for (auto _ : state) {
    for (Expr e : raw) benchmark::DoNotOptimize(simplify(*cx, e));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(kCases));
}
BENCHMARK(simplify_again)->Name("Simplify/again");

// Nodes that were not there: (x*n + y) for a new n each time, three nodes.
void build_new(benchmark::State& state) {
  constexpr int kNodes = 30'000;
  while (state.KeepRunningBatch(kNodes)) {
    state.PauseTiming();
    auto cx = new_context();
    Expr x = cx->find_axis("i");
    Expr y = cx->find_axis("j");
    state.ResumeTiming();
    for (int n = 2; n < 2 + kNodes / 3; ++n) {
      benchmark::DoNotOptimize(add(*cx, mul(*cx, x, Monomial::of(n)), y));
    }
    state.PauseTiming();
    cx.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(build_new)->Name("Build/new");

// The same nodes again: found, not made.
void build_known(benchmark::State& state) {
  auto cx = new_context();
  Expr x = cx->find_axis("i");
  Expr y = cx->find_axis("j");
  std::int64_t n = 0;
  for (auto _ : state) {
    n = n % 1000 + 1;
    benchmark::DoNotOptimize(add(*cx, mul(*cx, x, Monomial::of(n)), y));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 3);
}
BENCHMARK(build_known)->Name("Build/known");

void contexts(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(std::make_unique<Context>());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(contexts)->Name("Context/empty");

}  // namespace
}  // namespace cambium::expr

BENCHMARK_MAIN();
