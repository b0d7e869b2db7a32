#include <ctime>
#include <map>
#include <sstream>

#include <fmt/core.h>

#include "arguments.h"
#include "base/file.h"
#include "cost_model/commands.h"
#include "kernels/workload.h"
#include "program/clone.h"
#include "program/walk.h"
#include "schedule/defaults/default_schedule.h"
#include "trial/tasks.h"
#include "tune/cost_model/xgboost_model.h"

namespace cambium::bench {
namespace {

// Rows such as `| C1D-0 | 114.7 | ...`.
std::map<std::string, double> measured_in(const std::string& text) {
  std::map<std::string, double> rates;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string bar, name, bar2;
    double rate = 0;
    if (words >> bar >> name >> bar2 >> rate && bar == "|" && bar2 == "|")
      rates.emplace(name, rate);
  }
  return rates;
}

void print_rows(const tune::DraftEstimate& estimate) {
  for (const tune::DraftRow& r : estimate.rows) {
    if (r.seconds < 0.01 * estimate.seconds) continue;
    fmt::print(
        "    {:12} {:8.2f} us: arithmetic {:.2f} loads {:.2f} latency {:.2f} fetch {:.2f} l2 "
        "{:.2f} "
        "l3 {:.2f} dram {:.2f} overhead {:.2f}; accumulators {} registers {} code {:.0f}\n",
        r.block, 1e6 * r.seconds, 1e6 * r.arithmetic, 1e6 * r.loads, 1e6 * r.latency, 1e6 * r.fetch,
        1e6 * r.l2, 1e6 * r.l3, 1e6 * r.dram, 1e6 * r.overhead, r.cost.accumulators,
        r.cost.registers, r.cost.code_bytes);
  }
}

// Microseconds of f, on average.
template <class F>
double timed(const F& f) {
  constexpr int kTimes = 100;
  const std::clock_t start = std::clock();  // of this process alone
  for (int i = 0; i < kTimes; ++i) f();
  return 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kTimes;
}

}  // namespace

Status show_defaults(const Machine& machine, const DefaultsOptions& options) {
  std::map<std::string, double> measured;
  if (!options.results.empty()) {
    CAMBIUM_TRY(const std::string text, read_file(options.results));
    measured = measured_in(text);
  }
  fmt::print("{:8} {:>9} {:>9} {:>6} {:>9} {:>6} {:>8} {:>8}\n", "case", "GFLOP/s", "measured",
             "ratio", "roofline", "loops", "us draft", "us both");
  std::vector<tune::Features> features;
  std::vector<double> drafts;
  for (const Workload& w : operator_table()) {
    if (!is_wanted(w.name, options.only)) continue;
    CAMBIUM_TRY(const trial::TuningTask task, trial::task_of(w.model, w.layouts, 1));
    program::Context cx;
    const program::Program lowered = program::clone_into(cx, *task.task.program);
    CAMBIUM_TRY(const schedule::Schedule s, schedule::default_schedule(cx, lowered, machine));
    tune::DraftEstimate estimate;
    const double draft_us =
        timed([&] { estimate = tune::draft_estimate(cx, s.program(), machine, 1); });
    const double both_us = timed([&] { tune::features_of(cx, s.program(), machine, 1); });
    int loops = 0;
    program::for_each_stmt(s.program(), [&](program::Stmt stmt, const auto&) {
      loops += program::as_loop(stmt) != nullptr ? 1 : 0;
    });
    const double rate = w.flops / estimate.seconds / 1e9;
    const auto at = measured.find(w.name);
    const double real = at == measured.end() ? 0 : at->second;
    fmt::print("{:8} {:9.1f} {:9.1f} {:6.2f} {:9.1f} {:6} {:8.1f} {:8.1f}\n", w.name, rate, real,
               real / rate, w.flops / 1e9 / tune::roofline_seconds(cx, lowered, machine, 1), loops,
               draft_us, both_us);
    if (options.verbose) print_rows(estimate);
    features.push_back(tune::features_of(cx, s.program(), machine, 1));
    drafts.push_back(estimate.seconds);
  }
  CAMBIUM_TRY(const auto model, tune::pretrained_model());
  const double score_us = timed([&] { model->score(features, drafts); });
  fmt::print("scoring these {} takes {:.2f} ms\n", features.size(), score_us / 1000);
  return Ok{};
}

}  // namespace cambium::bench
