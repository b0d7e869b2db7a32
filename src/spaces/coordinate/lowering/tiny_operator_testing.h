// Random legal operators of tiny sizes for tests of lowerings: primitives are applied bottom-up to
// what is not consumed yet, under the discipline that operator.h and the checks describe; whatever
// remains indexes the data. Sizes are small numbers, so that borders are everywhere.
#pragma once

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

class TinyOperator {
 public:
  explicit TinyOperator(std::uint64_t seed) : rng_(seed) {}

  Operator make() {
    const auto outputs = static_cast<int>(rng_.between(1, 4));
    const auto reductions = static_cast<int>(rng_.between(0, 4));
    for (int o = 0; o < outputs; ++o) open_.push_back(add(CoordinateKind::Output, small(5)));
    for (int r = 0; r < reductions; ++r) open_.push_back(add(CoordinateKind::Reduce, small(3)));
    const auto steps = static_cast<int>(rng_.between(1, 7));
    for (int i = 0; i < steps; ++i) step();
    op_.data = open_;
    return op_;
  }

 private:
  void step() {
    switch (rng_.below(8)) {
      case 0: return split();
      case 1: return merge();
      case 2: return shift();
      case 3: return unfold();
      case 4: return strided();
      case 5:
        if (rng_.chance(0.3)) expand();
        return;
      default: return contract();
    }
  }

  // One that is not consumed, which it is from now on.
  CoordinateIndex take() {
    const auto place = static_cast<std::ptrdiff_t>(rng_.below(open_.size()));
    const CoordinateIndex c = open_[static_cast<std::size_t>(place)];
    open_.erase(open_.begin() + place);
    return c;
  }

  // An output or a half of a MERGE may be expanded by itself.
  void expand() {
    if (open_.empty()) return;
    const CoordinateIndex c = take();
    const CoordinateKind kind = op_.coordinates[static_cast<std::size_t>(c)].kind;
    const bool may = kind == CoordinateKind::Output || kind == CoordinateKind::MergeHigh ||
                     kind == CoordinateKind::MergeLow;
    if (!may) open_.push_back(c);
  }

  void split() {
    if (open_.size() < 2) return;
    const CoordinateIndex i = take(), j = take();
    open_.push_back(add(CoordinateKind::Split, number(i) * number(j), i, j));
  }

  void merge() {
    if (open_.empty()) return;
    const CoordinateIndex i = take();
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= number(i); ++d) {
      if (number(i) % d == 0) divisors.push_back(d);
    }
    const std::int64_t block = divisors[rng_.below(divisors.size())];
    open_.push_back(add(CoordinateKind::MergeHigh, number(i) / block, i, kNoCoordinate, block));
    open_.push_back(add(CoordinateKind::MergeLow, block, i, kNoCoordinate, block));
  }

  void shift() {
    if (open_.empty()) return;
    const CoordinateIndex i = take();
    open_.push_back(add(CoordinateKind::Shift, number(i), i));
  }

  void unfold() {
    if (open_.size() < 2) return;
    const CoordinateIndex i = take(), j = take();
    open_.push_back(add(CoordinateKind::Unfold, number(i), i, j));
  }

  // A stride and the unfold that it needs.
  void strided() {
    if (open_.size() < 2) return;
    const CoordinateIndex i = take(), j = take();
    const std::int64_t step = rng_.between(1, 3);
    if (rng_.chance(0.5)) {
      const CoordinateIndex window =
          add(CoordinateKind::Stride, step * number(j), j, kNoCoordinate, step);
      open_.push_back(add(CoordinateKind::Unfold, number(i), i, window));
    } else if (number(j) >= step) {
      const CoordinateIndex base =
          add(CoordinateKind::Stride, step * number(i), i, kNoCoordinate, step);
      open_.push_back(add(CoordinateKind::Unfold, step * number(i), base, j));
    } else {
      open_.push_back(i);
      open_.push_back(j);
    }
  }

  void contract() {
    if (op_.weights.size() == 3 || open_.empty()) return;
    rng_.shuffle(std::span(open_));
    const auto count =
        static_cast<std::size_t>(rng_.between(1, std::min<std::int64_t>(4, std::ssize(open_))));
    std::vector<CoordinateIndex> read(open_.begin(), open_.begin() + static_cast<int>(count));
    std::vector<CoordinateIndex> left;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (i >= count || rng_.chance(0.7)) left.push_back(open_[i]);  // others are outer
    }
    open_ = left;
    op_.weights.push_back(std::move(read));
  }

  std::int64_t small(std::int64_t most) { return rng_.between(1, most); }
  std::int64_t number(CoordinateIndex c) const {
    return op_.coordinates[static_cast<std::size_t>(c)].domain.factor();
  }
  CoordinateIndex add(CoordinateKind kind, std::int64_t domain,
                      CoordinateIndex first = kNoCoordinate, CoordinateIndex second = kNoCoordinate,
                      std::int64_t parameter = 1) {
    op_.coordinates.push_back({kind, first, second, expr::Size(domain), expr::Size(parameter)});
    return static_cast<CoordinateIndex>(op_.coordinates.size() - 1);
  }

  Rng rng_;
  Operator op_;
  std::vector<CoordinateIndex> open_;
};

}  // namespace cambium::spaces::coordinate
