// Executor: something that computes a model. The reference executor says what is right; native code
// is fast. What runs a model takes one of them and does not know which.
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

  // Workers run side by side, each with a number of its own below what the executor was made for.
  // The pool is for what one run does at once.
  virtual Result<std::vector<model::Tensor>> run(std::span<const model::Tensor> inputs, int worker,
                                                 ThreadPool& pool) = 0;
  virtual std::string name() const = 0;  // "reference", "native host"
};

// Keeps a reference to the model.
std::unique_ptr<Executor> reference_executor(const model::Model& model);
// Compiles. Refuses Unavailable for a machine whose code does not run here.
Result<std::unique_ptr<Executor>> native_executor(const model::Model& model,
                                                  const NativeOptions& options, int workers);
// Native code if options are given.
Result<std::unique_ptr<Executor>> make_executor(const model::Model& model,
                                                const std::optional<NativeOptions>& native,
                                                int workers);

// How far outputs are from those that are right.
struct OutputError {
  double largest = 0;   // relative to the largest right value of the same output
  std::string output;   // where
  std::int64_t at = 0;  // which element
  double value = 0, expected = 0;

  void include(const OutputError& other);
};
// What the sums of a deep network may lose in f32; outputs beyond it are wrong.
inline constexpr double kErrorTolerance = 1e-3;

OutputError compare_outputs(const model::Model& model, std::span<const model::Tensor> outputs,
                            std::span<const model::Tensor> expected);
// Refuses WrongResult.
Status check_error(const OutputError& error);

}  // namespace cambium::engine
