#include "measure/probes.h"

#include <algorithm>
#include <chrono>

namespace cambium::measure {
namespace {

// Vectors of the compiler's own kind, so that one text serves every instruction set; the attribute
// of the function that inlines it decides how they are computed.
template <int lanes>
struct Vector {
  typedef float Type __attribute__((vector_size(lanes * 4)));
};

// Chains hide the latency of a multiply-add. They stay in registers beside the two operands.
constexpr int kChainsOf32Registers = 16, kChainsOf16Registers = 12;

template <int lanes, int count>
[[gnu::always_inline]] inline float fma_loop(std::int64_t iterations) {
  using V = typename Vector<lanes>::Type;
  // Read at run time: of known numbers a compiler computes the result instead of the loop.
  volatile const float factor = 0.999f, term = 0.002f, start = 1.0f;
  const V a = V{} + factor, b = V{} + term;
  V chains[count];
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
#define CAMBIUM_PROBES(name, lanes, chains, isa)                              \
  [[gnu::target(isa)]] float fma_##name(std::int64_t n) {                     \
    return fma_loop<lanes, chains>(n);                                        \
  }                                                                           \
  [[gnu::target(isa)]] float read_##name(const float* data, std::int64_t n) { \
    return read_loop<lanes>(data, n);                                         \
  }                                                                           \
  constexpr Probes k##name{lanes, chains, fma_##name, read_##name};
CAMBIUM_PROBES(Avx512, 16, kChainsOf32Registers, "avx512f,fma")
CAMBIUM_PROBES(Avx2, 8, kChainsOf16Registers, "avx2,fma")
#undef CAMBIUM_PROBES
constexpr int kPlainChains = kChainsOf16Registers;
#else
constexpr int kPlainChains = kChainsOf32Registers;
#endif

float fma_plain(std::int64_t n) {
  return fma_loop<4, kPlainChains>(n);
}
float read_plain(const float* data, std::int64_t n) {
  return read_loop<4>(data, n);
}
constexpr Probes kPlain{4, kPlainChains, fma_plain, read_plain};

}  // namespace

const Probes& probes_of(Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::Avx512: return kAvx512;
    case Isa::Avx2: return kAvx2;
    case Isa::Neon: break;
#else
    case Isa::Avx512:
    case Isa::Avx2:
    case Isa::Neon: break;
#endif
  }
  return kPlain;
}

const Probes& host_probes() {
  static const Machine host = host_machine();
  return host.runs_here() ? probes_of(host.isa) : kPlain;
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
