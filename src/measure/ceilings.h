// The ceilings of this machine, measured once and stored: rates of fused multiply-adds and of
// vector loads, and the bandwidth of every level of memory. Times mean little without them. They
// are stored as JSON, one entry per machine, in a file of the caller's choice. Refuses
// ForeignMachine, and what writing the file refuses.
#pragma once

#include <string>

#include "base/machine.h"
#include "base/result.h"

namespace cambium::measure {

// Measures the instructions of `machine` on this processor, in about a second. Every number is the
// best of several short runs, because other processes may slow some of them.
Ceilings probe_ceilings(const Machine& machine);

// The machine with its ceilings: read from the file, or probed and written there. A file with other
// contents, for example after a crash, is replaced.
Result<Machine> with_ceilings(Machine machine, const std::string& path);

}  // namespace cambium::measure
