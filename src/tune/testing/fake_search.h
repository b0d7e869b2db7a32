// A search with fakes for everything around it. For tests of the tuner.
#pragma once

#include <memory>
#include <vector>

#include "tune/cost_model.h"
#include "tune/testing/fake_bench.h"
#include "tune/testing/fake_memory.h"
#include "tune/testing/small_space.h"
#include "tune/tuner.h"

namespace cambium::tune {

inline Result<double> planted(const Task&, const schedule::Trace& trace) {
  return planted_seconds(trace);
}

struct Search {
  std::vector<Task> tasks = {matmul_task()};
  TuneOptions options;
  TuneHooks hooks;
  FakeBench bench{planted};
  FakeMemory memory;
  std::unique_ptr<CostModel> model = draft_only_model();

  Search() {
    options.space = small_space();
    options.machine = *machine_named("avx512");
    options.trials = 24;
    options.batch = 8;
  }
  Result<TuneResult> run() { return tune(tasks, options, bench, memory, *model, hooks); }
  TuneResult done() { return run().value(); }
};

}  // namespace cambium::tune
