// The generator of random networks in the release of NAS-PTE (its pytorch/example.py): every block
// of ResNet-34 gets a plain convolution or one of three sequences with random numbers, the same for
// both of its convolutions. Computes how many of them are legal, with the documents of our space.
// Refuses what reading the shapes refuses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::bench {

// The choices of one sequence for a block.
struct ReleaseChoices {
  std::string sequence;  // "slabs", "peel" or "parts"
  // By document. The choices of eight parts count by part, because each part has its own groups.
  std::size_t drawn = 0, legal = 0;
};
struct ReleaseBlock {
  std::string shape;  // of its first convolution
  int count = 0;      // blocks with the same shapes
  std::vector<ReleaseChoices> choices;
  double share = 0;  // probability that the block is legal
};
struct ReleaseShare {
  std::vector<ReleaseBlock> blocks;
  double share = 0;  // of all blocks together
};
// `model`: ResNet-34 for CIFAR.
Result<ReleaseShare> release_share(const model::Model& model);

}  // namespace cambium::bench
