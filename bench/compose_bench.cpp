// How long the knapsack of the strategy `compose` takes: ResNet-34 with 200 options at each of its
// 36 sites, DenseNet-161 with 60 at each of 160, alone and with linked neighbours.
#include <cstddef>
#include <cstdint>

#include <benchmark/benchmark.h>

#include "loopnest/sack.h"

namespace {

using cambium::search::Knapsack;

void run(benchmark::State& state, const Knapsack& sack) {
  std::size_t points = 0;
  for (auto _ : state) {
    const auto front = front_of(sack);
    points = front.size();
    benchmark::DoNotOptimize(front);
  }
  state.counters["points"] = static_cast<double>(points);
}

void front(benchmark::State& state) {
  run(state, cambium::bench::sack_of(static_cast<std::size_t>(state.range(0)),
                                     static_cast<std::int32_t>(state.range(1))));
}
BENCHMARK(front)->Args({36, 200})->Args({160, 60})->Unit(benchmark::kMillisecond);

void front_of_linked(benchmark::State& state) {
  run(state, cambium::bench::linked_sack_of(static_cast<std::size_t>(state.range(0)),
                                            static_cast<std::int32_t>(state.range(1)),
                                            static_cast<std::size_t>(state.range(2))));
}
BENCHMARK(front_of_linked)
    ->Args({36, 200, 2})
    ->Args({36, 200, 1})
    ->Args({160, 60, 2})
    ->Args({160, 60, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
