// Minibatches for measures without training: images of the training split of a data set in the
// order of a seed, each taken once. Refuses what the data set refuses. Called by benchmarks and by
// workers.
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
  // Without a data set: standard normal images of CIFAR's size, which tell times and nothing else.
  static Result<Minibatches> open(const std::string& spec, std::uint64_t seed);
  static Result<Minibatches> of(const data::Dataset& dataset, std::uint64_t seed);

  // The next images. Refuses NoSamples after the last.
  Result<ProxyBatch> take(std::int64_t count);

 private:
  struct Images;
  std::shared_ptr<const Images> images_;
  std::uint64_t seed_ = 1;
  std::int64_t taken_ = 0;
};

}  // namespace cambium::train
