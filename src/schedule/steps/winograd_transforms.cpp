#include "schedule/steps/winograd_transforms.h"

#include <optional>

#include "base/check.h"

namespace cambium::schedule {
namespace {

using namespace program;
using Matrix = std::span<const double>;  // row by row, one row per output

// clang-format off
constexpr double kData2[] = {-1,  0, 1, 0,
                              0,  1, 1, 0,
                              0, -1, 1, 0,
                              0, -1, 0, 1};
// Of weights, the last column divides: these numbers are exact in every type, their quotients not.
constexpr double kWeights2[] = {1,  0, 0, -1,
                                1,  1, 1,  2,
                                1, -1, 1,  2,
                                0,  0, 1,  1};
constexpr double kOutput2[] = {1, 1,  1, 0,
                               0, 1, -1, 1};

// The points of tiles of 4 are 0, A, -A, B, -B and infinity. These round two to five times less than
// the usual 1 and 2, and are as short in binary.
constexpr double kA = 3.0 / 2, kB = 5.0 / 8;
constexpr double kAA = kA * kA, kBB = kB * kB;
constexpr double kData4[] = {kAA * kBB,         0, -kAA - kBB,          0, 1, 0,
                                     0, -kA * kBB,       -kBB,         kA, 1, 0,
                                     0,  kA * kBB,       -kBB,        -kA, 1, 0,
                                     0, -kB * kAA,       -kAA,         kB, 1, 0,
                                     0,  kB * kAA,       -kAA,        -kB, 1, 0,
                                     0, kAA * kBB,          0, -kAA - kBB, 0, 1};
constexpr double kNA = 2 * kAA * (kAA - kBB), kNB = 2 * kBB * (kBB - kAA);
constexpr double kWeights4[] = {1,   0,   0, kAA * kBB,
                                1,  kA, kAA,       kNA,
                                1, -kA, kAA,       kNA,
                                1,  kB, kBB,       kNB,
                                1, -kB, kBB,       kNB,
                                0,   0,   1,         1};
constexpr double kOutput4[] = {1,        1,         1,        1,         1, 0,
                               0,       kA,       -kA,       kB,       -kB, 0,
                               0,      kAA,       kAA,      kBB,       kBB, 0,
                               0, kA * kAA, -kA * kAA, kB * kBB, -kB * kBB, 1};
// clang-format on

Matrix matrix_of(Transform transform, std::int64_t tile) {
  switch (transform) {
    case Transform::Data: return tile == 2 ? Matrix(kData2) : Matrix(kData4);
    case Transform::Weights: return tile == 2 ? Matrix(kWeights2) : Matrix(kWeights4);
    case Transform::Output: return tile == 2 ? Matrix(kOutput2) : Matrix(kOutput4);
  }
  return {};
}

// A sum that is being written; nothing yet: no term.
class Sum {
 public:
  explicit Sum(Context& cx) : cx_(cx) {}

  void add(double factor, Scalar term) {
    if (factor == 0 || term == nullptr) return;
    if (sum_ != nullptr && factor == -1) {
      sum_ = cx_.binary(BinaryFn::Sub, sum_, term);
      return;
    }
    if (factor != 1) term = cx_.binary(BinaryFn::Mul, term, cx_.constant(factor, term->type));
    sum_ = sum_ == nullptr ? term : cx_.binary(BinaryFn::Add, sum_, term);
  }
  Scalar result() const { return sum_; }

 private:
  Context& cx_;
  Scalar sum_ = nullptr;
};

// Every second term from `first` on, over the factor of the last of them. Positions of the data
// whose points differ in sign have the even terms in common, and the odd ones but for the sign.
struct Half {
  Scalar terms = nullptr;
  double factor = 0;
};
Half half_of(Context& cx, Matrix row, std::span<const Scalar> inputs, std::size_t first) {
  Half half;
  for (std::size_t i = first; i < row.size(); i += 2) {
    if (row[i] != 0) half.factor = row[i];
  }
  if (half.factor == 0) return half;
  Sum sum(cx);
  for (std::size_t i = row.size(); i-- > 0;) {
    if (i % 2 == first && row[i] != 0) sum.add(row[i] / half.factor, inputs[i]);
  }
  half.terms = sum.result();
  return half;
}

Scalar of_data(Context& cx, Matrix row, std::span<const Scalar> inputs) {
  const Half even = half_of(cx, row, inputs, 0);
  const Half odd = half_of(cx, row, inputs, 1);
  Sum sum(cx);
  sum.add(even.factor, even.terms);
  sum.add(odd.factor, odd.terms);
  return sum.result();
}

// The points of an output differ in sign two by two: their sums and differences are shared.
Scalar of_output(Context& cx, Matrix row, std::span<const Scalar> inputs) {
  Sum sum(cx);
  sum.add(row.front(), inputs.front());
  for (std::size_t i = 1; i + 1 < row.size(); i += 2) {
    const auto fn = row[i] == row[i + 1] ? BinaryFn::Add : BinaryFn::Sub;
    if (row[i] != 0) sum.add(row[i], cx.binary(fn, inputs[i], inputs[i + 1]));
  }
  sum.add(row.back(), inputs.back());
  return sum.result();
}

Scalar of_weights(Context& cx, Matrix row, std::span<const Scalar> inputs) {
  Sum sum(cx);
  for (std::size_t i = 0; i < inputs.size(); ++i) sum.add(row[i], inputs[i]);
  if (row.back() == 1) return sum.result();
  return cx.binary(BinaryFn::Div, sum.result(), cx.constant(row.back(), inputs[0]->type));
}

}  // namespace

bool is_winograd_tile(std::int64_t tile) {
  return tile == 2 || tile == 4;
}

std::int64_t inputs_of(Transform transform, std::int64_t tile) {
  return transform == Transform::Weights ? 3 : tile + 2;
}

std::int64_t outputs_of(Transform transform, std::int64_t tile) {
  return transform == Transform::Output ? tile : tile + 2;
}

Scalar transformed(Context& cx, Transform transform, std::int64_t tile, Expr position,
                   std::span<const Scalar> inputs) {
  CAMBIUM_CHECK(static_cast<std::int64_t>(inputs.size()) == inputs_of(transform, tile),
                "one scalar for each input");
  const Matrix all = matrix_of(transform, tile);
  const std::size_t columns = all.size() / static_cast<std::size_t>(outputs_of(transform, tile));
  Scalar result = nullptr;
  for (std::int64_t p = outputs_of(transform, tile); p-- > 0;) {
    const Matrix row = all.subspan(static_cast<std::size_t>(p) * columns, columns);
    const Scalar here = transform == Transform::Data      ? of_data(cx, row, inputs)
                        : transform == Transform::Weights ? of_weights(cx, row, inputs)
                                                          : of_output(cx, row, inputs);
    if (result == nullptr) {
      result = here;
      continue;
    }
    Expr is_here = expr::equal(cx.indices(), position, cx.number(p));
    result = cx.select(cx.index(is_here), here, result);
  }
  return result;
}

}  // namespace cambium::schedule
