// What this program contains: the models of the zoo with their costs, and the features of the
// build. Shown by `cambium zoo list` and `cambium version`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace cambium::engine {

struct ZooRow {
  std::string name, description, origin;
  std::int64_t params = 0, macs = 0;
};

std::vector<ZooRow> zoo_rows();
nlohmann::json to_json(const std::vector<ZooRow>& rows);

// The code generator with its version of LLVM; "none" in a build without one.
std::string code_generator();

nlohmann::json version_json();

}  // namespace cambium::engine
