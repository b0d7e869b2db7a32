// Lowers a group of nodes of a model to one program: one or a few blocks per node, with
// intermediate values as locals and weights as constants. It schedules and inlines nothing. Refuses
// (NotLowered) an operator or type without a program, and names the node.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lower/layout.h"
#include "model/model.h"
#include "program/context.h"

namespace cambium::lower {

// A nest that the program holds as it was in the original (lower/nest_form.h).
struct OriginalNest {
  std::string block;                  // its sum of products
  std::string filter;                 // the constant of the original weight
  std::string recipe;                 // steps that rewrite it
  std::vector<model::Value> weights;  // of the rewritten nest, in the order of its constants
};

struct Lowered {
  program::Program program;             // verified at Stage::Lowered
  std::vector<model::Value> arguments;  // values of the inputs and constants, in parameter order
  std::vector<model::Value> results;    // values of the outputs, in parameter order
  // The argument of `filter` is an invalid value, because the model no longer has it. If the recipe
  // narrows the output, the result of the nest still has the width of the original, and the
  // following blocks of the program read only its first channels.
  std::optional<OriginalNest> nest = {};
};

// `nodes` must be in topological order. A value from outside the group becomes an Input, or a
// Constant if it is a Weight. A value that is read outside or is an output of the model becomes an
// Output. Weights keep the model's layout whatever `layouts` says. Programs compute the same as the
// reference executor up to rounding, with two exceptions: a Gather index out of range takes the
// nearest element, and a maximum pool may miss a NaN. At most one node may be a nest.
Result<Lowered> lower(program::Context& cx, const model::Model& model,
                      std::span<const model::NodeId> nodes, const Layouts& layouts = {});

}  // namespace cambium::lower
