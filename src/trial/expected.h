// The expected results that check the candidates of a task: the lowered program, random arguments,
// and its outputs. The interpreter computes them; for large programs, another schedule as native
// code does, and sampled elements confirm it. Made once per task by kernel_bench.cpp.
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

namespace cambium::trial {

struct Expected {
  program::Context cx;
  program::Program lowered;
  measure::Case test;
  std::vector<std::size_t> arguments;  // number of the argument of each parameter
  double best_seconds = 0;             // best time of the candidates so far; 0: none ran

  const program::Array* argument(std::size_t parameter) const {
    return &test.arguments[arguments[parameter]];
  }
};

// Refuses what the interpreter, code generation and the runner refuse. Such a refusal is never the
// fault of a candidate.
Result<std::unique_ptr<Expected>> make_expected(const tune::Task& task, const Machine& machine,
                                                std::uint64_t seed, measure::Runner& runner);

}  // namespace cambium::trial
