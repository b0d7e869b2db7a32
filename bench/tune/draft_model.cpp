// The analytic model over the default schedules of the operator table: what it expects beside what
// was measured (docs/results/native.md, given as an argument), and how long it takes to say so.
#include "tune/draft_model.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include <fmt/core.h>

#include "base/file.h"
#include "kernels/workload.h"
#include "lower/lower.h"
#include "measure/ceilings.h"
#include "program/text.h"
#include "program/walk.h"
#include "schedule/defaults/default_schedule.h"

namespace cambium::bench {
namespace {

std::vector<model::NodeId> operators_of(const model::Model& model) {
  std::vector<model::NodeId> nodes;
  for (const model::NodePtr& node : model.nodes()) {
    const bool is_leaf =
        node->as<model::Input>() != nullptr || node->as<model::Weight>() != nullptr;
    if (!is_leaf) nodes.push_back(node->id);
  }
  return nodes;
}

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

Status run(const std::string& results, bool verbose) {
  CAMBIUM_TRY(const std::string text, read_file(results));
  const auto measured = measured_in(text);
  CAMBIUM_TRY(const Machine machine,
              measure::with_ceilings(host_machine(), std::string(std::getenv("HOME")) +
                                                         "/.cache/cambium/ceilings.json"));
  fmt::print("{:8} {:>9} {:>9} {:>6} {:>6} {:>6}  bound\n", "case", "estimate", "measured", "ratio",
             "loops", "us");
  for (const Workload& w : operator_table()) {
    program::Context cx;
    CAMBIUM_TRY(const lower::Lowered lowered,
                lower::lower(cx, w.model, operators_of(w.model), w.layouts));
    CAMBIUM_TRY(const schedule::Schedule s,
                schedule::default_schedule(cx, lowered.program, machine));
    tune::DraftEstimate estimate;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i) estimate = tune::draft_estimate(cx, s.program(), machine, 1);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    int loops = 0;
    program::for_each_stmt(s.program(), [&](program::Stmt stmt, const auto&) {
      loops += program::as_loop(stmt) != nullptr ? 1 : 0;
    });
    const double rate = w.flops / estimate.seconds / 1e9;
    const auto at = measured.find(w.name);
    const double real = at == measured.end() ? 0 : at->second;
    fmt::print("{:8} {:9.1f} {:9.1f} {:6.2f} {:6} {:6.1f}  roofline {:.1f}\n", w.name, rate, real,
               real / rate, loops, took.count() / 100,
               w.flops / 1e9 / tune::roofline_seconds(cx, lowered.program, machine, 1));
    if (!verbose) continue;
    if (std::getenv("SHOW")) fmt::print("{}\n", program::to_text(cx, s.program()));
    for (const tune::DraftRow& r : estimate.rows) {
      if (r.seconds < 0.01 * estimate.seconds) continue;
      fmt::print(
          "    {:20} {:8.2f} us: fma {:.2f} loads {:.2f} latency {:.2f} fetch {:.2f} l2 {:.2f} l3 "
          "{:.2f} dram {:.2f} overhead {:.2f}  acc {} regs {} spills {} code {}\n",
          r.block, 1e6 * r.seconds, 1e6 * r.arithmetic, 1e6 * r.loads, 1e6 * r.latency,
          1e6 * r.fetch, 1e6 * r.l2, 1e6 * r.l3, 1e6 * r.dram, 1e6 * r.overhead,
          r.cost.accumulators, r.cost.registers, r.cost.spills, r.cost.code_bytes);
    }
  }
  return Ok{};
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: cambium-bench-draft docs/results/native.md [-v]\n");
    return 2;
  }
  const auto status = cambium::bench::run(argv[1], argc > 2);
  if (status.ok()) return 0;
  fmt::print(stderr, "{}\n", status.rejection().message());
  return 1;
}
