// What `cambium inspect --program` shows: the programs that a model is lowered to, one per fusion
// group, and what becomes of each on the way to native code. Refuses what lowering refuses, and a
// name that no group has.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/model.h"
#include "program/program.h"

namespace cambium::engine {

// Every function and every sum.
std::int64_t operations_of(const program::Program& program);

struct ProgramOptions {
  std::string machine = "host";
  std::vector<std::string> off;  // passes that are left out
  std::string which;             // a node, or the number of a group; empty: list all
  // Of that group; none of them: the lowered program.
  bool scheduled = false, trace = false, ir = false, assembly = false;
  std::string db = {};  // of tuned schedules; empty: the default ones
  int threads = 1;      // that those were tuned for
};

struct GroupRow {
  std::int64_t number = 0;
  std::vector<std::string> nodes, ops;
  std::int64_t kernel = 0;      // groups with the same program share one
  std::int64_t macs = 0;        // of contractions, as `inspect` counts them
  std::int64_t operations = 0;  // of the lowered program
  std::int64_t bytes = 0;       // of its inputs, weights and outputs
  // What was asked for, in the order in which it is made: "program", "trace", "scheduled", "ir",
  // "assembly".
  std::vector<std::pair<std::string, std::string>> texts;
};

Result<std::vector<GroupRow>> inspect_programs(const model::Model& model,
                                               const ProgramOptions& options);
nlohmann::json to_json(const std::vector<GroupRow>& rows, const std::string& model,
                       const std::string& machine);

}  // namespace cambium::engine
