// One small operator of each family of bench/kernels/workload.h: small enough for the interpreter.
#pragma once

#include <string>
#include <vector>

#include "lower/layout.h"
#include "model/model.h"
#include "program/context.h"

namespace cambium {

struct SmallOperator {
  std::string name;
  model::Model model;
  lower::Layouts layouts;
};

std::vector<SmallOperator> small_operators();

// All nodes of the model as one program.
program::Program lowered(program::Context& cx, const model::Model& model,
                         const lower::Layouts& layouts);

}  // namespace cambium
