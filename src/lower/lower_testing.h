// Helpers for tests of lowering: converts tensors of a model to arrays of a program and back, in
// any layout, and runs programs of groups in the interpreter.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/random.h"
#include "lower/lower.h"
#include "model/tensor.h"
#include "program/interpret.h"

namespace cambium::lower {

// Elements in the memory order `order`, and back.
program::Array array_of(const model::Tensor& tensor, const Order& order);
model::Tensor tensor_of(const program::Array& array, const model::TensorType& type,
                        const Order& order);

using Values = std::map<model::Value, model::Tensor>;

// Lowers the group, checks that its text round-trips, runs it on `values` (weights come from the
// model) and adds the results to them.
Status run_group(const model::Model& model, std::span<const model::NodeId> nodes,
                 const Layouts& layouts, Values& values);

// All nodes except inputs and weights.
std::vector<model::NodeId> computing_nodes(const model::Model& model);

// A random order of dimensions for each value; weights keep theirs.
Layouts random_layouts(const model::Model& model, Rng& rng);
// Channels last, for all values with channels.
Layouts channels_last_layouts(const model::Model& model);

// The largest difference between elements, in units of `tolerance_of` their type times the largest
// expected magnitude. Whole numbers must be equal. At most 1 counts as agreement.
double disagreement(const model::Tensor& actual, const model::Tensor& expected);
double tolerance_of(DType dtype);

}  // namespace cambium::lower
