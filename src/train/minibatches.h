// Minibatches for measures without training: images of the training split of a data set in an order
// that the seed gives. Refuses what the data set refuses. Called by benchmarks and by workers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/dataset.h"
#include "train/proxies.h"

namespace cambium::train {

class Minibatches {
 public:
  // Without a data set: standard normal images of the size of CIFAR. They serve to measure times
  // only.
  static Result<Minibatches> open(const std::string& spec, std::uint64_t seed);
  static Result<Minibatches> of(const data::Dataset& dataset, std::uint64_t seed);

  // The next images, each of which is taken once. Refuses NoSamples when too few are left.
  Result<ProxyBatch> take(std::int64_t count);
  // The same, but when too few are left, all images come again in another order. Refuses NoSamples
  // only if the split has fewer.
  Result<ProxyBatch> take_again(std::int64_t count);

 private:
  struct Images;
  std::shared_ptr<const Images> images_;
  std::vector<std::uint32_t> order_;  // of the images
  std::uint64_t seed_ = 1;
  std::int64_t epoch_ = 0, taken_ = 0;
};

}  // namespace cambium::train
