// WeightOrigin: which elements of an older model a weight of an edited model starts from. Spaces
// tell origins (spaces/space.h); drawing weights follows them (train/mapped_weights.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cambium::model {

// A weight of an edited model that starts from a weight of the model before the edit.
struct WeightOrigin {
  std::string weight;  // name of the node in the edited model
  std::string from;    // name of the node in the model before
  // For each element of `weight`, the number of the element of `from` that it starts from, or -1.
  std::vector<std::int64_t> elements;

  friend bool operator==(const WeightOrigin&, const WeightOrigin&) = default;
};

}  // namespace cambium::model
