// cambium-bench-kernels: generated kernels against vendor libraries in one process.
// Every kernel is checked in the runner before it is timed. Reached by `cambium bench kernels`.
#include <algorithm>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "cli/common.h"
#include "engine/machines.h"
#include "kernels/measure_kernel.h"
#include "kernels/report.h"
#include "kernels/width_sweep.h"

namespace cambium::bench {
namespace {

constexpr double kLong = 1e9;  // operations; these take a minute to check

// The named machine, which must run here, with what this host reaches.
Result<Machine> machine_for(const Options& options) {
  CAMBIUM_TRY(const Machine host, engine::probed_host(cli::cache_folder() + "/ceilings.json"));
  CAMBIUM_TRY(Machine machine, machine_named(options.machine));
  if (!machine.runs_here()) return Rejection(Reason::ForeignMachine, machine.name, host.model);
  machine.model = host.model;
  machine.ceilings = host.ceilings;
  return machine;
}

int no_such_case() {
  return cli::refuse(Rejection(Reason::BadOption, "--only", "no case has such a name"));
}

int run_widths(const Machine& machine, measure::Runner& runner, const Options& options) {
  cli::print(width_header(machine));
  const auto rows = sweep_widths(machine, runner, options,
                                 [](const WidthRow& row) { cli::print(width_text(row)); });
  if (rows.empty()) return no_such_case();
  const int printed = cli::print(width_summary(rows));
  const bool failed =
      std::any_of(rows.begin(), rows.end(), [](const WidthRow& r) { return !r.refused.empty(); });
  return printed != cli::kDone ? printed : failed ? cli::kFailed : cli::kDone;
}

std::vector<Workload> workloads(const Options& options) {
  if (options.golden) return golden_workloads();
  return options.weak ? weak_workloads() : operator_table();
}

int run(const Options& options) {
  const auto machine = machine_for(options);
  if (!machine.ok()) return cli::refuse(machine.rejection());
  measure::Limits limits;
  limits.seconds = 120;  // the plain version of a large shape
  auto runner = measure::Runner::start({}, limits);
  if (!runner.ok()) return cli::refuse(runner.rejection());
  if (options.widths) return run_widths(*machine, *runner, options);
  if (!options.json) cli::print(header_text(*machine, options));
  std::vector<Row> rows;
  for (const Workload& w : workloads(options)) {
    if (!is_wanted(w.name, options.only) || (options.quick && w.flops > kLong)) continue;
    rows.push_back(measure_kernel(w, *machine, *runner, options));
    if (!options.json) cli::print(row_text(rows.back(), *machine));
  }
  if (rows.empty()) return no_such_case();
  const int printed = options.json ? cli::print_document(to_json(rows, *machine, options))
                                   : cli::print(summary_text(rows));
  const bool failed =
      std::any_of(rows.begin(), rows.end(), [](const Row& r) { return !r.refused.empty(); });
  return printed != cli::kDone ? printed : failed ? cli::kFailed : cli::kDone;
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  CLI::App app{"Generated kernels against oneDNN, OpenBLAS and libxsmm", "cambium bench kernels"};
  cambium::bench::Options options;
  app.add_option("--only", options.only, "cases whose name contains one of these")
      ->delimiter(',')
      ->type_name("NAME");
  app.add_option("--traces", options.traces,
                 "folder with traces NAME.trace that replace the default schedules")
      ->type_name("DIR");
  app.add_option("--machine", options.machine, "machine to compile for")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads that one kernel uses, ours and theirs")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
  auto* golden =
      app.add_flag("--golden", options.golden, "only the five shapes for which traces are kept");
  auto* weak = app.add_flag("--weak", options.weak,
                            "only shapes for which default schedules were slow once");
  app.add_flag("--quick", options.quick, "fewer rounds, nothing above a billion operations");
  auto* json = app.add_flag("--json", options.json,
                            "print one JSON document (docs/schema/bench_kernels.json)");
  app.add_flag("--widths", options.widths,
               "compare convolutions with 8 to 130 output channels with those of the next multiple "
               "of the vector length")
      ->excludes(golden)
      ->excludes(weak)
      ->excludes(json);
  app.add_flag("--show", options.show, "print programs and traces on standard error");
  app.footer("Example:\n  cambium bench kernels --golden --traces bench/kernels/traces");
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  return cambium::bench::run(options);
}
