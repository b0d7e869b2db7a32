// Measures one workload: lowers and schedules its model, checks the kernel in the runner against
// the meaning of its program, and times it in turns with the vendor libraries.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/machine.h"
#include "codegen/codegen.h"
#include "kernels/native_kernel.h"
#include "kernels/workload.h"
#include "measure/measure.h"
#include "measure/timing.h"
#include "schedule/trace/schedule.h"

namespace cambium::bench {

struct Options {
  std::vector<std::string> only;
  std::string traces;  // a folder of traces, NAME.trace; others get the default schedule
  std::string machine = "host";
  int threads = 1;
  bool golden = false, weak = false, widths = false, quick = false, json = false, show = false;
};

struct Row {
  std::string name;
  std::string refused;
  double error = 0;  // the largest error, as a share of the allowed rounding error
  double seconds = 0;
  double roofline_seconds = 0;  // the least that the machine allows
  double flops = 0;
  codegen::CodeFacts facts;
  struct Ratio {
    std::string peer, implementation;
    measure::Comparison comparison;
    std::string missing = {};  // why there is no comparison; empty: there is
  };
  std::vector<Ratio> ratios;

  double gflops() const { return seconds > 0 ? flops / seconds / 1e9 : 0; }
  double of_roofline() const { return seconds > 0 ? roofline_seconds / seconds : 0; }
  double ratio() const;  // against the fastest peer; 0: there is none
};

// A workload as native code that gave the right results. `tuned`: a schedule of the program under
// canonical names, instead of the default one.
struct CheckedKernel {
  std::unique_ptr<program::Context> cx;  // of the kernel's buffers
  NativeKernel kernel;
  double error = 0;
  double roofline_seconds = 0;
};
Result<CheckedKernel> checked_kernel(const Workload& workload, const Machine& machine,
                                     measure::Runner& runner, const Options& options,
                                     const schedule::Trace* tuned = nullptr);

// Further peers, which take turns with the kernel.
using MorePeers = std::function<std::vector<Row::Ratio>(const measure::Call& ours)>;

// `tuned`: a schedule of the program under canonical names, instead of the default one.
Row measure_kernel(const Workload& workload, const Machine& machine, measure::Runner& runner,
                   const Options& options, const schedule::Trace* tuned = nullptr,
                   const MorePeers& more = {});

}  // namespace cambium::bench
