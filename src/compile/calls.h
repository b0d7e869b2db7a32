// A model as a sequence of calls of programs. Each fusion group becomes one call. Outputs that no
// group writes are copied: if an input or a weight is also an output, or if one value is two
// outputs. Groups with equal programs share a kernel. Refuses what lowering refuses, and names the
// group.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/group.h"
#include "lower/groups.h"
#include "lower/layout.h"
#include "model/model.h"
#include "program/context.h"

namespace cambium::compile {

// The argument of a call: a value of the model or, for the target of a copy, the number of an
// output.
struct Operand {
  model::Value value;
  std::int64_t output = -1;
};

struct Call {
  std::size_t kernel = 0;
  std::vector<Operand> operands;     // one per parameter of the kernel's program
  std::vector<model::NodeId> nodes;  // none: a copy
  // How a rewritten nest became the call's own program, which has the fingerprint of the kernel.
  std::optional<Rewriting> rewriting = {};
};

struct Calls {
  std::vector<program::Program> kernels;  // lowered and distinct
  std::vector<Call> calls;
};

Result<Calls> calls_of(program::Context& cx, const model::Model& model,
                       const lower::Layouts& layouts);

// The number of the first output that is this value; -1: none.
std::int64_t output_of(const model::Model& model, model::Value value);

}  // namespace cambium::compile
