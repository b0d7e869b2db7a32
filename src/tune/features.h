// The features of a scheduled program for the cost models: one row of numbers per block. As in
// Ansor and MetaSchedule they describe arithmetic, loop kinds, accesses, reuse and intensity. In
// addition they have the facts that decide on a processor: accumulators, loads per multiply-add,
// latency of chains, footprints against every cache, tails. The file of a model contains the names
// of its columns.
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

// For a program that is Ready. Takes some tens of microseconds. Blocks with less than a hundredth
// of the estimated time have no row, unless there would be no rows at all.
Features features_of(const Analysis& analysis, const DraftEstimate& estimate,
                     const Machine& machine, int threads);
Features features_of(program::Context& cx, const program::Program& program, const Machine& machine,
                     int threads);

}  // namespace cambium::tune
