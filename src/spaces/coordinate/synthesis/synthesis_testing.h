// Helpers for tests of synthesis: spaces made in one line, and operators written in C++.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spaces/coordinate/synthesis/space.h"

namespace cambium::spaces::coordinate::synthesis {

inline Problem problem_for(std::string_view input, std::string_view output,
                           std::vector<std::string> bindings) {
  Result<Problem> problem = problem_of(input, output, bindings);
  CAMBIUM_CHECK(problem.ok(), problem.rejection().message());
  return *std::move(problem);
}

inline std::unique_ptr<Space> space_for(std::string_view input, std::string_view output,
                                        std::vector<std::string> bindings, Limits limits = {},
                                        RuleSet rules = {}) {
  auto space = Space::make(problem_for(input, output, std::move(bindings)), limits, rules);
  CAMBIUM_CHECK(space.ok(), space.rejection().message());
  return *std::move(space);
}

// One layer.
inline const std::vector<std::string> kConv = {"N=1, Ci=64, Co=64, H=56, W=56, k=3, s=2, g=4"};

// The setting of the paper's search: [N, Ci, H, W] to [N, Co, H, W] at the sizes of ResNet-34.
inline std::vector<std::string> resnet_bindings() {
  std::vector<std::string> all;
  const int sizes[][3] = {{64, 64, 56},   {64, 128, 28}, {128, 128, 28}, {128, 256, 14},
                          {256, 256, 14}, {256, 512, 7}, {512, 512, 7}};
  for (const auto& [in, out, side] : sizes) {
    all.push_back("N=1, Ci=" + std::to_string(in) + ", Co=" + std::to_string(out) + ", H=" +
                  std::to_string(side) + ", W=" + std::to_string(side) + ", k=3, k2=7, s=2, g=32");
  }
  return all;
}

// Occurrences as the paper's script has them; variables by name.
inline Limits resnet_limits(const Problem& problem) {
  Limits limits;
  const auto set = [&](std::string_view name, std::uint8_t most) {
    limits.occurrences[problem.sizes.find(name)->index] = most;
  };
  set("N", 0), set("H", 0), set("W", 0), set("Ci", 2), set("Co", 4);
  set("k", 2), set("k2", 2), set("s", 2), set("g", 3);
  limits.window_ratio = 2.3;
  return limits;
}

inline std::unique_ptr<Space> resnet_space() {
  const Problem problem = problem_for("[N, Ci, H, W]", "[N, Co, H, W]", resnet_bindings());
  auto space = Space::make(problem, resnet_limits(problem));
  CAMBIUM_CHECK(space.ok(), space.rejection().message());
  return *std::move(space);
}

// Builds operators. Coordinates are numbers, in the order in which they are made.
class Writer {
 public:
  explicit Writer(const Problem& problem) : problem_(problem) {
    for (const expr::Size& size : problem.output) add({CoordinateKind::Output, -1, -1, size, {}});
  }
  int sum(std::string_view size) { return add({CoordinateKind::Reduce, -1, -1, parse(size), {}}); }
  int split(int i, int j) {
    return add({CoordinateKind::Split, i, j, product(domain(i), domain(j)).value(), {}});
  }
  int high(int i, std::string_view block) {
    return add({CoordinateKind::MergeHigh, i, -1, quotient(domain(i), parse(block)).value(),
                parse(block)});
  }
  int low(int i, std::string_view block) {
    return add({CoordinateKind::MergeLow, i, -1, parse(block), parse(block)});
  }
  int shift(int i) { return add({CoordinateKind::Shift, i, -1, domain(i), {}}); }
  int unfold(int i, int j) { return add({CoordinateKind::Unfold, i, j, domain(i), {}}); }
  int stride(int i, std::string_view step) {
    return add(
        {CoordinateKind::Stride, i, -1, product(domain(i), parse(step)).value(), parse(step)});
  }
  Operator done(std::vector<CoordinateIndex> data,
                std::vector<std::vector<CoordinateIndex>> weights) {
    op_.data = std::move(data);
    op_.weights = std::move(weights);
    return op_;
  }

 private:
  expr::Size parse(std::string_view text) const { return problem_.sizes.parse(text).value(); }
  const expr::Size& domain(int i) const {
    return op_.coordinates[static_cast<std::size_t>(i)].domain;
  }
  int add(Coordinate coordinate) {
    op_.coordinates.push_back(coordinate);
    return static_cast<int>(op_.coordinates.size()) - 1;
  }

  const Problem& problem_;
  Operator op_;
};

}  // namespace cambium::spaces::coordinate::synthesis
