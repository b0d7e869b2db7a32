// What this program has: the models of the zoo with their costs, and what is in the build. Shown by
// `cambium zoo list` and `cambium version`.
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

// What makes native code, with the version of LLVM; "none" where this build has none.
std::string code_generator();

nlohmann::json version_json();

}  // namespace cambium::engine
