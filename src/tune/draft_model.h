// The analytic model: how long a scheduled program takes, by arithmetic, loads, latency and traffic
// between caches, from the ceilings of the machine. Measures nothing and learns nothing: it ranks
// before the first trial. Machines without ceilings get those of their instruction set's usual.
// docs/cost_model.md has the formulas.
#pragma once

#include <string_view>
#include <vector>

#include "base/machine.h"
#include "program/context.h"
#include "tune/analysis.h"
#include "tune/block_cost.h"

namespace cambium::tune {

// Seconds that one block takes, by what could hold it back; the largest does.
struct DraftRow {
  std::string_view block;  // lives as long as the program's context
  double arithmetic = 0, loads = 0, latency = 0, fetch = 0, l2 = 0, l3 = 0, dram = 0, overhead = 0;
  double seconds = 0;
  BlockCost cost;
};

struct DraftEstimate {
  double seconds = 0;
  std::vector<DraftRow> rows;  // one per block of the analysis; zero for what runs at load
};

DraftEstimate draft_estimate(const Analysis& analysis, const Machine& machine, int threads);
DraftEstimate draft_estimate(program::Context& cx, const program::Program& program,
                             const Machine& machine, int threads);

// The least that a schedule of a lowered program can take without another algorithm (Winograd's
// has fewer products): its arithmetic at the peak, padding left out, and its inputs and outputs
// once from the nearest memory that holds them. What `best so far` is compared with.
double roofline_seconds(program::Context& cx, const program::Program& lowered,
                        const Machine& machine, int threads);

// What one core reaches: the probed ceilings, or 3 GHz with what the instruction set's usual
// processor does per cycle.
Ceilings usual_ceilings(const Machine& machine);

}  // namespace cambium::tune
