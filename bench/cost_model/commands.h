// What cambium-bench-model does, one function per command: see main.cpp.
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
// The analytic model over the default schedules of the operator table, beside what was measured,
// and how long models take.
Status show_defaults(const Machine& machine, const DefaultsOptions& options);

struct CollectOptions {
  std::string db;
  std::vector<std::string> models;  // whose operators; empty: those of the operator table
  std::vector<std::string> only;
  std::int64_t trials = 48;  // per shape
  double most_flops = 1e9;   // larger shapes are left out
  int threads = 1;
  std::uint64_t seed = 1;
};
// Times schedules of all kinds, not only good ones, and keeps them in a database. Of models, what
// the operator table has too is left out: a model that is trained on the rest may be judged on it.
Status collect(const Machine& machine, const CollectOptions& options);

struct ResidualOptions {
  std::string db;
  std::vector<std::string> only;
};
// What was timed beside what the analytic model expected, by the ratio.
Status show_residuals(const Machine& machine, const ResidualOptions& options);

struct TrainOptions {
  std::vector<std::string> dbs;
  std::string out;  // empty: only the report
  int rounds = 300, depth = 5;
  std::uint64_t seed = 1;
};
// How well models order families of operators that they have not seen; then one model of all.
Status train(const Machine& machine, const TrainOptions& options);

}  // namespace cambium::bench
