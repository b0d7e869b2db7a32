// What networks that are computed one after another have in common, made once: weights of the same
// rule, and values that the same operators make of the same inputs. Used by Network for
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

// Values whose tensors a caller wants to see, with their gradients after the backward pass.
using Watched = std::map<model::Value, torch::Tensor>;
// The same as they run; several may be computed by one.
using Wanted = std::multimap<model::Value, torch::Tensor*>;

// Of networks of any number, in any number of threads; keeps every weight that it has seen.
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

// Of a network and the one before it, in one thread. All get the same inputs in the same mode.
class SharedValues {
 public:
  // Names every value of a network by how it is computed, and lets go of what the network before
  // had and this one has not. What is wanted is named too: there recording may begin.
  void begin(const model::Model& model, const Wanted& wanted);
  // What the network before computed for this node; null: it has to be computed, and given to
  // `put`.
  const std::vector<torch::Tensor>* find(model::NodeId node) const;
  void put(model::NodeId node, const std::vector<torch::Tensor>& values);

 private:
  std::vector<Fingerprint> names_;  // by node index
  std::unordered_map<Fingerprint, std::vector<torch::Tensor>> values_;
};

}  // namespace cambium::train
