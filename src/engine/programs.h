// The content of `cambium inspect --program`: the lowered programs of a model, one per fusion
// group, and the stages of each on its way to native code, exactly as compiling makes them. Refuses
// what lowering refuses, and a name that no group has.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

struct ProgramOptions {
  std::string machine = "host";
  std::vector<std::string> off;  // names of passes to leave out
  std::string which;             // a node, or the number of a group; empty: list all
  // What to show of that group; if none is set: the lowered program.
  bool scheduled = false, trace = false, ir = false, assembly = false;
  std::string db = {};  // database of tuned schedules; empty: default schedules
  int threads = 1;      // number of threads that the schedules were tuned for
};

struct GroupRow {
  std::int64_t number = 0;
  std::vector<std::string> nodes, ops;
  std::int64_t kernel = 0;      // groups with the same program share one
  std::int64_t macs = 0;        // of contractions, as `inspect` counts them
  std::int64_t operations = 0;  // of the lowered program
  std::int64_t bytes = 0;       // of its inputs, weights and outputs
  // The requested texts by name, in the order of compilation: "program", "trace", "scheduled",
  // "ir", "assembly". Of a nest that the loop-nest space rewrote, the program is the rewritten one,
  // and the trace begins at the convolution of the original network.
  std::vector<std::pair<std::string, std::string>> texts;
};

Result<std::vector<GroupRow>> inspect_programs(const model::Model& model,
                                               const ProgramOptions& options);
nlohmann::json to_json(const std::vector<GroupRow>& rows, const std::string& model,
                       const std::string& machine);

}  // namespace cambium::engine
