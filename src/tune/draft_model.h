// The analytic model: it estimates the time of a scheduled program from its arithmetic, loads,
// latency and traffic between caches, and from the ceilings of the machine. It measures and learns
// nothing, so it can rank before the first trial. A machine without ceilings gets the usual ones of
// its instruction set. docs/cost_model.md has the formulas.
#pragma once

#include <string_view>
#include <vector>

#include "base/machine.h"
#include "program/context.h"
#include "tune/analysis.h"
#include "tune/block_cost.h"

namespace cambium::tune {

// Seconds of one block, for each resource that could limit it. The largest one does.
struct DraftRow {
  std::string_view block;  // lives as long as the program's context
  double arithmetic = 0, loads = 0, latency = 0, fetch = 0, l2 = 0, l3 = 0, dram = 0, overhead = 0;
  double seconds = 0;
  BlockCost cost;
};

struct DraftEstimate {
  double seconds = 0;
  std::vector<DraftRow> rows;  // one per block of the analysis; zero for blocks that run at load
};

DraftEstimate draft_estimate(const Analysis& analysis, const Machine& machine, int threads);
DraftEstimate draft_estimate(program::Context& cx, const program::Program& program,
                             const Machine& machine, int threads);

// The least time of any schedule of a lowered program without another algorithm (Winograd's has
// fewer products): the arithmetic at the peak, without padding, or the inputs and outputs moved
// once from the nearest memory that holds them. Progress is compared with it.
double roofline_seconds(program::Context& cx, const program::Program& lowered,
                        const Machine& machine, int threads);

// The ceilings of one core: the probed ones, or those of a usual processor with this instruction
// set at 3 GHz.
Ceilings usual_ceilings(const Machine& machine);

}  // namespace cambium::tune
