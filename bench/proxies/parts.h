// The parts of `cambium bench proxies`: Fisher Potential of many variants of one network, and all
// measures against the accuracies of NAS-Bench-201. Each part stores a row as soon as it is
// complete.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "train/device.h"
#include "tune/results.h"

namespace cambium::bench {

struct ProxyBenchOptions {
  std::vector<std::string> parts;  // "variants", "nasbench"; empty: all parts whose data is given
  std::string data;                // as src/data/spec.h spells data sets
  std::vector<std::int64_t> minibatch;  // empty: the default of each part
  train::Device device;
  int workers = 1;
  std::uint64_t seed = 1;  // of networks, weights and minibatches
  std::string results;
  bool quick = false, json = false;

  std::int64_t variants = 1000;
  std::int64_t against = 128;  // the minibatch whose ranking the others are compared with ...
  std::int64_t checked = 100;  // ... for this many variants; 0: no comparison
  bool dense_groups = false;   // FisherOptions
  bool shares_values = true;   // FisherManyOptions

  std::string nasbench;  // the table
  std::int64_t architectures = 200;
};

Status bench_variants(const ProxyBenchOptions& options, Results& results);
std::string variants_text(const Results& results);

Status bench_nasbench(const ProxyBenchOptions& options, Results& results);
std::string nasbench_text(const Results& results);

}  // namespace cambium::bench
