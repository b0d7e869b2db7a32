#include "engine/search/export_traces.h"

#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

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
                                                 const std::string& folder) {
  CAMBIUM_TRY(const compile::LoweredModel lowered, lower_model(model, options.off));
  compile::Options how;
  CAMBIUM_TRY(how.machine, machine_named(options.machine));
  CAMBIUM_TRY(how.schedules, schedules_from(options.db, how.machine, options.threads));
  std::vector<ExportedTrace> all;
  std::map<std::size_t, schedule::Trace> halves;  // by kernel
  UniqueNames taken;
  for (const compile::Call& call : lowered.calls.calls) {
    if (!call.rewriting) continue;
    const std::string node = site_of(lowered, call);
    if (halves.count(call.kernel) == 0) {
      const program::Program named =
          program::canonical(*lowered.cx, lowered.calls.kernels[call.kernel]);
      CAMBIUM_TRY(halves[call.kernel], loop_half(named, how).at(fmt::format("node '{}'", node)));
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
