// Composite nodes: places that a space rewrote. A node keeps the space's document, for people and
// for later edits, and its decomposition into standard operators, from which everything else
// follows: whoever knows no Composite asks for the model with all of them expanded.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/builder.h"

namespace cambium::model {

// The Composite of a body. The body holds constants (whole numbers, bools, single numbers) but no
// weights: those are inputs of the node, nodes of the model like all others, so that training,
// initialization and files know them by the ids and names that they have. Refuses (BadAttribute) a
// body that holds weights or a Composite, or has no outputs.
Result<Composite> composite_of(std::string space, std::string document, Model body);

// Adds what the body computes from these values, to a block; its outputs, in order. Nodes are named
// after `name`.
std::vector<Value> inlined(Builder& builder, const Model& body, std::span<const Value> inputs,
                           const std::string& name, std::uint32_t block = kNoBlock);

// The same model without Composites, in the place of each what it stands for; the model itself
// where there is none. Nodes that it had before, weights among them, keep their ids.
Model expanded(const Model& model);

// What a rewrite made of values: the old one, and the one that computes it now.
using Moved = std::map<Value, Value>;
// One rewrite of a model after another: what is not a value of the model itself is left out.
void follow(const Model& model, Moved& moved, const Moved& further);

struct Expansion {
  Model model;
  Moved moved;  // outputs of Composites
};
// As `expanded`, but Composites that are to stay do.
Expansion expanded_except(const Model& model, const std::function<bool(NodeId)>& stays);

}  // namespace cambium::model
