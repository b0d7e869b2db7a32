// How fast the reference executor is, in multiply-adds per second and core: it has to run whole
// networks in seconds.
#include <benchmark/benchmark.h>

#include "model/reference/execute.h"

namespace cambium::model {
namespace {

Tensor random(Ints dims, std::uint64_t seed) {
  Tensor tensor = Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Normal, 1, seed});
  tensor.bytes();  // filled before time is taken
  return tensor;
}

void run(benchmark::State& state, const Op& op, const std::vector<Tensor>& inputs, double macs) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(execute(op, inputs).value());
  }
  state.counters["MAC/s"] = benchmark::Counter(macs * static_cast<double>(state.iterations()),
                                               benchmark::Counter::kIsRate);
}

void conv3x3(benchmark::State& state) {
  const Conv op{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1};
  run(state, op, {random({1, 128, 28, 28}, 1), random({128, 128, 3, 3}, 2)},
      128.0 * 128 * 9 * 28 * 28);
}
BENCHMARK(conv3x3)->Name("reference/conv 3x3 128->128 @28")->Unit(benchmark::kMillisecond);

void depthwise(benchmark::State& state) {
  const Conv op{{1, 1}, {1, 1, 1, 1}, {1, 1}, 128};
  run(state, op, {random({1, 128, 28, 28}, 1), random({128, 1, 3, 3}, 2)}, 128.0 * 9 * 28 * 28);
}
BENCHMARK(depthwise)->Name("reference/conv 3x3 depthwise 128 @28")->Unit(benchmark::kMillisecond);

void matmul(benchmark::State& state) {
  run(state, MatMul{}, {random({512, 512}, 1), random({512, 512}, 2)}, 512.0 * 512 * 512);
}
BENCHMARK(matmul)->Name("reference/matmul 512^3")->Unit(benchmark::kMillisecond);

void attention(benchmark::State& state) {
  run(state, Einsum{"bhid,bhjd->bhij"}, {random({1, 12, 128, 64}, 1), random({1, 12, 128, 64}, 2)},
      12.0 * 128 * 128 * 64);
}
BENCHMARK(attention)->Name("reference/einsum attention 12x128x64")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cambium::model
