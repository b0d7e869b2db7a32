#include "engine/executor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "model/reference/execute.h"

namespace cambium::engine {

namespace {

using model::Model;
using model::Tensor;

class Reference final : public Executor {
 public:
  explicit Reference(const Model& model) : model_(model) {}

  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, int, ThreadPool& pool) override {
    return execute(model_, inputs, {&pool, {}});
  }
  std::string name() const override { return "reference"; }

 private:
  const Model& model_;
};

// One copy of the model per worker: a NativeModel has one workspace.
class Native final : public Executor {
 public:
  explicit Native(std::vector<compile::NativeModel> models) : models_(std::move(models)) {}

  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs, int worker,
                                  ThreadPool& pool) override {
    return models_[static_cast<std::size_t>(worker)].run(inputs, pool);
  }
  std::string name() const override { return "native " + models_[0].compiled().machine.name; }

 private:
  std::vector<compile::NativeModel> models_;
};

// A NaN is right where a NaN is expected, and infinitely wrong elsewhere.
double difference(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? 0 : HUGE_VAL;
  return a == b ? 0 : std::abs(a - b);
}

}  // namespace

std::unique_ptr<Executor> reference_executor(const Model& model) {
  return std::make_unique<Reference>(model);
}

Result<std::unique_ptr<Executor>> native_executor(const Model& model, const NativeOptions& options,
                                                  int workers) {
  CAMBIUM_TRY(const Machine machine, machine_named(options.machine));
  if (!machine.runs_here()) {
    return Rejection(Reason::ForeignMachine, machine.name, host_machine().model);
  }
  CAMBIUM_TRY(compile::CompiledModel compiled, compile_model(model, options));
  std::vector<compile::NativeModel> models;
  for (int i = 0; i < workers; ++i) {
    CAMBIUM_TRY(compile::NativeModel loaded, compile::NativeModel::load(compiled));
    models.push_back(std::move(loaded));
  }
  return std::unique_ptr<Executor>(std::make_unique<Native>(std::move(models)));
}

Result<std::unique_ptr<Executor>> make_executor(const Model& model,
                                                const std::optional<NativeOptions>& native,
                                                int workers) {
  if (native) return native_executor(model, *native, workers);
  return reference_executor(model);
}

void OutputError::include(const OutputError& other) {
  if (output.empty() || other.largest > largest) *this = other;
}

OutputError compare_outputs(const Model& model, std::span<const Tensor> outputs,
                            std::span<const Tensor> expected) {
  OutputError worst;
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const std::vector<double> wanted = expected[o].to_doubles(), got = outputs[o].to_doubles();
    OutputError error;
    error.output = model.outputs()[o].name;
    double scale = 0;
    for (const double value : wanted) {
      if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double relative = difference(got[i], wanted[i]) / (scale > 0 ? scale : 1);
      if (i > 0 && relative <= error.largest) continue;
      error.largest = relative;
      error.at = static_cast<std::int64_t>(i);
      error.value = got[i];
      error.expected = wanted[i];
    }
    worst.include(error);
  }
  return worst;
}

Status check_error(const OutputError& error) {
  if (error.largest <= kErrorTolerance) return Ok{};
  return Rejection(
      Reason::WrongResult, error.output,
      fmt::format("{:.6g}, the reference executor says {:.6g}", error.value, error.expected),
      error.at);
}

}  // namespace cambium::engine
