// Relation: the shapes of one site as products of named sizes, before they become variables of a
// table. Sites with equal `key` share a Target. Internal to model/target.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/operators.h"
#include "model/tensor.h"

namespace cambium::model {

struct RelationTensor {
  DType dtype = DType::F32;
  std::vector<std::string> dims;  // texts that SizeTable parses: "N", "s*H"
};

struct Relation {
  std::vector<RelationTensor> inputs, outputs;
  // In order of first occurrence, so that equal relations have equal tables.
  std::vector<std::pair<std::string, std::int64_t>> primaries;
  std::map<std::string, std::int64_t> coefficients;
  // Per spatial axis. The target decides whether one name serves all axes.
  Ints kernel, dilation;
  std::vector<std::string> axes;  // their names

  std::string key() const;
};

// The relation of a convolution with this x, weight and y.
Relation conv_relation(const Conv& conv, const TensorType& x, const TensorType& weight,
                       const TensorType& y);

// One axis of each tensor is the channel; the other axes are equal.
Relation linear_relation(const TensorType& x, std::size_t x_channel, const TensorType& y,
                         std::size_t y_channel);

// For any tensors. `channels_first` says where rank 3 has its channel (rank 4 and above: second).
Relation block_relation(const std::vector<TensorType>& inputs,
                        const std::vector<TensorType>& outputs, bool channels_first);

}  // namespace cambium::model
