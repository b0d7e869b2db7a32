// cambium-bench-kernels: generated kernels against vendor libraries, one thread, in one process.
// Every kernel is checked before it is timed. Reached by `cambium bench kernels`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/file.h"
#include "base/random.h"
#include "kernels/native_kernel.h"
#include "kernels/peer.h"
#include "kernels/workload.h"
#include "lower/lower.h"
#include "measure/timing.h"
#include "program/analysis.h"
#include "program/text.h"
#include "schedule/defaults/default_schedule.h"

namespace cambium::bench {
namespace {

struct Options {
  std::vector<std::string> only;
  std::string traces;  // a folder of hand-written traces
  std::string machine = "host";
  bool golden = false, quick = false, json = false, show = false;
};

struct Row {
  std::string name;
  std::string refused;
  double error = 0;  // largest, relative to the largest value
  double gflops = 0;
  codegen::CodeFacts facts;
  struct Ratio {
    std::string peer, implementation;
    measure::Comparison comparison;
  };
  std::vector<Ratio> ratios;

  // Against the fastest peer.
  double ratio() const {
    double least = ratios.empty() ? 0 : ratios[0].comparison.ratio;
    for (const Ratio& r : ratios) least = std::min(least, r.comparison.ratio);
    return least;
  }
};

std::vector<program::Array> random_arguments(const program::Program& program) {
  Rng rng(11);
  std::vector<program::Array> arguments;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Output) continue;
    std::vector<float> values(static_cast<std::size_t>(buffer->elements()));
    for (float& v : values) v = static_cast<float>(rng.below(2001)) / 1000.0f - 1.0f;
    arguments.push_back(program::Array::of(std::move(values)));
  }
  return arguments;
}

std::int64_t points_of(const program::Program& program) {
  std::int64_t points = 0;
  for (const program::Site& site : program::sites_of(program)) {
    std::int64_t here = 1;
    for (const program::Loop* loop : site.loops) here *= loop->extent();
    points += here;
  }
  return points;
}

// What the lowered program says: by the interpreter, or for large shapes by the plain loops as
// native code.
Result<std::vector<program::Array>> expected(program::Context& cx, const program::Program& program,
                                             const Machine& machine,
                                             const std::vector<program::Array>& arguments) {
  constexpr std::int64_t kInterpretable = 60'000'000;
  if (points_of(program) <= kInterpretable) {
    return program::interpret(cx, program, arguments, program::Precision::Double);
  }
  CAMBIUM_TRY(const schedule::Schedule plain, schedule::plain_schedule(cx, program));
  CAMBIUM_TRY(const NativeKernel kernel,
              NativeKernel::make(cx, plain.program(), machine, arguments));
  kernel.run();
  return kernel.outputs();
}

double largest_error(const std::vector<program::Array>& a, const std::vector<program::Array>& b) {
  double worst = 0;
  for (std::size_t o = 0; o < a.size(); ++o) {
    const auto x = a[o].as_doubles(), y = b[o].as_doubles();
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(x[i]));
      difference = std::max(difference, std::isnan(y[i]) ? HUGE_VAL : std::abs(x[i] - y[i]));
    }
    worst = std::max(worst, difference / std::max(largest, 1e-30));
  }
  return worst;
}

Result<schedule::Schedule> scheduled(program::Context& cx, const program::Program& program,
                                     const Machine& machine, const std::string& name,
                                     const Options& options) {
  if (!options.traces.empty()) {
    const std::string path = options.traces + "/" + name + ".trace";
    if (std::ifstream(path).good()) {
      CAMBIUM_TRY(const std::string text, read_file(path));
      CAMBIUM_TRY(const schedule::Trace trace, schedule::parse_trace(text));
      return schedule::replay(cx, program, trace);
    }
  }
  return schedule::default_schedule(cx, program, machine);
}

Status measure_one(const Workload& w, const Machine& machine, const Options& options, Row& row) {
  program::Context cx;
  std::vector<model::NodeId> nodes;
  for (const model::NodePtr& node : w.model.nodes()) {
    if (node->as<model::Input>() == nullptr && node->as<model::Weight>() == nullptr) {
      nodes.push_back(node->id);
    }
  }
  CAMBIUM_TRY(const lower::Lowered lowered, lower::lower(cx, w.model, nodes, w.layouts));
  CAMBIUM_TRY(const schedule::Schedule s, scheduled(cx, lowered.program, machine, w.name, options));
  if (options.show) {
    fmt::print(stderr, "{}\n{}\n{}\n", program::to_text(cx, lowered.program),
               schedule::to_text(s.trace()), program::to_text(cx, s.program()));
  }
  const auto arguments = random_arguments(lowered.program);
  CAMBIUM_TRY(const NativeKernel kernel, NativeKernel::make(cx, s.program(), machine, arguments));
  row.facts = kernel.code().facts;
  CAMBIUM_TRY(const auto wanted, expected(cx, lowered.program, machine, arguments));
  kernel.run();
  row.error = largest_error(wanted, kernel.outputs());
  constexpr double kTolerance = 1e-4;
  if (!(row.error < kTolerance)) {
    return Rejection(Reason::WrongResult, "y", fmt::format("error {:.2g}", row.error));
  }
  measure::ComparisonOptions how;
  how.rounds = options.quick ? 5 : 15;
  auto peers = onednn_peers(w);
  for (auto& peer : openblas_peers(w)) peers.push_back(std::move(peer));
  for (const auto& peer : peers) {
    const auto comparison = measure::compare([&] { kernel.run(); }, [&] { peer->run(); }, how);
    row.ratios.push_back({peer->name, peer->implementation, comparison});
    row.gflops = w.flops / comparison.ours_seconds / 1e9;
  }
  return Ok{};
}

void print_row(const Row& row) {
  if (!row.refused.empty()) {
    fmt::print("{:18} {}\n", row.name, row.refused);
  } else {
    fmt::print("{:18} {:7.1f} {:6.0f} {:6} {:9.1e}", row.name, row.gflops, row.facts.seconds * 1e3,
               row.facts.loop_spills, row.error);
    for (const Row::Ratio& r : row.ratios) {
      fmt::print("  {:.2f} ±{:.0f}% {}", r.comparison.ratio, 100 * r.comparison.spread, r.peer);
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

void print_summary(const std::vector<Row>& rows) {
  double capped = 0, raw = 0, worst = HUGE_VAL;
  std::vector<double> seconds;
  std::string worst_name = "none";
  std::size_t counted = 0, wrong = 0, spilling = 0;
  for (const Row& row : rows) {
    if (!row.refused.empty()) {
      ++wrong;
      continue;
    }
    seconds.push_back(row.facts.seconds);
    spilling += row.facts.loop_spills > 0 ? 1 : 0;
    if (row.ratios.empty()) continue;
    ++counted;
    capped += std::log(std::min(row.ratio(), 2.0));
    raw += std::log(row.ratio());
    if (row.ratio() < worst) {
      worst = row.ratio();
      worst_name = row.name;
    }
  }
  if (counted == 0) return;
  std::sort(seconds.begin(), seconds.end());
  const double n = static_cast<double>(counted);
  fmt::print(
      "{} of {} measured; geometric mean {:.3f} (ratios above 2 counted as 2; raw {:.3f}); worst "
      "{:.2f} ({}); refused or wrong {}; with spills in inner loops {}; median compile {:.0f} ms\n",
      counted, rows.size(), std::exp(capped / n), std::exp(raw / n), worst, worst_name, wrong,
      spilling, seconds[seconds.size() / 2] * 1e3);
}

nlohmann::json to_json(const std::vector<Row>& rows, const Machine& machine) {
  nlohmann::json document{{"document", "cambium.bench"}, {"version", 1}, {"name", "kernels"}};
  document["machine"] = {{"name", machine.name}, {"model", machine.model}};
  document["rows"] = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json r{{"case", row.name}};
    if (!row.refused.empty()) r["refused"] = row.refused;
    r["gflops"] = row.gflops;
    r["error"] = row.error;
    r["compile_seconds"] = row.facts.seconds;
    r["loop_spills"] = row.facts.loop_spills;
    for (const Row::Ratio& ratio : row.ratios) {
      r["peers"].push_back({{"peer", ratio.peer},
                            {"implementation", ratio.implementation},
                            {"ratio", ratio.comparison.ratio},
                            {"spread", ratio.comparison.spread},
                            {"ours_seconds", ratio.comparison.ours_seconds},
                            {"theirs_seconds", ratio.comparison.theirs_seconds}});
    }
    document["rows"].push_back(r);
  }
  return document;
}

int run(const Options& options) {
  use_one_thread();
  const auto named = machine_named(options.machine);
  if (!named.ok() || !named->runs_here()) {
    fmt::print(stderr, "{}\n",
               named.ok() ? "code for " + options.machine + " does not run here"
                          : named.rejection().message());
    return 2;
  }
  const Machine& machine = *named;
  if (!options.json) {
    fmt::print("{} ({})\n{:18} {:>7} {:>6} {:>6} {:>9}  ratio (above 1: ours is faster)\n",
               machine.model, machine.name, "case", "GFLOP/s", "ms", "spills", "error");
  }
  std::vector<Row> rows;
  for (const Workload& w : options.golden ? golden_workloads() : operator_table()) {
    const bool wanted =
        options.only.empty() ||
        std::any_of(options.only.begin(), options.only.end(),
                    [&](const auto& part) { return w.name.find(part) != std::string::npos; });
    // The large volumes take a minute each to check.
    if (!wanted || (options.quick && w.flops > 1e9)) continue;
    Row row;
    row.name = w.name;
    const Status status = measure_one(w, machine, options, row);
    if (!status.ok()) row.refused = status.rejection().message();
    rows.push_back(row);
    if (!options.json) print_row(row);
  }
  if (options.json) {
    fmt::print("{}\n", to_json(rows, machine).dump(1));
  } else {
    print_summary(rows);
  }
  return std::any_of(rows.begin(), rows.end(), [](const Row& r) { return !r.refused.empty(); });
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  CLI::App app{"Generated kernels against oneDNN and OpenBLAS, one thread"};
  cambium::bench::Options options;
  app.add_option("--only", options.only, "cases whose name contains one of these");
  app.add_option("--traces", options.traces, "folder of hand-written traces, NAME.trace");
  app.add_option("--machine", options.machine, "what our code is made for")->capture_default_str();
  app.add_flag("--golden", options.golden, "the five shapes with hand-written traces");
  app.add_flag("--quick", options.quick, "fewer rounds, no shapes above a billion operations");
  app.add_flag("--json", options.json, "one JSON document");
  app.add_flag("--show", options.show, "print programs and traces on standard error");
  CLI11_PARSE(app, argc, argv);
  return cambium::bench::run(options);
}
