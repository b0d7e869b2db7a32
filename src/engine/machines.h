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

nlohmann::json json_of(const Machine& machine);
// What code is made for, without the ceilings. Refuses MissingField.
Result<Machine> machine_of(const nlohmann::json& described);
nlohmann::json to_json(const Machine& machine);  // the document

}  // namespace cambium::engine
