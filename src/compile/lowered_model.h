// A model after the passes, as calls of lowered programs. It is made once, and then tuned, compiled
// or shown. Refuses what the passes and lowering refuse, and names the fusion group.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/calls.h"
#include "model/model.h"
#include "program/context.h"

namespace cambium::compile {

struct LoweredModel {
  std::unique_ptr<program::Context> cx;  // of the programs
  model::Model model;                    // after the passes
  Calls calls;
};

// `off` names passes to leave out. Refuses UnknownPass before any work.
Result<LoweredModel> lower_model(const model::Model& model,
                                 const std::vector<std::string>& off = {});

}  // namespace cambium::compile
