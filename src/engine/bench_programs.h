// Benchmarks are programs of their own, cambium-bench-NAME, found beside the program that is asked
// for them, as git finds its commands: they link libraries that Cambium itself does not need.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cambium::engine {

// Those in a folder, by name.
std::vector<std::string> bench_names(const std::string& folder);

// The path of one. Refuses Unavailable where there are none at all, and otherwise BadOption with
// what was probably meant.
Result<std::string> find_bench(const std::string& folder, const std::string& name);

}  // namespace cambium::engine
