// A candidate compiled in a process of its own, to see whether that lives: a process that was
// killed while it compiled leaves the question whether the candidate killed it. The child is
// `cambium rehearse`. Called by the bench of the tuner.
#pragma once

#include <atomic>
#include <string>

#include "base/machine.h"
#include "base/result.h"
#include "schedule/schedule.h"

namespace cambium::engine {

// The program with that command: `cambium` beside this one; empty: it is not there.
std::string find_rehearsal();

// Refuses CodegenFailed where the child dies of it, or takes too long. Where there is no such
// program, where it does not come as far as compiling, where a signal hits the child that compiling
// does not raise, or where `stop` is set, nothing is known and nothing refused.
Status rehearse_build(const std::string& executable, const Machine& machine,
                      const std::string& program, const schedule::Trace& trace,
                      const std::atomic<bool>* stop = nullptr);

// What the child does: compiles what the text on its input says. `begin` is called before that; a
// refusal of the compiler is an ordinary end. Refuses a text that is none.
Status answer_rehearsal(const std::string& request, void (*begin)());

}  // namespace cambium::engine
