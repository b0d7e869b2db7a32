// Compiles a candidate in a separate process, to find out whether the process survives. If a
// process dies while it compiles a candidate, the candidate may be the cause or not. The child is
// `cambium rehearse`. Called by the bench of the tuner.
#pragma once

#include <atomic>
#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "schedule/trace/schedule.h"

namespace cambium::engine {

// The program with that command: `cambium` in the folder of this program; empty: it was not found.
std::string find_rehearsal();

// Refuses CodegenFailed if the child dies of the candidate, or takes too long. Refuses nothing if
// the outcome is unknown: there is no such program, the child ends before it compiles, a signal
// hits it that compiling does not raise, or `stop` is set.
Status rehearse_build(const std::string& executable, const Machine& machine,
                      const std::string& program, const schedule::Trace& trace,
                      const std::atomic<bool>* stop = nullptr);

// The child's part: compiles the candidate that `request` describes. Calls `begin` before
// compiling. A refusal by the compiler is a normal end. Refuses a malformed request.
Status answer_rehearsal(const std::string& request, void (*begin)());

}  // namespace cambium::engine
