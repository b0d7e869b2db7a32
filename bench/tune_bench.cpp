// How fast a search makes candidates, on one core: rules with drawn or mutated decisions, verifier,
// fingerprint, features, analytic estimate and the score of the cost model.
#include <string>

#include <benchmark/benchmark.h>

#include "base/check.h"
#include "kernels/workload.h"
#include "schedule/rules/space.h"
#include "trial/tasks.h"
#include "tune/cost_model/xgboost_model.h"
#include "tune/mutate.h"
#include "tune/strategy.h"

namespace {

using namespace cambium;  // NOLINT

tune::Task task_of(const std::string& name) {
  for (const bench::Workload& workload : bench::operator_table()) {
    if (workload.name == name) {
      return trial::task_of(workload.model, workload.layouts, 1).value().task;
    }
  }
  report_bug(__FILE__, __LINE__, "operator_table()", name);
}

// Without XGBoost in the build, the analytic model's score stands in.
std::unique_ptr<tune::CostModel> model() {
  auto pretrained = tune::pretrained_model();
  return pretrained.ok() ? std::move(pretrained).value() : tune::draft_only_model();
}

void candidates(benchmark::State& state, const std::string& name, bool is_mutated) {
  const tune::Task task = task_of(name);
  const schedule::Space space = schedule::whole_space();
  const Machine machine = *machine_named("avx512");
  ThreadPool pool(1);
  tune::Cores cores(1);
  tune::Generator generator(task, space, machine, pool, cores);
  const auto scorer = model();
  schedule::DraftOptions preferred;
  preferred.otherwise = schedule::Otherwise::Preferred;
  const auto parent = generator.make({&preferred, 1}, {});
  CAMBIUM_CHECK(parent[0].has_value(), name);
  Rng rng(1);
  std::int64_t made = 0, refused = 0;
  for (auto _ : state) {
    std::vector<schedule::DraftOptions> wishes(64);
    for (schedule::DraftOptions& wish : wishes) {
      wish.seed = rng.next_u64();
      if (!is_mutated) continue;
      wish.wanted = schedule::decisions_of(parent[0]->trace);
      if (auto change = tune::mutation(parent[0]->trace, rng)) {
        wish.wanted[change->key] = std::move(change->decision);
      }
    }
    std::vector<tune::Individual> there;
    for (auto& one : generator.make(wishes, {})) {
      if (one.has_value()) there.push_back(std::move(*one));
    }
    tune::score(scorer.get(), there);
    made += static_cast<std::int64_t>(wishes.size());
    refused += static_cast<std::int64_t>(wishes.size() - there.size());
  }
  state.SetItemsProcessed(made);
  state.counters["refused"] = static_cast<double>(refused) / static_cast<double>(made);
}

void drawn(benchmark::State& state, const char* name) {
  candidates(state, name, false);
}
void mutated(benchmark::State& state, const char* name) {
  candidates(state, name, true);
}

BENCHMARK_CAPTURE(drawn, conv2d, "C2D-2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(drawn, matmul, "GMM-2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(drawn, depthwise, "DEP-1")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(drawn, softmax, "SFM-1")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mutated, conv2d, "C2D-2")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mutated, matmul, "GMM-2")->Unit(benchmark::kMillisecond);

}  // namespace
