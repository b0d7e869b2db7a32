#include "engine/search/export_traces.h"

#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/unique_names.h"
#include "compile/kernels.h"
#include "engine/tuned.h"
#include "program/canonical.h"
#include "program/text.h"

namespace cambium::engine {
namespace {

// As compiling schedules the program; without a code generator, as it would try first.
Result<schedule::Trace> loop_half(const program::Program& program, const compile::Options& how) {
  const auto kernel = compile::make_kernel(program, "kernel", how);
  if (kernel.ok()) return kernel->scheduled.schedule.trace();
  if (kernel.rejection().reason() != Reason::Unavailable) return kernel.rejection();
  CAMBIUM_TRY(const compile::Scheduled first, compile::first_schedule(program, how));
  return first.schedule.trace();
}

// As compiling scheduled it. A default schedule has other names there: it started from the program
// as it was lowered, and a trace for replaying starts from canonical names.
Result<schedule::Trace> known_half(const program::Program& program, const Machine& machine,
                                   const compile::KernelReport& kernel) {
  if (!kernel.by_default) return schedule::parse_trace(kernel.trace);
  CAMBIUM_TRY(const compile::Scheduled again,
              compile::scheduled_by(program, machine, *kernel.by_default));
  return again.schedule.trace();
}

std::string site_of(const compile::LoweredModel& lowered, const compile::Call& call) {
  for (const model::NodeId id : call.nodes) {
    const model::Node& node = lowered.model.node(id);
    if (node.as<model::Composite>() != nullptr) return node.name;
  }
  return {};
}

}  // namespace

Result<std::vector<ExportedTrace>> export_traces(const model::Model& model,
                                                 const NativeOptions& options,
                                                 const std::string& folder,
                                                 std::span<const compile::KernelReport> compiled) {
  CAMBIUM_TRY(const compile::LoweredModel lowered, lower_model(model, options.off));
  compile::Options how;
  CAMBIUM_TRY(how.machine, machine_named(options.machine));
  CAMBIUM_TRY(how.schedules, schedules_from(options.db, how.machine, options.threads));
  std::vector<ExportedTrace> all;
  std::map<std::size_t, schedule::Trace> halves;  // by kernel
  UniqueNames taken;
  const std::vector<compile::Call>& calls = lowered.calls.calls;
  CAMBIUM_CHECK(compiled.empty() || compiled.size() == calls.size(), "of another model");
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const compile::Call& call = calls[c];
    if (!call.rewriting) continue;
    const std::string node = site_of(lowered, call);
    if (halves.count(call.kernel) == 0) {
      const program::Program named =
          program::canonical(*lowered.cx, lowered.calls.kernels[call.kernel]);
      auto half =
          compiled.empty() ? loop_half(named, how) : known_half(named, how.machine, compiled[c]);
      CAMBIUM_TRY(halves[call.kernel], std::move(half).at(fmt::format("node '{}'", node)));
    }
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Rejection(Reason::Unwritable, folder, error.message());
    all.push_back({taken.unique(identifier(node, "site_")), node});
    const std::string path = folder + "/" + all.back().stem;
    CAMBIUM_REQUIRE(
        write_file(path + ".program", program::to_text(*lowered.cx, call.rewriting->original)));
    CAMBIUM_REQUIRE(write_file(
        path + ".trace", schedule::to_text(compile::joined(*call.rewriting, halves[call.kernel]))));
  }
  return all;
}

}  // namespace cambium::engine
