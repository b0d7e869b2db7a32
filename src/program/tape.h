// Tape: index expressions prepared for evaluation at many points, and a walk over all points of
// some axes. Used to decide facts about small domains that no rule proves.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "program/program.h"

namespace cambium::program {

class Tape {
 public:
  explicit Tape(std::span<const Expr> axes);  // the axes that expressions may use

  std::size_t add(Expr e);  // returns the position of its value
  // Sets the axes (in the order of the constructor) and computes everything.
  void evaluate(std::span<const std::int64_t> point);
  std::int64_t operator[](std::size_t place) const { return values_[place]; }

 private:
  struct Op {
    expr::Kind kind;
    std::size_t a, b;
    std::int64_t number;
  };
  std::size_t axes_;
  std::vector<Op> ops_;  // after the axes
  std::vector<std::int64_t> values_;
  std::unordered_map<Expr, std::size_t> known_;
};

// The number of points of all axes together; saturates.
std::int64_t points_of(std::span<const Expr> axes);

// Calls f(point) for every point, the last axis fastest, until f returns false. Returns whether all
// points were visited.
template <class F>
bool for_each_point(std::span<const Expr> axes, const F& f) {
  std::vector<std::int64_t> point(axes.size(), 0);
  while (true) {
    if (!f(std::span<const std::int64_t>(point))) return false;
    std::size_t i = axes.size();
    while (i > 0 && ++point[i - 1] == expr::value_of(expr::extent_of(axes[i - 1])).factor) {
      point[--i] = 0;
    }
    if (i == 0) return true;
  }
}

}  // namespace cambium::program
