#include "kernels/measure_kernel.h"

#include <algorithm>
#include <cstdio>

#include <fmt/core.h>

#include "base/file.h"
#include "compile/kernels.h"
#include "lower/lower.h"
#include "measure/check.h"
#include "peers/peer.h"
#include "program/canonical.h"
#include "program/text.h"
#include "schedule/defaults/default_schedule.h"
#include "trial/tasks.h"
#include "tune/draft_model.h"

namespace cambium::bench {
namespace {

Result<schedule::Schedule> scheduled(program::Context& cx, const program::Program& program,
                                     const Machine& machine, const std::string& name,
                                     const Options& options, const schedule::Trace* tuned) {
  if (tuned != nullptr) return schedule::replay(cx, program::canonical(cx, program), *tuned);
  if (options.traces.empty()) {
    compile::Options compiling;
    compiling.machine = machine;
    CAMBIUM_TRY(const compile::Kernel kernel, compile::make_kernel(program, "kernel", compiling));
    return schedule::replay(cx, program, kernel.scheduled.schedule.trace());
  }
  CAMBIUM_TRY(const std::string text, read_file(options.traces + "/" + name + ".trace"));
  CAMBIUM_TRY(const schedule::Trace trace, schedule::parse_trace(text));
  return schedule::replay(cx, program, trace);
}

// What is expected: by the interpreter, or for large shapes by sampled elements and, in a full run,
// by the plain loops as native code.
Result<measure::Case> expected(program::Context& cx, const program::Program& lowered,
                               const Machine& machine, measure::Runner& runner, bool is_quick) {
  measure::CaseOptions how;
  how.interpreted = is_quick ? 4'000'000 : 60'000'000;
  CAMBIUM_TRY(measure::Case test, measure::make_case(cx, lowered, how));
  const bool is_whole = std::all_of(test.outputs.begin(), test.outputs.end(),
                                    [](const auto& output) { return !output.values.empty(); });
  if (is_quick || is_whole) return test;
  CAMBIUM_TRY(const schedule::Schedule plain, schedule::plain_schedule(cx, lowered));
  CAMBIUM_TRY(const auto code, codegen::compile_kernel(cx, plain.program(), machine));
  CAMBIUM_TRY(const auto outputs, runner.run(code, test.buffers, test.arguments, 1));
  CAMBIUM_REQUIRE(measure::take_second_version(test, outputs));
  return test;
}

}  // namespace

Result<CheckedKernel> checked_kernel(const Workload& w, const Machine& machine,
                                     measure::Runner& runner, const Options& options,
                                     const schedule::Trace* tuned) {
  auto own = std::make_unique<program::Context>();
  program::Context& cx = *own;
  CAMBIUM_TRY(const lower::Lowered lowered,
              lower::lower(cx, w.model, trial::operators_of(w.model), w.layouts));
  CAMBIUM_TRY(const schedule::Schedule s,
              scheduled(cx, lowered.program, machine, w.name, options, tuned));
  if (options.show) {
    fmt::print(stderr, "{}\n{}\n{}\n", program::to_text(cx, lowered.program),
               schedule::to_text(s.trace()), program::to_text(cx, s.program()));
  }
  CAMBIUM_TRY(const measure::Case test,
              expected(cx, lowered.program, machine, runner, options.quick));
  CAMBIUM_TRY(const auto whole, codegen::compile_kernel(cx, s.program(), machine));
  CAMBIUM_TRY(const auto outputs, runner.run(whole, test.buffers, test.arguments, 1));
  CAMBIUM_TRY(const double error, measure::check_outputs(test, outputs));

  // What is timed packs its constants beforehand, as the libraries do.
  CAMBIUM_TRY(NativeKernel kernel,
              NativeKernel::make(cx, s.program(), machine, test.arguments, options.threads));
  kernel.run();
  CAMBIUM_REQUIRE(measure::check_outputs(test, kernel.outputs()));
  return CheckedKernel{std::move(own), std::move(kernel), error,
                       tune::roofline_seconds(cx, lowered.program, machine, options.threads)};
}

namespace {

Status measure(const Workload& w, const Machine& machine, measure::Runner& runner,
               const Options& options, const schedule::Trace* tuned, const MorePeers& more,
               Row& row) {
  CAMBIUM_TRY(const CheckedKernel checked, checked_kernel(w, machine, runner, options, tuned));
  const NativeKernel& kernel = checked.kernel;
  row.facts = kernel.code().facts;
  row.error = checked.error;
  row.roofline_seconds = checked.roofline_seconds;
  measure::ComparisonOptions how;
  how.rounds = options.quick ? 5 : 15;
  how.pause_seconds = options.threads > 1 ? 0.05 : 0;  // their threads spin after a call
  const measure::Call ours = [&kernel] { kernel.run(); };
  const VendorPeers libraries = vendor_peers(w.shape, options.threads);
  for (const auto& peer : libraries.peers) {
    const auto comparison = measure::compare(
        ours, [&] { peer->run(); }, how);
    row.ratios.push_back({peer->name, peer->implementation, comparison});
    row.seconds = comparison.ours_seconds;
  }
  if (libraries.peers.empty()) row.seconds = measure::time_burst(ours, how.burst).seconds;
  for (const auto& [library, why] : libraries.missing) {
    row.ratios.push_back({library, "", {}, why});
  }
  if (!more) return Ok{};
  for (Row::Ratio& one : more(ours)) row.ratios.push_back(std::move(one));
  return Ok{};
}

}  // namespace

double Row::ratio() const {
  double least = 0;
  for (const Ratio& r : ratios) {
    if (!r.missing.empty()) continue;
    least = least == 0 ? r.comparison.ratio : std::min(least, r.comparison.ratio);
  }
  return least;
}

Row measure_kernel(const Workload& workload, const Machine& machine, measure::Runner& runner,
                   const Options& options, const schedule::Trace* tuned, const MorePeers& more) {
  Row row;
  row.name = workload.name;
  row.flops = workload.flops;
  const Status status = measure(workload, machine, runner, options, tuned, more, row);
  if (!status.ok()) row.refused = status.rejection().message();
  return row;
}

}  // namespace cambium::bench
