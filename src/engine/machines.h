// Machines for people and scripts: this one with what it can reach, probed once and kept in a file
// that the caller names. Called by `cambium machine`, `cambium version` and benchmarks.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/machine.h"
#include "base/result.h"

namespace cambium::engine {

// With its ceilings: from the file, or probed (about a second) and written there, in a folder that
// is made. `again`: probed even if the file has them. Refuses Unwritable.
Result<Machine> probed_host(const std::string& path, bool again = false);
// Times are those of one processor: the machine with the model, the cores and the caches of this
// one, if its code runs here. Tuning records are kept under it, so that times of two processors
// that execute the same instructions are never compared.
Machine on_this_processor(Machine machine);
// A machine by its name, as this processor is one, likewise with its ceilings. Refuses
// UnknownMachine, and ForeignMachine where this processor does not execute its code.
Result<Machine> probed_machine(const std::string& name, const std::string& path,
                               bool again = false);

nlohmann::json json_of(const Machine& machine);
// What code is made for, without the ceilings. Refuses MissingField.
Result<Machine> machine_of(const nlohmann::json& described);
nlohmann::json to_json(const Machine& machine);  // the document

}  // namespace cambium::engine
