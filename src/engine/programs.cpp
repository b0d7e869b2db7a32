#include "engine/programs.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "base/text.h"
#include "codegen/codegen.h"
#include "compile/kernels.h"
#include "compile/lowered_model.h"
#include "engine/documents.h"
#include "engine/tuned.h"
#include "model/cost.h"
#include "program/canonical.h"
#include "program/operations.h"
#include "program/text.h"

namespace cambium::engine {

namespace {

using model::Model;

GroupRow row_of(const Model& model, const compile::Calls& calls, std::size_t number) {
  const compile::Call& call = calls.calls[number];
  const program::Program& program = calls.kernels[call.kernel];
  GroupRow row;
  row.number = static_cast<std::int64_t>(number);
  row.kernel = static_cast<std::int64_t>(call.kernel);
  for (const model::NodeId id : call.nodes) {
    const model::Node& node = model.node(id);
    std::vector<model::TensorType> inputs;
    for (const model::Value value : node.inputs) inputs.push_back(model.type(value));
    row.macs += macs_of(node.op, inputs, node.outputs);
    row.nodes.push_back(node.name);
    row.ops.emplace_back(name_of(node.op));
  }
  row.operations = program::operations_of(program);
  for (const program::Buffer* buffer : program.parameters) {
    row.bytes += buffer->elements() * size_of(buffer->dtype);
  }
  return row;
}

// By the name of a node, or else by number.
Result<std::size_t> find_group(const std::vector<GroupRow>& rows, const std::string& which) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& name : rows[i].nodes) {
      if (name == which) return i;
      names.push_back(name);
    }
  }
  const auto number = parse_int(which, 0, std::ssize(rows) - 1);
  if (number.ok()) return static_cast<std::size_t>(*number);
  const auto near = closest(which, names);
  return Rejection(
      Reason::BadOption, "--program " + quote(which),
      near ? "did you mean " + quote(*near) + "?"
           : fmt::format("no group has this node; groups are numbered 0 to {}", rows.size() - 1));
}

// The program of a group, and how its recipe made it where it is a rewritten nest.
struct GroupCode {
  program::Program program;
  std::optional<compile::Rewriting> rewriting;
};

void add_schedule(const compile::Scheduled& scheduled, const GroupCode& group,
                  const ProgramOptions& options, GroupRow& row) {
  const schedule::Schedule& schedule = scheduled.schedule;
  if (options.trace) {
    row.texts.emplace_back(
        "trace",
        schedule::to_text(group.rewriting ? compile::joined(*group.rewriting, schedule.trace())
                                          : schedule.trace()));
  }
  if (options.scheduled) {
    row.texts.emplace_back("scheduled", program::to_text(*scheduled.cx, schedule.program()));
  }
}

// The kernel that compiling builds, and its schedule.
Status add_kernel(const GroupCode& group, const Machine& machine, const ProgramOptions& options,
                  GroupRow& row) {
  compile::Options compiling;
  compiling.machine = machine;
  CAMBIUM_TRY(compiling.schedules, schedules_from(options.db, machine, options.threads));
  const auto kernel =
      compile::make_kernel(group.program, codegen::CodegenOptions{}.symbol, compiling);
  if (!kernel.ok()) {
    const bool wants_code = options.ir || options.assembly;
    if (kernel.rejection().reason() != Reason::Unavailable || wants_code) return kernel.rejection();
    CAMBIUM_TRY(const compile::Scheduled first, compile::first_schedule(group.program, compiling));
    add_schedule(first, group, options, row);
    return Ok{};
  }
  add_schedule(kernel->scheduled, group, options, row);
  // What is computed from weights alone is done once, when a model is loaded: not in this code.
  const compile::KernelCode& built = kernel->built;
  CAMBIUM_TRY(const codegen::Backend* const backend, codegen::backend_for(machine));
  if (options.ir) {
    CAMBIUM_TRY(std::string ir, backend->print_ir(*kernel->scheduled.cx, built.part.run, machine));
    row.texts.emplace_back("ir", std::move(ir));
  }
  if (options.assembly) {
    CAMBIUM_TRY(std::string assembly, backend->print_assembly(built.code, machine));
    row.texts.emplace_back("assembly", std::move(assembly));
  }
  return Ok{};
}

Status add_texts(program::Context& cx, GroupCode group, const Machine& machine,
                 const ProgramOptions& options, GroupRow& row) {
  if (options.scheduled || options.trace || options.ir || options.assembly) {
    // A recipe's trace goes on from canonical names.
    if (group.rewriting) group.program = program::canonical(cx, group.program);
    return add_kernel(group, machine, options, row);
  }
  row.texts.emplace_back("program", program::to_text(cx, group.program));
  return Ok{};
}

}  // namespace

Result<std::vector<GroupRow>> inspect_programs(const Model& model, const ProgramOptions& options) {
  CAMBIUM_TRY(const Machine machine, machine_named(options.machine));
  CAMBIUM_TRY(const compile::LoweredModel lowered, compile::lower_model(model, options.off));
  const compile::Calls& calls = lowered.calls;
  std::vector<GroupRow> rows;
  for (std::size_t i = 0; i < calls.calls.size(); ++i)
    rows.push_back(row_of(lowered.model, calls, i));
  if (options.which.empty()) return rows;
  CAMBIUM_TRY(const std::size_t found, find_group(rows, options.which));
  const compile::Call& call = calls.calls[found];
  const GroupCode group{calls.kernels[call.kernel], call.rewriting};
  CAMBIUM_REQUIRE(add_texts(*lowered.cx, group, machine, options, rows[found])
                      .at(fmt::format("group {}", found)));
  return std::vector<GroupRow>{std::move(rows[found])};
}

nlohmann::json to_json(const std::vector<GroupRow>& rows, const std::string& model,
                       const std::string& machine) {
  nlohmann::json groups = nlohmann::json::array();
  for (const GroupRow& row : rows) {
    nlohmann::json group = {{"group", row.number}, {"nodes", row.nodes},
                            {"ops", row.ops},      {"kernel", row.kernel},
                            {"macs", row.macs},    {"operations", row.operations},
                            {"bytes", row.bytes}};
    for (const auto& text : row.texts) group[text.first] = text.second;
    groups.push_back(std::move(group));
  }
  nlohmann::json out = document("programs", 1);
  out["model"] = model;
  out["machine"] = machine;
  out["groups"] = std::move(groups);
  return out;
}

}  // namespace cambium::engine
