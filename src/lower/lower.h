// From a group of nodes of a model to one program: a block or a few per node, intermediate values
// as locals, weights as constants. Nothing is scheduled or inlined here. Refuses NotLowered for an
// operator or type that has no program, with the node.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lower/layout.h"
#include "model/model.h"
#include "program/context.h"

namespace cambium::lower {

struct Lowered {
  program::Program program;             // verified at Stage::Lowered
  std::vector<model::Value> arguments;  // what the inputs and constants are, in parameter order
  std::vector<model::Value> results;    // what the outputs are, in parameter order
};

// `nodes` in topological order; what they read from outside becomes Input (or Constant, where it is
// a Weight), what is read outside or is an output of the model becomes Output. Weights stand as in
// the model whatever the layouts say. Programs compute what the reference executor does up to
// rounding, except that an index of a Gather that is out of range takes the nearest element, and
// that a maximum pool may miss a NaN.
Result<Lowered> lower(program::Context& cx, const model::Model& model,
                      std::span<const model::NodeId> nodes, const Layouts& layouts = {});

}  // namespace cambium::lower
