#include "compile/compile.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/escape.h"
#include "compile/calls.h"
#include "compile/kernels.h"
#include "compile/live_pair.h"
#include "compile/memory_plan.h"
#include "model/cost.h"

namespace cambium::compile {
namespace {

using namespace model;

// Gives every operand of every call its place, and makes what stands there.
class Assembly {
 public:
  Assembly(const Model& model, const Calls& calls, std::vector<Kernel> kernels)
      : model_(model), calls_(calls.calls), kernels_(std::move(kernels)) {
    for (std::size_t i = 0; i < model.inputs().size(); ++i) inputs_[model.inputs()[i]] = i;
  }

  // Offsets of weights as they are and of packed buffers, then their bytes.
  Status pack_weights(CompiledModel& made) {
    std::int64_t end = 0;
    const auto place = [&end](std::int64_t bytes) {
      const std::int64_t offset = end;
      end += aligned(bytes);
      return offset;
    };
    std::map<Value, std::int64_t> plain;
    for (const Call& call : calls_) {
      const Kernel& kernel = kernels_[call.kernel];
      for (const Source source : kernel.built.part.run_parameters) {
        if (source.packed) continue;
        const Operand& operand = call.operands[source.index];
        if (operand.output >= 0 || model_.weight(operand.value) == nullptr) continue;
        if (plain.count(operand.value) == 0) {
          plain[operand.value] = place(model_.type(operand.value).bytes());
        }
      }
      std::vector<std::int64_t>& packed = packed_.emplace_back();
      for (const std::int64_t bytes : kernel.packed_bytes) packed.push_back(place(bytes));
    }
    made.weights.assign(static_cast<std::size_t>(end), std::byte{0});
    for (const auto& [value, offset] : plain) {
      const std::span<const std::byte> bytes = model_.weight(value)->bytes();
      std::copy(bytes.begin(), bytes.end(), made.weights.begin() + offset);
    }
    plain_ = std::move(plain);
    return run_load_programs(made);
  }

  void plan(CompiledModel& made) {
    std::vector<Value> values;
    std::vector<Lifetime> lifetimes;
    std::map<Value, std::size_t> known;
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      for (const Operand& operand : calls_[c].operands) {
        if (!is_planned(operand)) continue;
        const auto at = static_cast<std::int64_t>(c);
        const auto [entry, fresh] = known.emplace(operand.value, values.size());
        if (fresh) {
          values.push_back(operand.value);
          lifetimes.push_back({model_.type(operand.value).bytes(), at, at});
        }
        lifetimes[entry->second].last = at;
      }
    }
    const MemoryPlan plan = plan_memory(lifetimes);
    for (std::size_t i = 0; i < values.size(); ++i) offsets_[values[i]] = plan.offsets[i];
    made.plan_bytes = plan.bytes;
    made.live_bytes = plan.live_bytes;
  }

  Status link(CompiledModel& made) {
    codegen::Driver driver{made.driver, made.plan_bytes, {}};
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      const Kernel& kernel = kernels_[calls_[c].kernel];
      codegen::DriverCall call{kernel.built.code.symbol, {}};
      for (const Source source : kernel.built.part.run_parameters) {
        call.buffers.push_back(source.packed ? weights_at(packed_[c][source.index])
                                             : place_of(calls_[c].operands[source.index]));
      }
      driver.calls.push_back(std::move(call));
      made.kernels.push_back(report(calls_[c]));
    }
    CAMBIUM_TRY(const codegen::Backend* const backend, codegen::backend_for(made.machine));
    CAMBIUM_TRY(codegen::ObjectCode code, backend->compile_driver(driver, made.machine));
    // Kernels run one after the other and use the same memory behind the plan.
    for (Kernel& kernel : kernels_) {
      made.workspace.shared_bytes =
          std::max(made.workspace.shared_bytes, aligned(kernel.built.code.workspace.shared_bytes));
      made.workspace.worker_bytes =
          std::max(made.workspace.worker_bytes, aligned(kernel.built.code.workspace.worker_bytes));
      made.objects.push_back(std::move(kernel.built.code));
    }
    made.workspace.shared_bytes += made.plan_bytes;
    code.workspace = made.workspace;
    made.objects.push_back(std::move(code));
    return Ok{};
  }

 private:
  bool is_planned(const Operand& operand) const {
    return operand.output < 0 && !model_.node(operand.value.node).inputs.empty() &&
           output_of(model_, operand.value) < 0;
  }

  static codegen::Place weights_at(std::int64_t offset) {
    return {codegen::Place::Base::Weights, 0, offset};
  }

  codegen::Place place_of(const Operand& operand) const {
    using Base = codegen::Place::Base;
    if (operand.output >= 0) return {Base::Output, operand.output, 0};
    const Node& node = model_.node(operand.value.node);
    if (node.as<Weight>() != nullptr) return weights_at(plain_.at(operand.value));
    if (node.as<Input>() != nullptr) {
      return {Base::Input, static_cast<std::int64_t>(inputs_.at(node.id)), 0};
    }
    const std::int64_t output = output_of(model_, operand.value);
    if (output >= 0) return {Base::Output, output, 0};
    return {Base::Plan, 0, offsets_.at(operand.value)};
  }

  Status run_load_programs(CompiledModel& made) {
    CAMBIUM_TRY(Loader loader, Loader::create(kernels_, made.machine));
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      const Call& call = calls_[c];
      std::vector<std::span<const std::byte>> constants(call.operands.size());
      const Kernel& kernel = kernels_[call.kernel];
      for (const Source source : kernel.built.part.load_parameters) {
        if (source.packed) continue;
        constants[source.index] = model_.weight(call.operands[source.index].value)->bytes();
      }
      std::vector<std::byte*> packed;
      for (const std::int64_t offset : packed_[c]) packed.push_back(made.weights.data() + offset);
      CAMBIUM_REQUIRE(loader.load(kernel, constants, packed)
                          .at(fmt::format("loading {}", kernel.built.code.symbol)));
    }
    return Ok{};
  }

  KernelReport report(const Call& call) const {
    const Kernel& kernel = kernels_[call.kernel];
    KernelReport report;
    report.symbol = kernel.built.code.symbol;
    report.trace = schedule::to_text(kernel.scheduled.schedule.trace());
    report.facts = kernel.built.code.facts;
    report.is_tuned = kernel.scheduled.is_tuned;
    report.is_plain = kernel.scheduled.is_plain;
    report.fallback = kernel.scheduled.fallback;
    report.by_default = kernel.scheduled.by_default;
    for (const NodeId id : call.nodes) {
      const Node& node = model_.node(id);
      std::vector<TensorType> inputs;
      for (const Value value : node.inputs) inputs.push_back(model_.type(value));
      report.nodes.push_back(node.name);
      report.macs += macs_of(node.op, inputs, node.outputs);
    }
    return report;
  }

  const Model& model_;
  const std::vector<Call>& calls_;
  std::vector<Kernel> kernels_;
  std::map<NodeId, std::size_t> inputs_;
  std::map<Value, std::int64_t> plain_;            // weights that are read as they are
  std::vector<std::vector<std::int64_t>> packed_;  // by call
  std::map<Value, std::int64_t> offsets_;          // in the plan
};

}  // namespace

Result<CompiledModel> compile(const Model& model, const Options& options) {
  CAMBIUM_TRY(const LoweredModel lowered, lower_model(model));
  return compile(lowered, options);
}

Result<CompiledModel> compile(const LoweredModel& lowered, const Options& options) {
  const Model& model = lowered.model;
  const Calls& calls = lowered.calls;
  const std::string name = c_name(model.name());
  CAMBIUM_TRY(std::vector<Kernel> kernels, make_kernels(calls.kernels, name + "_k", options));

  CompiledModel made;
  made.name = model.name();
  made.machine = options.machine;
  made.driver = name + "_run";
  for (const NodeId id : model.inputs()) {
    made.inputs.push_back(model.node(id).outputs[0]);
    made.input_names.push_back(model.node(id).name);
  }
  for (const Output& output : model.outputs()) {
    made.outputs.push_back(model.type(output.value));
    made.output_names.push_back(output.name);
  }
  Assembly assembly(model, calls, std::move(kernels));
  CAMBIUM_REQUIRE(assembly.pack_weights(made));
  assembly.plan(made);
  made.pair_bytes = largest_live_pair(model);
  CAMBIUM_REQUIRE(assembly.link(made));
  return made;
}

std::string c_name(std::string_view model_name) {
  if (model_name.empty()) return "model";
  const std::string name = identifier(model_name, "m_");
  // Names that begin with '_' are the compiler's own.
  return name[0] == '_' ? identifier("m" + name, "") : name;
}

}  // namespace cambium::compile
