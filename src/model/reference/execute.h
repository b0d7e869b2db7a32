// The reference executor: it defines the meaning of every operator and is the oracle for all other
// ways to compute a Model. It is naive but exact: sums are accumulated in double and rounded once.
// It refuses inputs that do not match the model, and indices out of range.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium {
class ThreadPool;
}

namespace cambium::model {

// Runs one operator on concrete tensors. The importer folds constants with it.
Result<std::vector<Tensor>> execute(const Op& op, std::span<const Tensor> inputs,
                                    ThreadPool* pool = nullptr);

struct ExecuteOptions {
  ThreadPool* pool = nullptr;  // null: only the calling thread; the result is the same
  // Called after each node with its outputs, for example to compare intermediate values.
  std::function<void(const Node&, std::span<const Tensor>)> observe;
};

// Runs a whole model: takes one tensor per input in interface order, returns one per output. A
// tensor is freed after its last reader.
Result<std::vector<Tensor>> execute(const Model& model, std::span<const Tensor> inputs,
                                    const ExecuteOptions& options = {});

}  // namespace cambium::model
