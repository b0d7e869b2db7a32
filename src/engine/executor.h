// An executor computes a model. The reference executor defines the correct result; native code is
// fast. Code that runs a model takes an executor and does not know which one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "engine/native.h"
#include "model/model.h"

namespace cambium::engine {

class Executor {
 public:
  virtual ~Executor() = default;

  // Several workers may run at once. Each passes its own number, below the `workers` that the
  // executor was made for. The pool serves the parallel loops of one run.
  virtual Result<std::vector<model::Tensor>> run(std::span<const model::Tensor> inputs, int worker,
                                                 ThreadPool& pool) = 0;
  virtual std::string name() const = 0;  // "reference", "native host"
};

// The model must outlive the executor.
std::unique_ptr<Executor> reference_executor(const model::Model& model);
// Compiles the model. Refuses ForeignMachine if code for the machine does not run here.
Result<std::unique_ptr<Executor>> native_executor(const model::Model& model,
                                                  const NativeOptions& options, int workers);
// A native executor if options are given, otherwise the reference executor.
Result<std::unique_ptr<Executor>> make_executor(const model::Model& model,
                                                const std::optional<NativeOptions>& native,
                                                int workers);

// How far outputs are from the correct ones.
struct OutputError {
  double largest = 0;   // relative to the largest correct value of the same output
  std::string output;   // name of that output
  std::int64_t at = 0;  // index of that element
  double value = 0, expected = 0;

  void include(const OutputError& other);
};
// The rounding error that the sums of a deep network may have in f32. A larger error is a wrong
// result.
inline constexpr double kErrorTolerance = 1e-3;

OutputError compare_outputs(const model::Model& model, std::span<const model::Tensor> outputs,
                            std::span<const model::Tensor> expected);
// Refuses WrongResult.
Status check_error(const OutputError& error);

}  // namespace cambium::engine
