// Takes a validation split out of the published training part, with a seed, by class or as a whole.
// The same labels, options and seed give the same split on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cambium::data {

struct CarveOptions {
  double share = 0.1;      // of the training part, in [0, 1)
  bool stratified = true;  // the rounded share of every class; otherwise of the whole
  std::uint64_t seed = 1;
};

struct Carved {
  std::vector<std::uint32_t> train, validation;  // ascending, disjoint, together everything
};

Carved carve(std::span<const std::int32_t> labels, const CarveOptions& options);

}  // namespace cambium::data
