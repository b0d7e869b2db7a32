// What the cost models see of a scheduled program: one row of numbers per block that stores, in the
// manner of Ansor and MetaSchedule (arithmetic, loop kinds, accesses, reuse, intensity), and beyond
// them what decides on a processor: accumulators, loads per multiply-add, latency of chains,
// footprints against every cache, tails. Names of the columns are part of the model's file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/machine.h"
#include "program/context.h"
#include "tune/draft_model.h"

namespace cambium::tune {

struct Features {
  std::vector<float> values;  // row after row
  std::size_t rows = 0;

  std::span<const float> row(std::size_t i) const;
};

const std::vector<std::string>& feature_names();  // one per column

// Of a program that is Ready. Takes some tens of microseconds. Blocks that the analytic model gives
// less than a hundredth of the time have no row, except where there would be none.
Features features_of(const Analysis& analysis, const DraftEstimate& estimate,
                     const Machine& machine, int threads);
Features features_of(program::Context& cx, const program::Program& program, const Machine& machine,
                     int threads);

}  // namespace cambium::tune
