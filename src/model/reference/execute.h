// The reference executor: the meaning of every operator and the oracle for everything that computes
// a Model some other way. Naive but exact: sums are accumulated in double and rounded once.
// It refuses inputs that do not match the model and indices out of range.
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

// One operator on concrete tensors; the importer folds constants with it.
Result<std::vector<Tensor>> execute(const Op& op, std::span<const Tensor> inputs,
                                    ThreadPool* pool = nullptr);

struct ExecuteOptions {
  ThreadPool* pool = nullptr;  // null: the calling thread alone; the result is the same
  // Called after each node with its outputs, e.g. to compare intermediate values.
  std::function<void(const Node&, std::span<const Tensor>)> observe;
};

// A whole model; one tensor per input in interface order, one per output. A tensor is freed after
// its last reader.
Result<std::vector<Tensor>> execute(const Model& model, std::span<const Tensor> inputs,
                                    const ExecuteOptions& options = {});

}  // namespace cambium::model
