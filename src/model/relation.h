// Relation: the shapes of one place as products of named sizes, before a table names them. Places
// with equal `key` share a Target. Internal to model/target.cpp.
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
  // In order of first occurrence, so that tables of equal relations are equal.
  std::vector<std::pair<std::string, std::int64_t>> primaries;
  std::map<std::string, std::int64_t> coefficients;
  // Per spatial axis; the target decides whether one name serves all axes.
  Ints kernel, dilation;
  std::vector<std::string> axes;  // their names

  std::string key() const;
};

// x, weight, y as Conv has them.
Relation conv_relation(const Conv& conv, const TensorType& x, const TensorType& weight,
                       const TensorType& y);

// One axis of each is the channel, the others are equal.
Relation linear_relation(const TensorType& x, std::size_t x_channel, const TensorType& y,
                         std::size_t y_channel);

// Any tensors; `channels_first` says where rank 3 has its channel (rank 4 and more: second).
Relation block_relation(const std::vector<TensorType>& inputs,
                        const std::vector<TensorType>& outputs, bool channels_first);

}  // namespace cambium::model
