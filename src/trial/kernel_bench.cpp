#include "trial/kernel_bench.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/quantile.h"
#include "codegen/codegen.h"
#include "compile/build_kernel.h"
#include "measure/check.h"
#include "measure/measure.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "trial/expected.h"
#include "trial/packed_cache.h"

namespace cambium::trial {

namespace {

using codegen::ObjectCode;
using compile::Source;
using measure::KernelBuffers;
using program::Array;

// A call may take so much longer than the best so far before it counts as hanging.
constexpr double kSlowdown = 40, kLeastSeconds = 0.3;
// Calls so long are timed well by few of them.
constexpr double kLongCall = 20e-3;
constexpr const char *kSymbol = "kernel", *kLoadSymbol = "load";

struct LoadCode {
  Fingerprint key;
  ObjectCode code;
  KernelBuffers buffers;
  std::vector<Source> parameters;
};

class BuiltKernel final : public tune::Built {
 public:
  ObjectCode code;
  KernelBuffers buffers;
  std::vector<Source> parameters;
  std::shared_ptr<const LoadCode> load;  // nullptr: no constants are packed
};

// A candidate with the packed constants that it is called with.
struct Ready {
  measure::Contender contender;
  std::shared_ptr<const Packed> packed;
};

using Finalist = Result<std::shared_ptr<const Ready>>;  // or what it is refused for

class KernelBench final : public tune::Bench {
 public:
  KernelBench(const Machine& machine, const KernelBenchOptions& options, measure::Runner runner)
      : machine_(machine),
        options_(options),
        runner_(std::move(runner)),
        packed_(options.kept_bytes) {}

  Status rehearse(const tune::Task& task, const schedule::Trace& trace) override {
    return options_.rehearse ? options_.rehearse(task, trace) : Status(Ok{});
  }

  Result<std::unique_ptr<tune::Built>> build(const tune::Task& task,
                                             const schedule::Trace& trace) override {
    program::Context cx;
    CAMBIUM_TRY(const schedule::Schedule made,
                compile::ready_schedule(cx, program::clone_into(cx, *task.program), trace));
    CAMBIUM_TRY(compile::KernelCode kernel,
                compile::build_kernel(cx, made.program(), machine_, kSymbol));
    auto built = std::make_unique<BuiltKernel>();
    built->code = std::move(kernel.code);
    built->buffers = measure::buffers_of(kernel.part.run);
    built->parameters = std::move(kernel.part.run_parameters);
    if (kernel.part.load) {
      CAMBIUM_TRY(built->load, load_code(cx, kernel.part));
    }
    return std::unique_ptr<tune::Built>(std::move(built));
  }

  Result<Measurement> time(const tune::Task& task, const tune::Built& built) override {
    CAMBIUM_TRY(Expected* const expected, expected_of(task));
    runner_.limit_seconds(limit_of(*expected));
    CAMBIUM_TRY(const Ready ready, ready_of(task, *expected, built));
    measure::RankingOptions ranking;
    ranking.attempts = expected->best_seconds > kLongCall ? 1 : 3;
    auto timed = runner_.rank(ready.contender, task.threads, ranking);
    if (timed.ok() && (expected->best_seconds == 0 || timed->value < expected->best_seconds)) {
      expected->best_seconds = timed->value;
    }
    return timed;
  }

  std::vector<Result<Measurement>> compare(const tune::Task& task,
                                           const std::vector<const tune::Built*>& built) override {
    const auto expected = expected_of(task);
    if (!expected.ok()) return {built.size(), expected.rejection()};
    runner_.limit_seconds(limit_of(**expected));
    std::vector<Finalist> ready;
    for (const tune::Built* each : built) {
      const auto one = ready_of(task, **expected, *each);
      ready.push_back(one.ok() ? Finalist(std::make_shared<const Ready>(*one))
                               : Finalist(one.rejection()));
    }
    std::vector<std::optional<measure::Comparison>> comparisons;
    std::size_t first = 0;
    while (first < ready.size() && !compare_with(first, ready, task.threads, comparisons)) ++first;
    return seconds_of(ready, first, comparisons);
  }

  double now() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

 private:
  double limit_of(const Expected& expected) const {
    if (expected.best_seconds == 0) return options_.first_seconds;
    return std::max(kSlowdown * expected.best_seconds, kLeastSeconds);
  }

  // The code that packs constants is often the same from one candidate to the next.
  Result<std::shared_ptr<const LoadCode>> load_code(program::Context& cx,
                                                    const compile::ConstantPart& part) {
    Hasher hasher;
    hasher.add(program::fingerprint_of(*part.load));
    for (const Source source : part.load_parameters) hasher.add(source.packed).add(source.index);
    const Fingerprint key = hasher.done();
    {
      const std::lock_guard lock(load_mutex_);
      if (const auto found = load_codes_.find(key); found != load_codes_.end()) {
        return found->second;
      }
    }
    auto made = std::make_shared<LoadCode>();
    made->key = key;
    CAMBIUM_TRY(made->code, compile::build_load(cx, part, machine_, kLoadSymbol));
    made->buffers = measure::buffers_of(*part.load);
    made->parameters = part.load_parameters;
    const std::lock_guard lock(load_mutex_);
    if (load_codes_.size() >= kMostLoadCodes) load_codes_.clear();
    return load_codes_.emplace(key, std::move(made)).first->second;
  }

  // Once per task, also where that fails: no candidate can help it. Only a runner may come back.
  Result<Expected*> expected_of(const tune::Task& task) {
    auto found = expected_.find(task.fingerprint);
    if (found == expected_.end()) {
      auto made = make_expected(task, machine_, options_.seed, runner_);
      if (!made.ok() && tune::is_fault_of_runner(made.rejection().reason())) {
        return made.rejection();
      }
      if (!made.ok() && !tune::is_fault_of_bench(made.rejection().reason())) {
        made =
            Rejection(Reason::NoSchedule, task.name,
                      "its expected results could not be computed: " + made.rejection().message());
      }
      found = expected_.emplace(task.fingerprint, std::move(made)).first;
    }
    if (!found->second.ok()) return found->second.rejection();
    return found->second->get();
  }

  Result<Ready> ready_of(const tune::Task& task, const Expected& expected,
                         const tune::Built& built) {
    const auto& kernel = dynamic_cast<const BuiltKernel&>(built);
    std::shared_ptr<const Packed> packed;
    if (kernel.load) {
      CAMBIUM_TRY(packed, packed_by(task, expected, *kernel.load));
    }
    measure::Contender contender{kernel.code, expected.test, &kernel.buffers, {}};
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      if (kernel.buffers.buffers[i].is_output) continue;
      const Source source = kernel.parameters[i];
      contender.arguments.push_back(source.packed ? &(*packed)[source.index]
                                                  : expected.argument(source.index));
    }
    return Ready{std::move(contender), std::move(packed)};
  }

  Result<std::shared_ptr<const Packed>> packed_by(const tune::Task& task, const Expected& expected,
                                                  const LoadCode& load) {
    const Fingerprint key = fingerprint_of(task.fingerprint, load.key);
    if (auto found = packed_.find(key); found != nullptr) return found;
    std::vector<const Array*> arguments;
    std::vector<std::size_t> order;  // which packed buffer each output is
    for (std::size_t i = 0; i < load.parameters.size(); ++i) {
      const Source source = load.parameters[i];
      if (source.packed) {
        order.push_back(source.index);
      } else {
        arguments.push_back(expected.argument(source.index));
      }
    }
    CAMBIUM_TRY(std::vector<Array> outputs,
                runner_.run_with(load.code, load.buffers, std::move(arguments), 1));
    auto packed = std::make_shared<Packed>(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) (*packed)[order[i]] = std::move(outputs[i]);
    packed_.add(key, packed);
    return std::shared_ptr<const Packed>(std::move(packed));
  }

  // All from the next on with that one; those that fail become refusals. False: it fails itself.
  bool compare_with(std::size_t first, std::vector<Finalist>& ready, int threads,
                    std::vector<std::optional<measure::Comparison>>& comparisons) {
    comparisons.assign(ready.size(), std::nullopt);
    if (!ready[first].ok()) return false;
    bool has_time = false;
    for (std::size_t i = first + 1; i < ready.size(); ++i) {
      if (!ready[i].ok()) continue;
      const auto both =
          runner_.compare((*ready[first])->contender, (*ready[i])->contender, threads);
      if (both.ok()) {
        comparisons[i] = *both;
        has_time = true;
        continue;
      }
      // Which of the two it was is asked of each alone.
      const auto alone = runner_.rank((*ready[first])->contender, threads);
      if (!alone.ok()) {
        ready[first] = alone.rejection();
        return false;
      }
      ready[i] = both.rejection();
    }
    if (has_time) return true;
    const auto itself =
        runner_.compare((*ready[first])->contender, (*ready[first])->contender, threads);
    if (itself.ok()) {
      comparisons[first] = *itself;
    } else {
      ready[first] = itself.rejection();
    }
    return itself.ok();
  }

  // By comparison with the first, whose own time is the median over its comparisons.
  std::vector<Result<Measurement>> seconds_of(
      const std::vector<Finalist>& ready, std::size_t first,
      const std::vector<std::optional<measure::Comparison>>& comparisons) const {
    std::vector<double> firsts;
    Measurement reference;
    for (const auto& comparison : comparisons) {
      if (!comparison) continue;
      firsts.push_back(comparison->ours_seconds);
      reference.spread = comparison->spread;
      reference.samples = static_cast<int>(comparison->rounds);
    }
    reference.value = quantile(firsts, 0.5);
    reference.machine = fingerprint_of(machine_);
    std::vector<Result<Measurement>> all;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (!ready[i].ok()) {
        all.emplace_back(ready[i].rejection());
        continue;
      }
      Measurement one = reference;
      if (i != first) {
        one.value *= comparisons[i]->ratio;
        one.spread = comparisons[i]->spread;
      }
      all.emplace_back(one);
    }
    return all;
  }

  static constexpr std::size_t kMostLoadCodes = 256;

  Machine machine_;
  KernelBenchOptions options_;
  measure::Runner runner_;
  std::mutex load_mutex_;
  std::map<Fingerprint, std::shared_ptr<const LoadCode>> load_codes_;
  std::map<Fingerprint, Result<std::unique_ptr<Expected>>> expected_;
  PackedCache packed_;
};

}  // namespace

Status compile_candidate(program::Context& cx, const program::Program& program,
                         const schedule::Trace& trace, const Machine& machine) {
  CAMBIUM_TRY(const schedule::Schedule made, compile::ready_schedule(cx, program, trace));
  CAMBIUM_TRY(const compile::KernelCode kernel,
              compile::build_kernel(cx, made.program(), machine, kSymbol));
  if (kernel.part.load) {
    CAMBIUM_REQUIRE(compile::build_load(cx, kernel.part, machine, kLoadSymbol));
  }
  return Ok{};
}

Result<std::unique_ptr<tune::Bench>> make_kernel_bench(const Machine& machine,
                                                       const KernelBenchOptions& options) {
  CAMBIUM_REQUIRE(codegen::backend_for(machine));
  measure::Limits limits;
  limits.memory_bytes = options.memory_bytes;
  CAMBIUM_TRY(measure::Runner runner, measure::Runner::start(options.runner, limits));
  return std::unique_ptr<tune::Bench>(
      std::make_unique<KernelBench>(machine, options, std::move(runner)));
}

}  // namespace cambium::trial
