// What the tests of lowering share: tensors of a model as arrays of a program and back, in any
// layout, and programs of groups run by the interpreter.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/random.h"
#include "lower/lower.h"
#include "model/tensor.h"
#include "program/interpret.h"

namespace cambium::lower {

// Elements in the order of memory that `order` says, and back.
program::Array array_of(const model::Tensor& tensor, const Order& order);
model::Tensor tensor_of(const program::Array& array, const model::TensorType& type,
                        const Order& order);

using Values = std::map<model::Value, model::Tensor>;

// Lowers the group, checks that its text reads back as the same text, runs it on `values` (weights
// come from the model) and adds what it gives to them.
Status run_group(const model::Model& model, std::span<const model::NodeId> nodes,
                 const Layouts& layouts, Values& values);

// The nodes that are neither inputs nor weights.
std::vector<model::NodeId> computing_nodes(const model::Model& model);

// A random order of the dimensions of each value; weights stay as they are.
Layouts random_layouts(const model::Model& model, Rng& rng);
// Channels last, for all values that have some.
Layouts channels_last_layouts(const model::Model& model);

// The largest difference between elements, in units of `tolerance_of` their type times the largest
// magnitude among the expected ones; whole numbers must be equal. At most 1 is agreement.
double disagreement(const model::Tensor& actual, const model::Tensor& expected);
double tolerance_of(DType dtype);

}  // namespace cambium::lower
