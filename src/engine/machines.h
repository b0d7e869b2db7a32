// Machines for people and scripts: this machine with its ceilings, which are probed once and kept
// in a file of the caller's choice. Called by `cambium machine`, `cambium version` and benchmarks.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/machine.h"
#include "base/result.h"

namespace cambium::engine {

// This machine with its ceilings. They are read from the file, or probed (about a second) and
// written there; the folder is created. `again` probes even if the file has them. Refuses
// Unwritable.
Result<Machine> probed_host(const std::string& path, bool again = false);
// The same machine with the model, the cores and the caches of this processor, if its code runs
// here. Tuning records are kept under the result, so times of two processors with the same
// instructions are never compared.
Machine on_this_processor(Machine machine);
// A machine by its name, on this processor and with its ceilings. Refuses UnknownMachine, and
// ForeignMachine if this processor cannot execute its code.
Result<Machine> probed_machine(const std::string& name, const std::string& path,
                               bool again = false);

nlohmann::json json_of(const Machine& machine);
// Reads a machine without its ceilings. Refuses MissingField.
Result<Machine> machine_of(const nlohmann::json& described);
nlohmann::json to_json(const Machine& machine);  // the document

}  // namespace cambium::engine
