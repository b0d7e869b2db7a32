#include "engine/programs.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "base/text.h"
#include "codegen/codegen.h"
#include "compile/calls.h"
#include "compile/constant_part.h"
#include "compile/layouts.h"
#include "engine/documents.h"
#include "engine/tuned.h"
#include "lower/passes.h"
#include "model/cost.h"
#include "program/text.h"
#include "program/walk.h"

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
  row.operations = operations_of(program);
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
           : fmt::format("no group has such a node; groups are 0 to {}", rows.size() - 1));
}

Status add_texts(program::Context& cx, const program::Program& program, const Machine& machine,
                 const ProgramOptions& options, GroupRow& row) {
  if (!options.scheduled && !options.trace && !options.ir && !options.assembly) {
    row.texts.emplace_back("program", program::to_text(cx, program));
    return Ok{};
  }
  CAMBIUM_TRY(const compile::ScheduleSource source,
              schedules_from(options.db, machine, options.threads));
  CAMBIUM_TRY(const schedule::Schedule schedule, schedule_of(cx, program, machine, source));
  if (options.trace) row.texts.emplace_back("trace", schedule::to_text(schedule.trace()));
  if (options.scheduled) {
    row.texts.emplace_back("scheduled", program::to_text(cx, schedule.program()));
  }
  if (!options.ir && !options.assembly) return Ok{};
  // What is computed from weights alone is done once, when a model is loaded: not in this code.
  const program::Program run = compile::split_constant_part(cx, schedule.program()).run;
  if (options.ir) {
    CAMBIUM_TRY(std::string ir, codegen::print_ir(cx, run, machine));
    row.texts.emplace_back("ir", std::move(ir));
  }
  if (options.assembly) {
    CAMBIUM_TRY(const codegen::ObjectCode code, codegen::compile_kernel(cx, run, machine));
    CAMBIUM_TRY(std::string assembly, codegen::print_assembly(code, machine));
    row.texts.emplace_back("assembly", std::move(assembly));
  }
  return Ok{};
}

}  // namespace

std::int64_t operations_of(const program::Program& program) {
  std::int64_t total = 0;
  for (const program::Site& site : program::sites_of(program)) {
    const program::Body& body = *site.block->body;
    std::int64_t each = body.combine == program::Combine::Assign ? 0 : 1;
    program::for_each_scalar(body.value, [&each](program::Scalar scalar) {
      const bool computes = scalar->kind == program::ScalarKind::Unary ||
                            scalar->kind == program::ScalarKind::Binary ||
                            scalar->kind == program::ScalarKind::Select;
      each += computes ? 1 : 0;
    });
    for (const program::Loop* loop : site.loops) each *= loop->extent();
    total += each;
  }
  return total;
}

Result<std::vector<GroupRow>> inspect_programs(const Model& model, const ProgramOptions& options) {
  CAMBIUM_TRY(const Machine machine, machine_named(options.machine));
  CAMBIUM_TRY(const Model prepared, lower::prepare(model, options.off));
  program::Context cx;
  CAMBIUM_TRY(const compile::Calls calls,
              compile::calls_of(cx, prepared, compile::choose_layouts(prepared)));
  std::vector<GroupRow> rows;
  for (std::size_t i = 0; i < calls.calls.size(); ++i) rows.push_back(row_of(prepared, calls, i));
  if (options.which.empty()) return rows;
  CAMBIUM_TRY(const std::size_t found, find_group(rows, options.which));
  const program::Program& program = calls.kernels[calls.calls[found].kernel];
  CAMBIUM_REQUIRE(
      add_texts(cx, program, machine, options, rows[found]).at(fmt::format("group {}", found)));
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
