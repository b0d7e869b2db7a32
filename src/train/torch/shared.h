// The common parts of networks that are computed one after another, made once: weights of the same
// rule, and values that the same operators compute from the same inputs. Used by Network for
// fisher_of_many.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/fingerprint.h"
#include "model/model.h"
#include "train/torch/torch.h"

namespace cambium::train {

// Values whose tensors a caller needs, with their gradients after the backward pass.
using Watched = std::map<model::Value, torch::Tensor>;
// The same for the model as it runs; one value may compute several of them.
using Wanted = std::multimap<model::Value, torch::Tensor*>;

// For any number of networks in any number of threads. Keeps every weight that it has seen.
class SharedWeights {
 public:
  torch::Tensor leaf(const model::Tensor& weight, const std::function<torch::Tensor()>& make);

 private:
  struct Leaf {
    std::once_flag once;
    torch::Tensor tensor;
  };
  std::mutex mutex_;
  std::map<Fingerprint, Leaf> leaves_;
};

// For a network and the previous one, in one thread. All get the same inputs in the same mode.
class SharedValues {
 public:
  // Names every value of a network by the way it is computed, and drops the values of the previous
  // network that this one does not have. Wanted values are named too, because recording may begin
  // there.
  void begin(const model::Model& model, const Wanted& wanted);
  // The values that the previous network computed for this node. Null: compute them and pass them
  // to `put`.
  const std::vector<torch::Tensor>* find(model::NodeId node) const;
  void put(model::NodeId node, const std::vector<torch::Tensor>& values);

 private:
  std::vector<Fingerprint> names_;  // by node index
  std::unordered_map<Fingerprint, std::vector<torch::Tensor>> values_;
};

}  // namespace cambium::train
