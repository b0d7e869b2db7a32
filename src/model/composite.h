// Composite nodes: sites that a space has rewritten. A node keeps the space's document, for people
// and for later edits, and its decomposition into standard operators. Code that does not know
// Composites works on the expanded model.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/builder.h"

namespace cambium::model {

// Makes a Composite from a body. The body may contain constants (integers, bools, scalars) but no
// weights. Weights are inputs of the node and ordinary nodes of the model, so training,
// initialization and files find them by their usual ids and names. Refuses (BadAttribute) a body
// that contains weights or a Composite, or has no outputs.
Result<Composite> composite_of(std::string space, std::string document, Model body);

// Adds the nodes of the body, applied to these values, to a block. Returns its outputs in order.
// Node names start with `name`.
std::vector<Value> inlined(Builder& builder, const Model& body, std::span<const Value> inputs,
                           const std::string& name, std::uint32_t block = kNoBlock);

// The model with each Composite replaced by its decomposition; the same model if it has none.
// Existing nodes, including weights, keep their ids.
Model expanded(const Model& model);

// How a rewrite moved values: from the old value to the one that now computes it.
using Moved = std::map<Value, Value>;
// Appends a further rewrite to `moved`. Only values of `model` itself are kept.
void follow(const Model& model, Moved& moved, const Moved& further);

struct Expansion {
  Model model;
  Moved moved;  // outputs of Composites
};
// Like `expanded`, but keeps the Composites for which `stays` returns true.
Expansion expanded_except(const Model& model, const std::function<bool(NodeId)>& stays);

}  // namespace cambium::model
