// What this machine reaches, measured once and kept: rate of fused multiply-adds, of vector loads,
// bandwidth of every level of memory. Times mean little without them. Kept as JSON, one entry per
// machine, in a file that the caller names. Refuses ForeignMachine and what the file refuses.
#pragma once

#include <string>

#include "base/machine.h"
#include "base/result.h"

namespace cambium::measure {

// What the instructions of this machine reach on this processor. Takes about a second. Every number
// is the best of several short runs: what the machine can do, not what its neighbours leave.
Ceilings probe_ceilings(const Machine& machine);

// The machine with its ceilings: from the file, or probed and written there. A file that is not one
// of these, as after a crash of something else, is replaced.
Result<Machine> with_ceilings(Machine machine, const std::string& path);

}  // namespace cambium::measure
