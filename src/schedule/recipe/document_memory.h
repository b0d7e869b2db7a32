// DocumentMemory: remembered facts about documents of one convolution. The documents of a search
// share their first steps, and many of them end in the same program. It belongs to one context,
// because it identifies nodes by address, and must be discarded with it.
#pragma once

#include <string>
#include <unordered_map>

#include "schedule/recipe/function.h"
#include "schedule/recipe/replay.h"
#include "schedule/trace/step_memory.h"

namespace cambium::schedule {

struct KnownFunction {
  Function function;
  Fingerprint identity;
};

struct DocumentMemory {
  StepMemory steps;
  // By the loops of the finished program.
  std::unordered_map<program::Stmt, Result<KnownFunction>> functions;
  std::unordered_map<program::Stmt, std::string> texts;  // canonical ones
};

// The function of a finished program with these sums; remembered, if there is a memory. Refuses
// what function_of refuses.
Result<KnownFunction> known_function(Context& cx, const Program& program, const Names& sums,
                                     DocumentMemory* memory);

}  // namespace cambium::schedule
