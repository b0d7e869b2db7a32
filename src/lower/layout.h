// Layouts: the order in memory of the dimensions of each value of a model. Operators are lowered in
// their logical dimensions (ONNX: N, C, H, W), and each access then permutes its indices. So every
// operator works in every layout, and only loops and strides change.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/model.h"

namespace cambium::lower {

// order[i] is the logical dimension at physical position i; empty: the logical order.
using Order = std::vector<std::int64_t>;

Order channels_last(std::int64_t rank);  // N, spatial ..., C

class Layouts {
 public:
  void set(model::Value value, Order order);
  const Order& of(model::Value value) const;  // empty if none was set
  // The dimensions of the value in memory order.
  std::vector<std::int64_t> dims_of(const model::Model& model, model::Value value) const;

 private:
  std::unordered_map<std::uint64_t, Order> orders_;
};

}  // namespace cambium::lower
