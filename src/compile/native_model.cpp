#include <fmt/format.h>

#include "compile/compile.h"
#include "compile/parallel.h"

namespace cambium::compile {
namespace {

using RunFunction = int (*)(const void* const* inputs, void* const* outputs, const void* weights,
                            void* workspace, const cambium_parallel* parallel);

}  // namespace

struct NativeModel::State {
  CompiledModel compiled;
  std::unique_ptr<codegen::LoadedCode> code;
  RunFunction run;
  AlignedBytes workspace;
};

NativeModel::NativeModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
NativeModel::NativeModel(NativeModel&&) noexcept = default;
NativeModel& NativeModel::operator=(NativeModel&&) noexcept = default;
NativeModel::~NativeModel() = default;

Result<NativeModel> NativeModel::load(CompiledModel model) {
  if (!model.machine.runs_here()) {
    return Rejection(Reason::Unavailable, "code for " + model.machine.name,
                     "this machine cannot execute it");
  }
  CAMBIUM_TRY(const codegen::Backend* const backend, codegen::backend_for(model.machine));
  CAMBIUM_TRY(std::unique_ptr<codegen::LoadedCode> code, backend->load(model.objects));
  CAMBIUM_TRY(void* const run, code->find(model.driver));
  return NativeModel(std::unique_ptr<State>(
      new State{std::move(model), std::move(code), reinterpret_cast<RunFunction>(run), {}}));
}

const CompiledModel& NativeModel::compiled() const {
  return state_->compiled;
}

Result<std::vector<model::Tensor>> NativeModel::run(std::span<const model::Tensor> inputs,
                                                    ThreadPool& pool) {
  const CompiledModel& compiled = state_->compiled;
  const auto wanted = static_cast<std::int64_t>(compiled.inputs.size());
  if (inputs.size() != compiled.inputs.size()) {
    return Rejection(Reason::WrongInputCount, static_cast<std::int64_t>(inputs.size()), wanted,
                     wanted);
  }
  std::vector<const void*> in;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type() != compiled.inputs[i]) {
      return Rejection(
          Reason::ShapeMismatch, fmt::format("input '{}'", compiled.input_names[i]),
          fmt::format("is {}, expected {}", inputs[i].type().text(), compiled.inputs[i].text()));
    }
    in.push_back(inputs[i].bytes().data());
  }
  std::vector<std::vector<std::byte>> results;
  std::vector<void*> out;
  for (const model::TensorType& type : compiled.outputs) {
    results.emplace_back(static_cast<std::size_t>(type.bytes()));
    out.push_back(results.back().data());
  }
  const auto bytes = static_cast<std::size_t>(compiled.workspace.bytes(pool.threads()));
  if (state_->workspace.size() < bytes) state_->workspace.resize(bytes);
  const cambium_parallel parallel = parallel_over(pool);
  const int status =
      state_->run(in.data(), out.data(), compiled.weights.data(), state_->workspace.data(),
                  pool.threads() > 1 ? &parallel : nullptr);
  CAMBIUM_CHECK(status == 0, "a driver that fails");
  std::vector<model::Tensor> tensors;
  for (std::size_t i = 0; i < results.size(); ++i) {
    tensors.emplace_back(compiled.outputs[i], std::move(results[i]));
  }
  return tensors;
}

}  // namespace cambium::compile
