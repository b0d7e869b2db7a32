#include <chrono>
#include <cmath>
#include <fstream>

#include <fmt/core.h>
#include <unistd.h>

#include "engine/tune.h"
#include "kernels/workload.h"
#include "program/text.h"
#include "schedule/rules/space.h"
#include "trial/kernel_bench.h"
#include "tune/cores.h"
#include "tune/cost_model/xgboost_model.h"
#include "tune/forgetful.h"
#include "tune/generator.h"
#include "tune/parts.h"
#include "tune/tuner.h"

namespace cambium::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  statm >> all >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

Result<trial::TuningTask> task_named(const std::string& name) {
  for (const Workload& w : operator_table()) {
    if (w.name == name) return trial::task_of(w.model, w.layouts, 1);
  }
  return Rejection(Reason::NotFound, name);
}

// Sampled, replayed, verified, seen and scored, by one core.
Result<double> candidates_per_second(const tune::Task& task, const Machine& machine,
                                     std::size_t count) {
  const schedule::Space space = schedule::whole_space();
  ThreadPool pool(1);
  tune::Cores cores(1);
  tune::Generator generator(task, space, machine, pool, cores);
  CAMBIUM_TRY(const auto model, tune::pretrained_model());
  std::vector<schedule::DraftOptions> wishes(64);
  std::size_t made = 0;
  const double start = now();
  for (std::uint64_t seed = 1; made < count; ++seed) {
    for (std::size_t i = 0; i < wishes.size(); ++i) wishes[i].seed = seed * wishes.size() + i;
    std::vector<tune::Features> features;
    std::vector<double> drafts;
    for (auto& one : generator.make(wishes, {})) {
      if (!one) continue;
      features.push_back(std::move(one->features));
      drafts.push_back(one->draft_seconds);
    }
    static_cast<void>(model->score(features, drafts));
    made += features.size();
  }
  return static_cast<double>(made) / (now() - start);
}

// A bench without a machine: times follow from the trace's text alone.
class NoBench : public tune::Bench {
 public:
  struct Text : tune::Built {
    double seconds = 0;
  };
  Result<std::unique_ptr<tune::Built>> build(const tune::Task&,
                                             const schedule::Trace& trace) override {
    auto built = std::make_unique<Text>();
    const auto hash = fingerprint_of(schedule::to_text(trace));
    built->seconds = 1e-4 * (1 + static_cast<double>(hash.low % 1000) / 1000);
    return std::unique_ptr<tune::Built>(std::move(built));
  }
  Result<Measurement> time(const tune::Task&, const tune::Built& built) override {
    Measurement m;
    m.value = static_cast<const Text&>(built).seconds;
    m.samples = 1;
    return m;
  }
  std::vector<Result<Measurement>> compare(const tune::Task& task,
                                           const std::vector<const tune::Built*>& built) override {
    std::vector<Result<Measurement>> all;
    for (const tune::Built* each : built) all.push_back(time(task, *each));
    return all;
  }
  double now() override { return bench::now(); }
};

class CountingMemory : public Forgetful {
 public:
  Status record(const tune::Task&, const tune::Outcome&) override {
    ++count;
    if (count % every == 0) mib.push_back(resident_mib());
    return Ok{};
  }
  std::int64_t count = 0, every = 1000;
  std::vector<double> mib;
};

// Compiled, checked and timed, into a database of its own.
Result<nlohmann::json> measured_per_second(const trial::TuningTask& task, const Machine& machine,
                                           std::int64_t trials, const TuneBenchOptions& options) {
  const std::string db = options.db + ".speed";
  ::unlink(db.c_str());
  engine::TuningOptions tuning;
  tuning.trials = trials;
  tuning.jobs = options.jobs;
  tuning.db = db;
  const double start = now(), before = resident_mib();
  CAMBIUM_TRY(const engine::TuningReport report, engine::tune_tasks({task}, machine, tuning));
  const double seconds = now() - start;
  ::unlink(db.c_str());
  const engine::TuningRow& row = report.last.rows.at(0);
  return nlohmann::json{{"per_second", static_cast<double>(row.trials) / seconds},
                        {"kernel_seconds", row.seconds},
                        {"trials", row.trials},
                        {"seed", tuning.seed},
                        {"mib_before", before},
                        {"mib_after", resident_mib()},
                        {"jobs", options.jobs}};
}

Result<nlohmann::json> memory_over(const trial::TuningTask& task, const Machine& machine,
                                   std::int64_t trials, const TuneBenchOptions& options) {
  tune::TuneOptions tuning;
  tuning.trials = trials;
  tuning.jobs = options.jobs;
  tuning.machine = machine;
  tuning.space = schedule::whole_space();
  NoBench bench;
  CountingMemory counting;
  counting.every = trials / 10;
  CAMBIUM_TRY(const auto model, tune::pretrained_model());
  CAMBIUM_TRY(const auto done, tune::tune({task.task}, tuning, bench, counting, *model));
  return nlohmann::json{{"mib", counting.mib}, {"trials", counting.count}, {"seed", tuning.seed}};
}

}  // namespace

std::vector<nlohmann::json> speed_keys(const TuneBenchOptions& options) {
  std::vector<nlohmann::json> keys;
  const auto add = [&](const char* name, const char* what, std::int64_t quick, std::int64_t full) {
    const std::int64_t count = options.quick ? quick : full;
    keys.push_back({{"part", "speed"}, {"case", name}, {"what", what}, {"count", count}});
  };
  for (const char* name : {"C2D-2", "GMM-2", "DEP-1", "SFM-1"}) add(name, "candidates", 256, 2048);
  add("GMM-0", "measured", 64, 400);
  add("GMM-0", "memory", 1000, 10'000);
  return keys;
}

Status bench_speed(const Machine& machine, const TuneBenchOptions& options, Results& results) {
  for (const nlohmann::json& key : speed_keys(options)) {
    if (results.find(key) != nullptr) continue;
    CAMBIUM_TRY(const trial::TuningTask task, task_named(key["case"]));
    const std::int64_t count = key["count"];
    nlohmann::json row;
    if (key["what"] == "candidates") {
      CAMBIUM_TRY(const double rate,
                  candidates_per_second(task.task, machine, static_cast<std::size_t>(count)));
      row = {{"per_second", rate}};
    } else if (key["what"] == "measured") {
      CAMBIUM_TRY(row, measured_per_second(task, machine, count, options));
    } else {
      CAMBIUM_TRY(row, memory_over(task, machine, count, options));
    }
    CAMBIUM_REQUIRE(results.add(key, row));
  }
  return Ok{};
}

std::string speed_text(const Results& results) {
  std::string text;
  for (const nlohmann::json& row : results.rows()) {
    const nlohmann::json& key = row["key"];
    if (key["part"] != "speed") continue;
    const std::string name = key["case"];
    if (key["what"] == "candidates") {
      text +=
          fmt::format("{:8} {:.0f} candidates per second and core sampled, verified and scored\n",
                      name, row["per_second"].get<double>());
    } else if (key["what"] == "measured") {
      text += fmt::format(
          "{:8} {:.1f} candidates per second compiled, checked and timed (best {:.0f} us)\n", name,
          row["per_second"].get<double>(), row["kernel_seconds"].get<double>() * 1e6);
    } else {
      text +=
          fmt::format("{:8} resident MiB over {} trials:", name, row["trials"].get<std::int64_t>());
      for (const nlohmann::json& mib : row["mib"])
        text += fmt::format(" {:.0f}", mib.get<double>());
      text += '\n';
    }
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace cambium::bench
