// A model as a sequence of calls of programs: fusion groups lowered, and copies for outputs that no
// group writes (an input or a weight that is an output, one value that is two outputs). Groups with
// equal programs share a kernel.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lower/groups.h"
#include "lower/layout.h"
#include "model/model.h"
#include "program/context.h"

namespace cambium::compile {

// What a parameter of a call is: a value of the model or, for the target of a copy, the number of
// an output.
struct Operand {
  model::Value value;
  std::int64_t output = -1;
};

struct Call {
  std::size_t kernel = 0;
  std::vector<Operand> operands;     // one per parameter of the kernel's program
  std::vector<model::NodeId> nodes;  // none: a copy
};

struct Calls {
  std::vector<program::Program> kernels;  // lowered, each once
  std::vector<Call> calls;
};

Result<Calls> calls_of(program::Context& cx, const model::Model& model,
                       const lower::Layouts& layouts);

// The first output that is this value; -1: none.
std::int64_t output_of(const model::Model& model, model::Value value);

}  // namespace cambium::compile
