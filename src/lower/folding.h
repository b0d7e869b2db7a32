// Folding: reductions of a value over some of its dimensions. Normalizations, softmaxes and Reduce
// consist of them. Stages with the remaining dimensions are locals in the memory order of the
// value; loops over the reduced dimensions follow that order too.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "lower/emit.h"

namespace cambium::lower {

class Folding {
 public:
  Folding(Site& site, const Place& x, std::span<const std::int64_t> axes);

  std::int64_t count() const { return count_; }  // elements in each result
  // A local with the remaining dimensions.
  Place stage(std::string_view suffix, DType dtype) const;
  // The indices of x for the remaining dimensions.
  std::vector<Ix> kept(At at) const;
  // The same from indices of `target`, which may keep reduced dimensions as ones.
  std::vector<Ix> kept(const Place& target, At at) const;

  // Receives an element of x and its index.
  using Element = std::function<Val(Val x, At at)>;
  // `target` is a stage, or has size one in the reduced dimensions of x.
  void fold(const Place& target, Combine combine, const Element& element) const;

 private:
  bool keeps_ones(const Place& target) const { return target.dims.size() == x_.dims.size(); }

  Site& site_;
  const Place& x_;
  std::vector<bool> reduced_;  // by dimension of x
  std::int64_t count_ = 1;
};

}  // namespace cambium::lower
