// Recognition never changes what is computed: on random models, on random chains of movement under
// random contractions, and on convolutions of which one detail is wrong.

#include "model/random_model.h"
#include "model/recognize/soup_testing.h"

namespace cambium::model {
namespace {

constexpr std::uint64_t kSeed = 20250114;
constexpr std::int64_t kMostElements = 3000;

std::int64_t elements(const Ints& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return count;
}

Ints random_permutation(std::size_t rank, Rng& rng) {
  Ints perm;
  for (std::size_t i = 0; i < rank; ++i) perm.push_back(static_cast<std::int64_t>(i));
  rng.shuffle(std::span<std::int64_t>(perm));
  return perm;
}

// Merges neighbours and splits axes into factors.
Ints random_shape(const Ints& dims, Rng& rng) {
  Ints out;
  for (const std::int64_t dim : dims) {
    if (!out.empty() && rng.chance(0.3)) {
      out.back() *= dim;
    } else {
      out.push_back(dim);
    }
    for (const std::int64_t factor : {2, 3}) {
      if (out.back() % factor != 0 || out.size() > 6 || !rng.chance(0.4)) continue;
      out.back() /= factor;
      out.push_back(factor);
    }
  }
  return out;
}

class RandomMovement {
 public:
  RandomMovement(Soup& soup, Rng& rng) : soup_(soup), rng_(rng) {}

  Value step(Value x) {
    const Ints dims = soup_.dims(x);
    const auto axis = static_cast<std::size_t>(rng_.below(dims.size()));
    switch (rng_.below(8)) {
      case 0: return soup_.reshape(x, random_shape(dims, rng_));
      case 1: return soup_.transpose(x, random_permutation(dims.size(), rng_));
      case 2: return soup_.pad(x, axis, rng_.between(-1, 2), rng_.between(0, 2));
      case 3: return slice(x, axis);
      case 4: return gather(x, axis);
      case 5: return window(x, axis);
      case 6: return repeat(x, axis);
      default: return shifts(x, axis);
    }
  }

 private:
  Value slice(Value x, std::size_t axis) {
    const std::int64_t extent = soup_.dims(x)[axis], step = rng_.between(1, 2);
    const std::int64_t start = rng_.between(0, extent - 1);
    if (rng_.chance(0.3)) return soup_.slice(x, axis, start, start / step + 1, -step);
    return soup_.slice(x, axis, start, (extent - 1 - start) / step + 1, step);
  }
  Value gather(Value x, std::size_t axis) {
    std::vector<std::int64_t> at;
    const std::int64_t extent = soup_.dims(x)[axis];
    for (std::int64_t i = 0; i < extent; ++i) at.push_back(rng_.between(-extent, extent - 1));
    if (rng_.chance(0.5)) return soup_.roll(x, axis, rng_.between(0, extent));
    return soup_.builder().add(Gather{static_cast<std::int64_t>(axis)},
                               {x, soup_.indices({extent}, at)});
  }
  Value window(Value x, std::size_t axis) {
    SoupWindow w{axis, 2, rng_.between(1, 2), rng_.between(1, 2), rng_.between(0, 2), 1};
    w.kernel = rng_.between(1, 3);
    if (soup_.dims(x)[axis] + w.before + w.after <= w.dilation * (w.kernel - 1)) return x;
    return soup_.unfold(x, w, rng_.chance(0.5) ? Unfolding::Slices : Unfolding::Gather);
  }
  Value repeat(Value x, std::size_t axis) {
    Ints repeats(soup_.dims(x).size(), 1);
    repeats[axis] = 2;
    if (rng_.chance(0.5)) return soup_.builder().add(Tile{repeats}, {x});
    Ints wide = soup_.dims(x);
    wide.insert(wide.begin(), 2);
    return soup_.builder().add(Expand{wide}, {x});
  }
  // Pieces that are slices and pads of their own, in any order.
  Value shifts(Value x, std::size_t axis) {
    const std::int64_t extent = soup_.dims(x)[axis];
    std::vector<Value> pieces;
    for (int i = 0; i < 3; ++i) {
      const std::int64_t by =
          rng_.chance(0.7) ? std::min<std::int64_t>(i, extent - 1) : rng_.between(0, extent - 1);
      pieces.push_back(soup_.pad(soup_.slice(x, axis, by, extent - by), axis, 0, by));
    }
    const auto along = static_cast<std::int64_t>(rng_.below(soup_.dims(x).size()));
    return soup_.builder().add(Concat{along}, pieces);
  }

  Soup& soup_;
  Rng& rng_;
};

std::string letters_of(std::size_t rank, char first) {
  std::string out;
  for (std::size_t i = 0; i < rank; ++i) out += static_cast<char>(first + static_cast<int>(i));
  return out;
}

// x with one or two weights that share some of its axes and may have one of their own.
Value random_einsum(Soup& soup, Value x, Rng& rng) {
  const std::string of_x = letters_of(soup.dims(x).size(), 'a');
  std::string equation = of_x, seen = of_x;
  std::vector<Value> operands = {x};
  const std::uint64_t weights = 1 + rng.below(2);
  for (std::uint64_t i = 0; i < weights; ++i) {
    std::string own;
    Ints dims;
    for (std::size_t axis = 0; axis < of_x.size(); ++axis) {
      if (own.size() < 4 && rng.chance(0.5)) {
        own += of_x[axis];
        dims.push_back(soup.dims(x)[axis]);
      }
    }
    if (rng.chance(0.7)) {
      own += static_cast<char>('A' + static_cast<char>(i));
      dims.push_back(2);
      seen += own.back();
    }
    equation += "," + own;
    operands.push_back(soup.weight(dims));
  }
  std::string output;
  for (const char letter : seen) {
    if (rng.chance(0.6)) output += letter;
  }
  rng.shuffle(std::span<char>(output.data(), output.size()));
  return soup.builder().add(Einsum{equation + "->" + output}, operands);
}

Value random_root(Soup& soup, Value x, Rng& rng) {
  const std::uint64_t which = rng.below(5);
  if (which < 3) return random_einsum(soup, x, rng);
  if (which == 3) {
    const std::int64_t last = soup.dims(x).back();
    return soup.builder().add(MatMul{}, {soup.dims(x).size() < 2 ? soup.reshape(x, {1, last}) : x,
                                         soup.weight({last, 3})});
  }
  Reduce op{rng.chance(0.5) ? ReduceFn::Sum : ReduceFn::Mean, {}, rng.chance(0.5)};
  if (rng.chance(0.3)) op.fn = ReduceFn::Max;
  for (std::size_t i = 0; i < soup.dims(x).size(); ++i) {
    if (rng.chance(0.5)) op.axes.push_back(static_cast<std::int64_t>(i));
  }
  return soup.builder().add(op, {x});
}

TEST(RecognizeProperty, RandomModelsComputeTheSame) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    expect_same(random_model(seed), seed);
    if (HasFailure()) return;
  }
}

TEST(RecognizeProperty, RandomMovementUnderRandomContractionsComputesTheSame) {
  std::map<std::string, int> found;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng = Rng(kSeed).split(seed);
    Soup soup(seed);
    Value x = soup.input({rng.between(1, 2), rng.between(1, 6), rng.between(2, 6), 6});
    RandomMovement movement(soup, rng);
    for (std::uint64_t i = 0, n = 1 + rng.below(6); i < n; ++i) {
      const Ints& dims = soup.dims(x);
      if (elements(dims) * 3 > kMostElements || elements(dims) == 0 || dims.size() > 7) break;
      x = movement.step(x);
    }
    const Recognized out = expect_same(soup.done(random_root(soup, x, rng)), seed);
    if (HasFailure()) return;
    for (const std::string& line : out.found) {
      for (const char* kind : {"conv", "matmul", "pool", "shift", "reduce"}) {
        if (line.find(kind) != std::string::npos) ++found[kind];
      }
    }
  }
  // The comparison says something only if there was something to recognize.
  for (const char* kind : {"conv", "matmul", "pool", "shift", "reduce"}) {
    EXPECT_GT(found[kind], 10) << kind;
  }
}

// One detail of an unfolded axis is wrong.
Value nearly_unfolded(Soup& soup, Value x, const SoupWindow& w, Rng& rng) {
  const double fill = rng.chance(0.1) ? 1 : 0;
  x = soup.pad(x, w.axis, w.before, w.after, fill);
  const std::int64_t extent = soup.dims(x)[w.axis];
  const std::int64_t places = (extent - w.dilation * (w.kernel - 1) - 1) / w.stride + 1;
  std::vector<std::int64_t> at;
  for (std::int64_t k = 0; k < w.kernel; ++k) {
    for (std::int64_t i = 0; i < places; ++i) at.push_back(k * w.dilation + i * w.stride);
  }
  const std::uint64_t mistakes = rng.chance(0.6) ? 0 : 1 + rng.below(2);
  for (std::uint64_t i = 0; i < mistakes; ++i) {
    if (rng.chance(0.5)) {
      at[rng.below(at.size())] = rng.between(0, extent - 1);
      continue;
    }
    const auto row = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(w.kernel)));
    const std::int64_t first = rng.between(0, extent - 1), step = rng.between(0, 2);
    for (std::int64_t j = 0; j < places; ++j) {
      at[static_cast<std::size_t>(row * places + j)] = std::min(first + j * step, extent - 1);
    }
  }
  return soup.builder().add(Gather{static_cast<std::int64_t>(w.axis)},
                            {x, soup.indices({w.kernel, places}, at)});
}

TEST(RecognizeProperty, NearMissesOfConvolutionsComputeTheSame) {
  int convolutions = 0, misses = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng = Rng(kSeed).split("near").split(seed);
    Soup soup(seed);
    const SoupWindow high{
        2, 3, rng.between(1, 2), rng.between(1, 2), rng.between(0, 2), rng.between(0, 2)};
    SoupWindow wide = high;
    wide.axis = 4;
    Value x = soup.input({2, 4, 7, 8});
    x = nearly_unfolded(soup, x, high, rng);
    x = nearly_unfolded(soup, x, wide, rng);
    const bool read = rng.chance(0.3);  // by somebody else too
    if (read) soup.builder().output("columns", x);
    const char* equations[] = {"ncahbw,ocab->nohw", "ncahbw,ocab->nhwo", "ncahbw,caob->nochw"};
    const std::uint64_t which = rng.below(3);
    const Ints weights[] = {{3, 4, 3, 3}, {3, 4, 3, 3}, {4, 3, 3, 3}};
    const Value y = soup.einsum(equations[which], {x, soup.weight(weights[which])});
    const Recognized out = expect_same(soup.done(y), seed);
    if (HasFailure()) return;
    if (!read) ++(kinds(out.model).count("gather") == 0 ? convolutions : misses);
  }
  EXPECT_GT(convolutions, 30);
  EXPECT_GT(misses, 30);
}

}  // namespace
}  // namespace cambium::model
