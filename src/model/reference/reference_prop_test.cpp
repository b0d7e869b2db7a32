// The blocked product and the convolutions against the formulas that define them, on random sizes,
// bit for bit; and independence of the number of threads.

#include <algorithm>

#include "base/random.h"
#include "base/thread_pool.h"
#include "model/infer.h"
#include "model/reference/contraction.h"
#include "model/reference/testing.h"

namespace cambium::model {
namespace {

constexpr std::uint64_t kSeed = 20240607;

Tensor random_tensor(Ints dims, Rng& rng) {
  return Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Normal, 1, rng.next_u64()});
}

// Random odd sizes, some above the sizes of the blocks.
template <class S>
void expect_naive_product(Rng& rng, bool left_by_line, bool right_by_line, ThreadPool* pool) {
  reference::Contraction<S> c;
  c.batch = rng.between(1, 3);
  c.rows = rng.chance(0.3) ? rng.between(1, 3) : rng.between(1, 130);
  c.columns = rng.between(1, 300);
  c.depth = rng.chance(0.1) ? 0 : rng.between(1, 300);
  std::vector<S> a(static_cast<std::size_t>(c.batch * c.rows * c.depth));
  std::vector<S> b(static_cast<std::size_t>(c.batch * c.columns * c.depth));
  for (S& x : a) x = static_cast<S>(rng.between(0, 1 << 30)) / 3;
  for (S& x : b) x = static_cast<S>(rng.between(0, 1 << 30)) / 7;
  const auto left = [&](std::int64_t n, std::int64_t i, std::int64_t p) {
    return a[static_cast<std::size_t>((n * c.rows + i) * c.depth + p)];
  };
  const auto right = [&](std::int64_t n, std::int64_t p, std::int64_t j) {
    return b[static_cast<std::size_t>((n * c.depth + p) * c.columns + j)];
  };
  c.left.by_line = left_by_line;
  c.left.read = [&](std::int64_t n, std::int64_t fixed, std::int64_t begin, std::int64_t end,
                    S* to) {
    for (std::int64_t k = begin; k < end; ++k) {
      *to++ = left_by_line ? left(n, fixed, k) : left(n, k, fixed);
    }
  };
  c.right.by_line = right_by_line;
  c.right.read = [&](std::int64_t n, std::int64_t fixed, std::int64_t begin, std::int64_t end,
                     S* to) {
    for (std::int64_t k = begin; k < end; ++k) {
      *to++ = right_by_line ? right(n, k, fixed) : right(n, fixed, k);
    }
  };
  std::vector<S> sums(static_cast<std::size_t>(c.batch * c.rows * c.columns), S{99});
  c.write = [&](std::int64_t n, std::int64_t i, std::int64_t begin, std::int64_t end,
                const S* from) {
    std::copy(from, from + (end - begin), sums.data() + (n * c.rows + i) * c.columns + begin);
  };
  reference::contract(c, pool);
  for (std::int64_t n = 0; n < c.batch; ++n) {
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t j = 0; j < c.columns; ++j) {
        S sum{};
        for (std::int64_t p = 0; p < c.depth; ++p) sum += left(n, i, p) * right(n, p, j);
        ASSERT_EQ(sums[static_cast<std::size_t>((n * c.rows + i) * c.columns + j)], sum)
            << c.batch << "x" << c.rows << "x" << c.columns << "x" << c.depth;
      }
    }
  }
}

TEST(ContractionProperty, IsTheNaiveTripleLoop) {
  ThreadPool pool(3);
  for (std::uint64_t round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    Rng rng = Rng(kSeed).split(round);
    const bool left = rng.chance(0.5), right = rng.chance(0.5);
    ThreadPool* threads = rng.chance(0.5) ? &pool : nullptr;
    expect_naive_product<double>(rng, left, right, threads);
    expect_naive_product<std::uint64_t>(rng, left, right, threads);
  }
}

struct ConvCase {
  Tensor x, w, bias;
  std::int64_t groups, filters, channels;  // the last two per group
  Ints strides, pads, dilations, output_padding;
};

ConvCase random_case(Rng& rng, bool transposed) {
  const std::int64_t groups = rng.between(1, 3), filters = rng.between(1, 6);
  const std::int64_t channels = rng.between(1, 5);
  const auto two = [&](std::int64_t low, std::int64_t high) {
    return Ints{rng.between(low, high), rng.between(low, high)};
  };
  const Ints kernel = two(1, 3), size = two(1, 9);
  ConvCase c{random_tensor({rng.between(1, 2), groups * channels, size[0], size[1]}, rng),
             random_tensor({transposed ? groups * channels : groups * filters,
                            transposed ? filters : channels, kernel[0], kernel[1]},
                           rng),
             random_tensor({groups * filters}, rng),
             groups,
             filters,
             channels,
             two(1, 3),
             {},
             two(1, 3),
             two(0, 2)};
  c.pads = {rng.between(0, 3), rng.between(0, 3), rng.between(0, 3), rng.between(0, 3)};
  return c;
}

// The formula that defines a convolution: seven loops.
std::vector<double> direct_conv(const ConvCase& c, const Ints& out) {
  const Ints &x = c.x.dims(), &w = c.w.dims();
  const std::vector<double> xs = c.x.to_doubles(), ws = c.w.to_doubles(), bs = c.bias.to_doubles();
  std::vector<double> result;
  for (std::int64_t n = 0; n < out[0]; ++n)
    for (std::int64_t m = 0; m < out[1]; ++m)
      for (std::int64_t i = 0; i < out[2]; ++i)
        for (std::int64_t j = 0; j < out[3]; ++j) {
          double sum = 0;
          for (std::int64_t k = 0; k < c.channels; ++k)
            for (std::int64_t p = 0; p < w[2]; ++p)
              for (std::int64_t q = 0; q < w[3]; ++q) {
                const std::int64_t row = i * c.strides[0] + p * c.dilations[0] - c.pads[0];
                const std::int64_t column = j * c.strides[1] + q * c.dilations[1] - c.pads[1];
                if (row < 0 || row >= x[2] || column < 0 || column >= x[3]) continue;
                const std::int64_t channel = m / c.filters * c.channels + k;
                sum += xs[static_cast<std::size_t>(((n * x[1] + channel) * x[2] + row) * x[3] +
                                                   column)] *
                       ws[static_cast<std::size_t>(((m * w[1] + k) * w[2] + p) * w[3] + q)];
              }
          result.push_back(static_cast<float>(sum + bs[static_cast<std::size_t>(m)]));
        }
  return result;
}

// The formula that defines a transposed one: every input adds its window to the result.
std::vector<double> direct_transpose(const ConvCase& c, const Ints& out) {
  const Ints &x = c.x.dims(), &w = c.w.dims();
  const std::vector<double> xs = c.x.to_doubles(), ws = c.w.to_doubles(), bs = c.bias.to_doubles();
  std::vector<double> result(static_cast<std::size_t>(out[0] * out[1] * out[2] * out[3]));
  for (std::int64_t n = 0; n < x[0]; ++n)
    for (std::int64_t k = 0; k < x[1]; ++k)
      for (std::int64_t i = 0; i < x[2]; ++i)
        for (std::int64_t j = 0; j < x[3]; ++j)
          for (std::int64_t m = 0; m < w[1]; ++m)
            for (std::int64_t p = 0; p < w[2]; ++p)
              for (std::int64_t q = 0; q < w[3]; ++q) {
                const std::int64_t row = i * c.strides[0] + p * c.dilations[0] - c.pads[0];
                const std::int64_t column = j * c.strides[1] + q * c.dilations[1] - c.pads[1];
                if (row < 0 || row >= out[2] || column < 0 || column >= out[3]) continue;
                const std::int64_t filter = k / c.channels * c.filters + m;
                result[static_cast<std::size_t>(((n * out[1] + filter) * out[2] + row) * out[3] +
                                                column)] +=
                    xs[static_cast<std::size_t>(((n * x[1] + k) * x[2] + i) * x[3] + j)] *
                    ws[static_cast<std::size_t>(((k * w[1] + m) * w[2] + p) * w[3] + q)];
              }
  const std::int64_t plane = out[2] * out[3];
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto filter = static_cast<std::size_t>(static_cast<std::int64_t>(i) / plane % out[1]);
    result[i] = static_cast<float>(result[i] + bs[filter]);
  }
  return result;
}

TEST(ConvProperty, IsTheFormulaThatDefinesIt) {
  int accepted = 0;
  for (std::uint64_t round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    Rng rng = Rng(kSeed + 1).split(round);
    const ConvCase c = random_case(rng, false);
    const auto result = execute(Conv{c.strides, c.pads, c.dilations, c.groups},
                                std::vector<Tensor>{c.x, c.w, c.bias});
    if (!result.ok()) {
      EXPECT_EQ(result.rejection().reason(), Reason::ShapeMismatch);
      continue;
    }
    ++accepted;
    expect_elements((*result)[0], (*result)[0].dims(), direct_conv(c, (*result)[0].dims()));
    if (HasFailure()) return;
  }
  EXPECT_GT(accepted, 150);
}

TEST(ConvTransposeProperty, IsTheFormulaThatDefinesIt) {
  int accepted = 0;
  for (std::uint64_t round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    Rng rng = Rng(kSeed + 2).split(round);
    const ConvCase c = random_case(rng, true);
    const auto result =
        execute(ConvTranspose{c.strides, c.pads, c.dilations, c.output_padding, c.groups},
                std::vector<Tensor>{c.x, c.w, c.bias});
    if (!result.ok()) continue;
    ++accepted;
    // The two formulas add in different orders, so that roundings may differ in the last place.
    expect_elements((*result)[0], (*result)[0].dims(), direct_transpose(c, (*result)[0].dims()),
                    2e-7);
    if (HasFailure()) return;
  }
  EXPECT_GT(accepted, 150);
}

TEST(ThreadsProperty, TheNumberOfThreadsChangesNoBit) {
  ThreadPool pool(4);
  Rng rng(kSeed + 3);
  const Tensor x = random_tensor({2, 24, 17, 19}, rng), m = random_tensor({2, 24, 19, 33}, rng);
  const Tensor c = Tensor::lazy({DType::F32, {24}}, {Fill::Law::Constant, 0.7});
  const Ints ones = {1, 1}, pads = {1, 1, 1, 1};
  const std::vector<std::pair<Op, std::vector<Tensor>>> cases = {
      {Conv{ones, pads, ones, 1}, {x, random_tensor({100, 24, 3, 3}, rng)}},
      {Conv{ones, pads, ones, 24}, {x, random_tensor({24, 1, 3, 3}, rng)}},
      {ConvTranspose{{2, 2}, pads, ones, {0, 0}, 1}, {x, random_tensor({24, 9, 3, 3}, rng)}},
      {MatMul{}, {x, m}},
      {Einsum{"bchw,bcwk->khb"}, {x, m}},
      {BatchNorm{}, {x, c, c, c, c}},
      {LayerNorm{2}, {x, Tensor::scalar(1.0f)}},
      {GroupNorm{3}, {x, c, c}},
      {Softmax{1}, {x}},
      {Unary{UnaryFn::Gelu}, {x}},
      {Binary{BinaryFn::Mul}, {x, random_tensor({24, 1, 19}, rng)}},
      {Pool{PoolFn::Average, {3, 3}, {2, 2}, pads, ones}, {x}},
      {Reduce{ReduceFn::Sum, {0, 2}, false}, {x}},
      {ArgReduce{true, false, false, 1}, {x}},
      {Transpose{{3, 1, 0, 2}}, {x}},
      {Cast{DType::F16}, {x}}};
  for (const auto& one : cases) {
    SCOPED_TRACE(name_of(one.first));
    const auto alone = execute(one.first, one.second).value();
    const auto together = execute(one.first, one.second, &pool).value();
    EXPECT_EQ(alone[0].fingerprint(), together[0].fingerprint());
  }
}

}  // namespace
}  // namespace cambium::model
