// What the candidates of a task are checked against: the program as it was lowered, numbers to run
// it with, and what comes out, by the interpreter or, of large programs, by other code that samples
// vouch for. Made once per task by kernel_bench.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/machine.h"
#include "base/result.h"
#include "measure/check.h"
#include "measure/measure.h"
#include "program/context.h"
#include "tune/task.h"

namespace cambium::engine {

struct Expected {
  program::Context cx;
  program::Program lowered;
  measure::Case test;
  std::vector<std::size_t> arguments;  // by parameter of the program: which argument it is
  double best_seconds = 0;             // of the candidates so far; 0: none ran

  const program::Array* argument(std::size_t parameter) const {
    return &test.arguments[arguments[parameter]];
  }
};

// Refuses what parsing, the interpreter, code generation and the runner refuse: no candidate's
// fault.
Result<std::unique_ptr<Expected>> make_expected(const tune::Task& task, const Machine& machine,
                                                std::uint64_t seed, measure::Runner& runner);

}  // namespace cambium::engine
