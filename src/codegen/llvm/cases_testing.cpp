#include "codegen/llvm/cases_testing.h"

namespace cambium::codegen {
namespace {

constexpr Case kCases[] = {
    {"TailWithMask", R"(
program tail(x: f32[37] input, y: f32[37] output) {
  for i.o in 3 { for i.i in 16 vectorized {
    block b(spatial i in 37 = 16*i.o + i.i) if 16*i.o + i.i < 37 { y[i] = x[i] * 2.0 + 1.0 }
  } }
})"},
    {"TailThatMayBeEmpty", R"(
program tail(x: f32[37] input, s: f32[1] input, y: f32[37] output) {
  for i.o in 5 { for i.i in 12 vectorized {
    block b(spatial i in 37 = 12*i.o + i.i) if 12*i.o + i.i < 37 { y[i] = x[i] * s[0] }
  } }
})"},
    {"PaddedWindowInLanes", R"(
program pad(x: f32[8, 8] input, w: f32[3, 3] constant, y: f32[8, 8] output) {
  for i in 8 { for j in 8 vectorized {
    block z(spatial i = i, spatial j = j) { y[i, j] = 0.0 }
  } }
  for i.2 in 8 { for r in 3 { for s in 3 unrolled { for j.2 in 8 vectorized {
    block conv(spatial i = i.2, spatial j = j.2, reduce r = r, reduce s = s) {
      y[i, j] += select([0 <= i + r - 1 && i + r - 1 < 8 && (0 <= j + s - 1 && j + s - 1 < 8)], x[i + r - 1, j + s - 1], 0.0) * w[r, s]
    }
  } } } }
})"},
    {"LanesFarBehindWhatTheyWouldRead", R"(
program pad(x: f32[16, 5] input, y: f32[4096] output) {
  for o in 512 { for l in 8 vectorized {
    block back(spatial j in 4096 = 8*o + l) { y[j] = select([j < 5], x[0, j], 0.0) }
  } }
})"},
    {"HalvesFarBehindWhatTheyWouldRead", R"(
program pad(x: bf16[16, 5] input, y: bf16[4096] output) {
  for o in 512 { for l in 8 vectorized {
    block back(spatial j in 4096 = 8*o + l) { y[j] = select([j < 5], x[0, j], 0.0) }
  } }
})"},
    {"LanesFarBeforeWhatTheyWouldRead", R"(
program pad(x: f32[16, 5] input, y: f32[1024] output) {
  for o in 128 { for l in 8 vectorized {
    block front(spatial j in 1024 = 8*o + l) {
      y[j] = select([1016 <= j && j < 1021], x[0, j - 1016], 0.0)
    }
  } }
})"},
    {"PaddedWindowOfScalars", R"(
program pad(x: f32[8, 8] input, y: f32[10, 10] output) {
  for i in 10 { for j in 10 {
    block b(spatial i = i, spatial j = j) {
      y[i, j] = select([1 <= i && i < 9 && (1 <= j && j < 9)], x[i - 1, j - 1], -1.0)
    }
  } }
})"},
    {"StrideTwoAndReverse", R"(
program strides(x: f32[2, 96] input, y: f32[48] output, z: f32[48] output, t: f32[48] output) {
  for o in 3 { for i in 16 vectorized {
    block a(spatial i in 48 = 16*o + i) { y[i] = x[0, 2*i] + x[0, 2*i + 1] }
  } }
  for o.2 in 3 { for i.2 in 16 vectorized {
    block b(spatial i in 48 = 16*o.2 + i.2) { z[47 - i] = x[1, 95 - i] }
  } }
  for o.3 in 3 { for i.3 in 16 vectorized {
    block c(spatial i in 48 = 16*o.3 + i.3) { t[i] = x[1, i % 5 * 19] - x[0, i / 16] }
  } }
})"},
    {"GroupedShuffles", R"(
program grouped(x: f32[10, 32] input, w: f32[4, 32] constant, y: f32[10, 32] output) {
  local acc: f32[5, 16] @space("register")
  for c in 2 { for p in 2 {
    for r in 5 unrolled { for l in 16 vectorized {
      block zero(spatial r = r, spatial l = l) { acc[r, l] = 0.0 }
    } }
    for k in 4 unrolled { for r.2 in 5 unrolled { for l.2 in 16 vectorized {
      block mac(spatial r = r.2, spatial l = l.2, spatial p = p, spatial c = c, reduce k = k) {
        acc[r, l] += x[5*p + r, (16*c + l)/4*4 + k] * w[k, 16*c + l]
      }
    } } }
    for r.3 in 5 unrolled { for l.3 in 16 vectorized {
      block out(spatial r in 10 = 5*p + r.3, spatial l in 32 = 16*c + l.3) {
        y[r, l] = max(0.0, acc[r % 5, l % 16])
      }
    } }
  } }
})"},
    {"PixelsOverTwoDimensions", R"(
program pixels(x: f32[16, 16, 8] input, w: f32[3, 3, 8, 16] constant, y: f32[196, 16] output) {
  local acc: f32[7, 16] @space("register")
  for t in 28 parallel {
    for r in 7 unrolled { for l in 16 vectorized {
      block zero(spatial r = r, spatial l = l) { acc[r, l] = 0.0 }
    } }
    for kh in 3 { for kw in 3 unrolled { for ci in 8 @unroll(3) { for r.2 in 7 unrolled { for l.2 in 16 vectorized {
      block mac(spatial r = r.2, spatial l = l.2, spatial t = t, reduce kh = kh, reduce kw = kw, reduce ci = ci) @prefetch(2) {
        acc[r, l] += x[(7*t + r)/14 + kh, (7*t + r)%14 + kw, ci] * w[kh, kw, ci, l]
      }
    } } } } }
    for r.3 in 7 unrolled { for l.3 in 16 vectorized {
      block out(spatial p in 196 = 7*t + r.3, spatial l = l.3) { y[p, l] = acc[p % 7, l] }
    } }
  }
})"},
    {"RegistersReadLaneByLane", R"(
program lanes(x: f32[4, 16] input, y: f32[4] output) {
  local acc: f32[16] @space("register")
  local total: f32[1] @space("register")
  for i in 4 {
    for l in 16 vectorized { block in(spatial l = l, spatial i = i) { acc[l] = x[i, l] } }
    block zero() { total[0] = 0.0 }
    for k in 16 unrolled { block add(spatial z in 1 = 0, reduce k = k) { total[z] += acc[k] } }
    block out(spatial i = i) { y[i] = total[0] }
  }
})"},
    {"RegistersUnderPredicates", R"(
program guarded(x: f32[5, 37] input, y: f32[37] output) {
  local acc: f32[16] @space("register")
  for o in 3 {
    for l in 16 vectorized { block zero(spatial l = l) { acc[l] = 0.0 } }
    for k.o in 3 { for k.i in 2 { for l.2 in 16 vectorized {
      block add(spatial i in 37 = 16*o + l.2, reduce k in 5 = 2*k.o + k.i) if 16*o + l.2 < 37 && 2*k.o + k.i < 5 {
        acc[i % 16] += x[k, i]
      }
    } } }
    for l.3 in 16 vectorized {
      block out(spatial i in 37 = 16*o + l.3) if 16*o + l.3 < 37 { y[i] = acc[i % 16] }
    }
  }
})"},
    {"LocalsOfWorkers", R"(
program workers(x: f32[12, 40] input, y: f32[12, 40] output) {
  local t: f32[40]
  local shared: f32[12, 40]
  for a in 12 parallel @grain(2) { for b in 40 vectorized {
    block first(spatial i = a, spatial j = b) { shared[i, j] = x[i, j] + 1.0 }
  } }
  for i in 12 parallel {
    for j in 40 { block copy(spatial j = j, spatial i = i) { t[j] = shared[i, j] * 2.0 } }
    for j.2 in 40 { block back(spatial i = i, spatial j = j.2) { y[i, j] = t[39 - j] } }
  }
})"},
    {"ParallelInsideSerialInsideParallel", R"(
program nested(x: f32[4, 6, 8] input, y: f32[4, 6, 8] output, z: f32[4, 6, 8] output) {
  for a in 4 { for b in 6 parallel { for c in 8 vectorized {
    block one(spatial i = a, spatial j = b, spatial k = c) { y[i, j, k] = x[i, j, k] + 1.0 }
  } } }
  for a.2 in 4 parallel { for b.2 in 6 parallel { for c.2 in 8 {
    block two(spatial i = a.2, spatial j = b.2, spatial k = c.2) { z[i, j, k] = y[i, j, 7 - k] }
  } } }
})"},
    {"Gathers", R"(
program gathers(t: f32[10, 5] input, ids: i64[24] input, narrow: u8[24] input, y: f32[24, 5] output, z: f32[24] output) {
  for i in 24 { for j in 5 vectorized {
    block rows(spatial i = i, spatial j = j) { y[i, j] = gather(t, ids[i], [j]) }
  } }
  for o in 2 { for l in 12 vectorized {
    block lanes(spatial i in 24 = 12*o + l) { z[i] = gather(t, ids[i], [i % 5]) + gather(t, i64(narrow[i]), i64(0)) }
  } }
})"},
    {"HalfTypes", R"(
program halves(x: f16[50] input, b: bf16[50] input, y: f16[50] output, z: bf16[50] output, s: bf16[1] output) {
  for o in 4 { for l in 16 vectorized {
    block one(spatial i in 50 = 16*o + l) if 16*o + l < 50 { y[i] = x[i] * 1.1 + b[i] }
  } }
  for i in 50 { block two(spatial i = i) { z[i] = y[i] / 3.0 } }
  block zero() { s[0] = 0.0 }
  for k in 50 { block sum(spatial u in 1 = 0, reduce k = k) { s[u] += z[k] } }
})"},
    {"Truths", R"(
program truths(x: f32[40] input, m: bool[40] input, y: bool[40] output, z: f32[40] output) {
  for o in 3 { for l in 16 vectorized {
    block one(spatial i in 40 = 16*o + l) if 16*o + l < 40 { y[i] = m[i] && x[i] < 1.0 || [i == 3] }
  } }
  for o.2 in 5 { for l.2 in 8 vectorized {
    block two(spatial i in 40 = 8*o.2 + l.2) { z[i] = select(m[i], x[39 - i], select(y[i], x[i], -x[0])) }
  } }
})"},
    {"UniformSelects", R"(
program uniform(x: f32[6, 16] input, c: bool[6] input, y: f32[6, 16] output) {
  for i in 6 { for l in 16 vectorized {
    block b(spatial i = i, spatial l = l) { y[i, l] = select(c[i], x[i, l], select([i < 3], x[i + 3, 0], 2.0)) }
  } }
})"},
    {"SumsThatSkipRowsOfPadding", R"(
program rows(x: f32[5, 4, 8] input, w: f32[3, 8, 16] constant, y: f32[5, 4, 16] output) {
  for o in 5 {
    for i.1 in 4 { for l.1 in 16 vectorized {
      block zero(spatial o = o, spatial i = i.1, spatial l = l.1) { y[o, i, l] = 0.0 }
    } }
    for k in 3 { for r in 8 { for i in 4 unrolled { for l in 16 vectorized {
      block tap(spatial o = o, spatial i = i, spatial l = l, reduce k = k, reduce r = r) {
        y[o, i, l] += select([0 <= o + k - 1 && o + k < 6], x[o + k - 1, i, r] * w[k, r, l], 0.0)
      }
    } } } }
  }
})"},
    {"SumsThatSkipTapsInRegisters", R"(
program taps(x: f32[5, 4, 8] input, w: f32[3, 3, 8, 16] constant, y: f32[5, 4, 16] output) {
  local t: f32[4, 16] @space("register")
  for o in 5 {
    for i.1 in 4 unrolled { for l.1 in 16 vectorized {
      block zero(spatial o = o, spatial i = i.1, spatial l = l.1) { t[i, l] = 0.0 }
    } }
    for k in 3 { for j in 3 unrolled { for r in 8 { for i in 4 unrolled { for l in 16 vectorized {
      block tap(spatial o = o, spatial i = i, spatial l = l, reduce k = k, reduce j = j, reduce r = r) {
        t[i, l] += select([0 <= o + k - 1 && o + k < 6 && 0 <= i + j - 1 && i + j < 5], x[o + k - 1, i + j - 1, r] * w[k, j, r, l], 0.0)
      }
    } } } } }
    for i.2 in 4 unrolled { for l.2 in 16 vectorized {
      block copy(spatial o = o, spatial i = i.2, spatial l = l.2) { y[o, i, l] = t[i, l] }
    } }
  }
})"},
    {"TransposedCopies", R"(
program transposed(x: f32[48, 40] input, y: f32[40, 48] output, z: f32[40, 48] output) {
  for a in 3 { for b in 2 { for k in 16 unrolled { for l in 16 vectorized {
    block whole(spatial i in 40 = 16*b + k, spatial j in 48 = 16*a + l) { y[i, j] = x[j, i] }
  } } } }
  for a.2 in 3 { for k.2 in 8 unrolled { for l.2 in 16 vectorized {
    block rest(spatial i in 8 = k.2, spatial j in 48 = 16*a.2 + l.2) { y[i + 32, j] = x[j, i + 32] }
  } } }
  for a.3 in 3 { for b.3 in 3 { for k.3 in 16 unrolled { for l.3 in 16 vectorized {
    block tail(spatial i in 40 = 16*b.3 + k.3, spatial j in 48 = 16*a.3 + l.3) if 16*b.3 + k.3 < 40 {
      z[i, j] = x[j, i]
    }
  } } } }
})"},
    {"SumsThatSkipPadding", R"(
program padded(x: f32[7, 16] input, w: f32[3, 16] constant, y: f32[7, 16] output, z: f32[16] output) {
  local t: f32[7, 16] @space("register")
  for o in 7 unrolled { for l in 16 vectorized {
    block zero(spatial o = o, spatial l = l) { t[o, l] = 0.0 }
  } }
  for k in 3 unrolled { for o.2 in 7 unrolled { for l.2 in 16 vectorized {
    block tap(spatial o = o.2, reduce k = k, spatial l = l.2) {
      t[o, l] += select([1 <= o + k && o + k - 1 < 7], x[o + k - 1, l] * w[k, l], 0.0)
    }
  } } }
  for o.3 in 7 unrolled { for l.3 in 16 vectorized {
    block copy(spatial o = o.3, spatial l = l.3) { y[o, l] = t[o, l] }
  } }
  for l.4 in 16 vectorized { block zero.2(spatial l = l.4) { z[l] = 0.0 } }
  for k.2 in 9 { for l.5 in 16 vectorized {
    block slow(spatial l = l.5, reduce k = k.2) { z[l] += select([1 <= k && k - 1 < 7], x[k - 1, l], 0.0) }
  } }
  for k.3 in 3 { for l.6 in 16 vectorized {
    block lanes(spatial l = l.6, reduce k = k.3) { z[l] += select([l + k < 16], x[k, l + k], 0.0) }
  } }
})"},
    {"Softmax", R"(
program softmax(x: f32[6, 50] input, y: f32[6, 50] output) {
  local m: f32[6]
  local s: f32[6]
  local e: f32[6, 50]
  for i in 6 {
    block low(spatial i = i) { m[i] = -inf }
    for k in 50 { block most(spatial i = i, reduce k = k) { m[i] max= x[i, k] } }
    for j in 50 vectorized { block power(spatial i = i, spatial j = j) { e[i, j] = exp(x[i, j] - m[i]) } }
    block zero(spatial i = i) { s[i] = 0.0 }
    for k.2 in 50 { block sum(spatial i = i, reduce k = k.2) { s[i] += e[i, k] } }
    for j.2 in 50 vectorized { block div(spatial i = i, spatial j = j.2) { y[i, j] = e[i, j] / s[i] } }
  }
})"},
    {"InitInTheBlock", R"(
program init(x: i32[7, 24] input, y: i32[24] output, z: i32[7] output) {
  for k in 7 { for l in 24 vectorized {
    block a(spatial l = l, reduce k = k) { y[l] max= x[k, l] init i32(-5) }
  } }
  for i in 7 { for k.2 in 24 @unroll(5) {
    block b(spatial i = i, reduce k = k.2) { z[i] *= x[i, k] init i32(1) }
  } }
})"},
    {"IndexValuesAndWholeNumbers", R"(
program wholes(x: i8[40] input, u: u16[40] input, y: i64[40] output, z: u16[40] output) {
  for o in 3 { for l in 16 vectorized {
    block one(spatial i in 40 = 16*o + l) if 16*o + l < 40 { y[i] = [3*i/2 - 20] / i64(x[i]) + [i % 7] }
  } }
  for i in 40 unrolled { block two(spatial i = i) { z[i] = u[i] * u16(40000) - u16(7) } }
})"},
    {"StoreSeenByLaterLoads", R"(
program forward(x: f32[32] input, y: f32[32] output, z: f32[32] output) {
  for l in 32 vectorized {
    block one(spatial l = l) { y[l] = x[l] + 1.0 }
    block two(spatial l = l) { z[l] = y[l] * x[l] }
  }
})"},
    {"TransposedCopiesOfRowsThatEnd", R"(
program turned(x: f32[16, 20] input, y: f32[20, 16] output) {
  for o in 2 unrolled { for u in 16 unrolled { for l in 16 vectorized {
    block copy(spatial j in 20 = 16*o + u, spatial i = l) if 16*o + u < 20 { y[j, i] = x[i, j] }
  } } }
})"},
    {"TransposedStores", R"(
program transpose(x: f32[32, 20] input, y: f32[20, 32] output) {
  for i in 32 { for j in 20 vectorized {
    block t(spatial i = i, spatial j = j) { y[j, i] = x[i, j] }
  } }
})"},
    {"LocalsOfLanes", R"(
program lanes(x: f32[40] input, y: f32[40] output) {
  local t: f32[2]
  for o in 3 { for l in 16 vectorized {
    block a(spatial z in 1 = 0, spatial i in 40 = 16*o + l) if 16*o + l < 40 { t[z] = x[i] + 1.0 }
    block b(spatial z in 1 = 0) if 16*o + l < 40 { t[z + 1] = t[z] * t[z] }
    block c(spatial i in 40 = 16*o + l) if 16*o + l < 40 { y[i] = t[1] - t[0] }
  } }
})"},
    {"LocalsOfLanesAtMovingPlaces", R"(
program lanes(x: f32[3, 16] input, y: f32[3, 16] output) {
  local t: f32[3]
  for o in 3 { for l in 16 vectorized {
    block a(spatial o = o, spatial l = l) { t[o] = x[o, l] + 1.0 }
    block b(spatial o = o, spatial l = l) { y[o, l] = t[o] * t[o] }
  } }
})"},
    {"SmallLocalsInLoops", R"(
program small(x: f32[6, 50] input, y: f32[6, 48] output) {
  local s: f32[1]
  local v: f32[8]
  for i in 6 {
    block zero() { s[0] = 0.0 }
    for k in 50 { block sum(spatial i = i, reduce k = k) { s[0] += x[i, k] } }
    for j in 6 {
      for l in 8 vectorized { block a(spatial l = l, spatial i = i, spatial j = j) { v[l] = x[i, 8*j + l] * s[0] } }
      for l.2 in 8 vectorized { block b(spatial i = i, spatial j in 48 = 8*j + l.2) { y[i, j] = v[7 - j % 8] } }
    }
  }
})"},
    {"ScatterUnderMask", R"(
program scatter(x: f32[30] input, y: f32[30, 2] output) {
  for c in 2 unrolled { for o in 2 { for l in 16 vectorized {
    block t(spatial i in 30 = 16*o + l, spatial c = c) if 16*o + l < 30 { y[i, c] = x[i] + f32([c]) }
  } } }
})"},
};

}  // namespace

std::span<const Case> cases() {
  return kCases;
}

}  // namespace cambium::codegen
