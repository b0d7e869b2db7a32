// Operators written by hand in tests, coordinate by coordinate.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"

namespace cambium::spaces::coordinate {

class Hand {
 public:
  Hand(std::string_view input, std::string_view output, std::vector<std::string> bindings)
      : problem(problem_of(input, output, bindings).value()) {
    for (const expr::Size& size : problem.output) add(CoordinateKind::Output, size);
  }

  CoordinateIndex reduce(std::string_view size) {
    return add(CoordinateKind::Reduce, this->size(size));
  }
  CoordinateIndex split(CoordinateIndex i, CoordinateIndex j) {
    return add(CoordinateKind::Split, expr::product(domain(i), domain(j)).value(), i, j);
  }
  CoordinateIndex high(CoordinateIndex i, std::string_view block) {
    const expr::Size by = size(block);
    return add(CoordinateKind::MergeHigh, expr::quotient(domain(i), by).value(), i, kNoCoordinate,
               by);
  }
  CoordinateIndex low(CoordinateIndex i, std::string_view block) {
    const expr::Size by = size(block);
    return add(CoordinateKind::MergeLow, by, i, kNoCoordinate, by);
  }
  CoordinateIndex shift(CoordinateIndex i) { return add(CoordinateKind::Shift, domain(i), i); }
  CoordinateIndex unfold(CoordinateIndex i, CoordinateIndex j) {
    return add(CoordinateKind::Unfold, domain(i), i, j);
  }
  CoordinateIndex stride(CoordinateIndex i, std::string_view step) {
    const expr::Size by = size(step);
    return add(CoordinateKind::Stride, expr::product(by, domain(i)).value(), i, kNoCoordinate, by);
  }
  void data(std::vector<CoordinateIndex> axes) { op.data = std::move(axes); }
  void weight(std::vector<CoordinateIndex> axes) { op.weights.push_back(std::move(axes)); }

  const expr::Size& domain(CoordinateIndex c) const {
    return op.coordinates[static_cast<std::size_t>(c)].domain;
  }
  expr::Size size(std::string_view text) const { return problem.sizes.parse(text).value(); }

  Problem problem;
  Operator op;

 private:
  CoordinateIndex add(CoordinateKind kind, const expr::Size& domain,
                      CoordinateIndex first = kNoCoordinate, CoordinateIndex second = kNoCoordinate,
                      const expr::Size& parameter = {}) {
    op.coordinates.push_back({kind, first, second, domain, parameter});
    return static_cast<CoordinateIndex>(op.coordinates.size() - 1);
  }
};

// [N, Ci, H, W] -> [N, Co, H, W]
inline Hand image(std::string binding) {
  return Hand("[N, Ci, H, W]", "[N, Co, H, W]", {std::move(binding)});
}
inline constexpr CoordinateIndex kN = 0, kO = 1, kH = 2, kW = 3;

inline Hand conv2d(std::string binding) {
  Hand d = image(std::move(binding));
  const CoordinateIndex i = d.reduce("Ci"), a = d.reduce("k"), b = d.reduce("k");
  d.data({kN, i, d.unfold(kH, a), d.unfold(kW, b)});
  d.weight({kO, i, a, b});
  return d;
}

inline Hand operator_1(std::string binding) {
  Hand d = image(std::move(binding));
  const CoordinateIndex g = d.reduce("g"), i = d.reduce("Ci/g"), a = d.reduce("k"),
                        b = d.reduce("k"), c = d.reduce("Co/(g*s)");
  const CoordinateIndex channel = d.split(g, i);
  d.data({kN, channel, d.unfold(kH, a), d.unfold(kW, b)});
  d.weight({g, a, b, kO, c});
  d.weight({channel, b, c});
  return d;
}

inline Hand operator_2(std::string binding) {
  Hand d = image(std::move(binding));
  const CoordinateIndex g = d.reduce("g"), i = d.reduce("Ci/g"), a = d.reduce("k"),
                        b = d.reduce("k"), c = d.reduce("Co/(g*s)");
  const CoordinateIndex channel = d.split(g, i);
  d.data({kN, channel, d.shift(d.unfold(kH, a)), d.unfold(kW, b)});
  d.weight({kO, g, a, c});
  d.weight({channel, b, c});
  return d;
}

}  // namespace cambium::spaces::coordinate
