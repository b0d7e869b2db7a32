// Benchmarks are separate programs, cambium-bench-NAME, because they link libraries that Cambium
// itself does not need. Like the commands of git, they are found by name, in the folder of the
// calling program.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cambium::engine {

// The benchmarks in a folder, by name.
std::vector<std::string> bench_names(const std::string& folder);

// The path of a benchmark. Refuses Unavailable if the folder has no benchmarks, and BadOption with
// a suggestion for an unknown name.
Result<std::string> find_bench(const std::string& folder, const std::string& name);

}  // namespace cambium::engine
