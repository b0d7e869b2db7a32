#include "measure/probes.h"

#include <algorithm>
#include <chrono>

#include "base/machine.h"

namespace cambium::measure {
namespace {

// Vectors of the compiler's own kind, so that one text serves every instruction set; the attribute
// of the function that inlines it decides how they are computed.
template <int lanes>
struct Vector {
  typedef float Type __attribute__((vector_size(lanes * 4)));
};

template <int lanes>
[[gnu::always_inline]] inline float fma_loop(std::int64_t iterations) {
  using V = typename Vector<lanes>::Type;
  // Read at run time: of known numbers a compiler computes the result instead of the loop.
  volatile const float factor = 0.999f, term = 0.002f, start = 1.0f;
  const V a = V{} + factor, b = V{} + term;
  V chains[kFmaChains];
  for (V& chain : chains) chain = V{} + start;
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (V& chain : chains) chain = chain * a + b;
  }
  V sum = V{};
  for (const V& chain : chains) sum += chain;
  return sum[0];
}

template <int lanes>
[[gnu::always_inline]] inline float read_loop(const float* data, std::int64_t count) {
  using V = typename Vector<lanes>::Type;
  const V* vectors = reinterpret_cast<const V*>(data);
  V sums[kReadUnroll];
  for (V& sum : sums) sum = V{};
  for (std::int64_t i = 0; i < count / lanes; i += kReadUnroll) {
#pragma GCC unroll 8
    for (std::int64_t j = 0; j < kReadUnroll; ++j) sums[j] += vectors[i + j];
  }
  V sum = V{};
  for (const V& s : sums) sum += s;
  return sum[0];
}

#if defined(__x86_64__)
#define CAMBIUM_PROBES(name, lanes, isa)                                      \
  [[gnu::target(isa)]] float fma_##name(std::int64_t n) {                     \
    return fma_loop<lanes>(n);                                                \
  }                                                                           \
  [[gnu::target(isa)]] float read_##name(const float* data, std::int64_t n) { \
    return read_loop<lanes>(data, n);                                         \
  }                                                                           \
  constexpr Probes k##name{lanes, fma_##name, read_##name};
CAMBIUM_PROBES(Avx512, 16, "avx512f,fma")
CAMBIUM_PROBES(Avx2, 8, "avx2,fma")
#undef CAMBIUM_PROBES
#endif

float fma_plain(std::int64_t n) {
  return fma_loop<4>(n);
}
float read_plain(const float* data, std::int64_t n) {
  return read_loop<4>(data, n);
}
constexpr Probes kPlain{4, fma_plain, read_plain};

const Probes& choose() {
#if defined(__x86_64__)
  if (machine_named("avx512")->runs_here()) return kAvx512;
  if (machine_named("avx2")->runs_here()) return kAvx2;
#endif
  return kPlain;
}

}  // namespace

const Probes& host_probes() {
  static const Probes& chosen = choose();
  return chosen;
}

double calibration_seconds() {
  const Probes& probes = host_probes();
  using Clock = std::chrono::steady_clock;
  double best = 1;
  for (int i = 0; i < 5; ++i) {
    const auto begin = Clock::now();
    volatile float kept = probes.fma(10'000);
    (void)kept;
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

}  // namespace cambium::measure
