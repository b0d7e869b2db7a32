// How long it takes to recognize an operator of the coordinate space: its semantic fingerprint, its
// identity, its check and its cost bound, with the bindings of ResNet-34 and the catalogue.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "spaces/coordinate/check.h"
#include "spaces/coordinate/cost.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/semantic.h"

namespace {

namespace s = cambium::spaces::coordinate;

s::Problem resnet_problem() {
  const std::string rest = ", k=3, q=7, g=32, s=2";
  const std::vector<std::string> bindings = {
      "N=1, Ci=64, Co=64, H=56, W=56" + rest,   "N=1, Ci=64, Co=128, H=28, W=28" + rest,
      "N=1, Ci=128, Co=128, H=28, W=28" + rest, "N=1, Ci=128, Co=256, H=14, W=14" + rest,
      "N=1, Ci=256, Co=256, H=14, W=14" + rest, "N=1, Ci=256, Co=512, H=7, W=7" + rest,
      "N=1, Ci=512, Co=512, H=7, W=7" + rest};
  return s::problem_of("[N, Ci, H, W]", "[N, Co, H, W]", bindings).value();
}

const char* const kNames[] = {"conv2d", "separable_conv2d", "operator1", "operator2",
                              "stacked_conv2d"};

s::Operator operator_named(benchmark::State& state, const s::Problem& problem) {
  const char* name = kNames[state.range(0)];
  state.SetLabel(name);
  return s::parse(problem, s::find_known(name)->document).value();
}

void semantic_fingerprint(benchmark::State& state) {
  const s::Problem problem = resnet_problem();
  const s::Operator op = operator_named(state, problem);
  s::SemanticHasher hasher(problem);
  for (auto _ : state) benchmark::DoNotOptimize(hasher.fingerprint(op));
  state.counters["terms"] = static_cast<double>(hasher.terms());
}
BENCHMARK(semantic_fingerprint)->DenseRange(0, 4);

void identity(benchmark::State& state) {
  const s::Problem problem = resnet_problem();
  const s::Operator op = operator_named(state, problem);
  for (auto _ : state) benchmark::DoNotOptimize(s::identity(problem, op));
}
BENCHMARK(identity)->Arg(2);

void check(benchmark::State& state) {
  const s::Problem problem = resnet_problem();
  const s::Operator op = operator_named(state, problem);
  for (auto _ : state) benchmark::DoNotOptimize(s::check(problem, op));
}
BENCHMARK(check)->Arg(2);

void cost_bounds(benchmark::State& state) {
  const s::Problem problem = resnet_problem();
  const s::Operator op = operator_named(state, problem);
  for (auto _ : state) benchmark::DoNotOptimize(s::cost_bounds(op, problem.bindings));
}
BENCHMARK(cost_bounds)->Arg(2);

}  // namespace
