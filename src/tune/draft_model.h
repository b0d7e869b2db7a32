// The analytic model: how long a scheduled program takes, by arithmetic, loads, latency and traffic
// between caches, from the ceilings of the machine. Measures nothing and learns nothing: it ranks
// before the first trial. Machines without ceilings get those of their instruction set's usual.
#pragma once

#include <string>
#include <vector>

#include "base/machine.h"
#include "program/context.h"

namespace cambium::tune {

// Seconds that one block takes, by what could hold it back; the largest does.
struct DraftRow {
  std::string block;
  double arithmetic = 0, loads = 0, latency = 0, l2 = 0, l3 = 0, dram = 0, overhead = 0;
  double seconds = 0;
};

struct DraftEstimate {
  double seconds = 0;
  std::vector<DraftRow> rows;
};

DraftEstimate draft_estimate(program::Context& cx, const program::Program& program,
                             const Machine& machine, int threads);

// The least that any schedule of a lowered program can take: its arithmetic at the peak, its inputs
// and outputs once through memory. What `best so far` is compared with.
double roofline_seconds(program::Context& cx, const program::Program& lowered,
                        const Machine& machine, int threads);

}  // namespace cambium::tune
