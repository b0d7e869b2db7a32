// The commands of cambium-bench-model, one function each: see main.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/machine.h"
#include "base/result.h"

namespace cambium::bench {

struct DefaultsOptions {
  std::string results;  // a page with measured rates; empty: none
  std::vector<std::string> only;
  bool verbose = false;
};
// Compares the analytic model with measured times of the default schedules of the operator table.
// Also times the models.
Status show_defaults(const Machine& machine, const DefaultsOptions& options);

struct CollectOptions {
  std::string db;
  std::vector<std::string> models;  // models whose operators are timed; empty: the operator table
  std::vector<std::string> only;
  std::int64_t trials = 48;  // per shape
  double most_flops = 1e9;   // larger shapes are left out
  int threads = 1;
  std::uint64_t seed = 1;
};
// Times schedules of all kinds, not only good ones, and keeps the times in a database. Skips
// operators of models that also occur in the operator table, so the table can test a cost model
// that is trained on the rest.
Status collect(const Machine& machine, const CollectOptions& options);

struct ResidualOptions {
  std::string db;
  std::vector<std::string> only;
};
// Compares measured times with those that the analytic model expects, sorted by their ratio.
Status show_residuals(const Machine& machine, const ResidualOptions& options);

struct TrainOptions {
  std::vector<std::string> dbs;
  std::string out;  // empty: only the report
  int rounds = 300, depth = 5;
  std::uint64_t seed = 1;
};
// Measures how well cost models rank families of operators that they have not seen. Then trains one
// model on all.
Status train(const Machine& machine, const TrainOptions& options);

}  // namespace cambium::bench
