// Paired draws: Fisher Potential of an original and of its candidates under the same random
// choices. Draw k has its own minibatch and its own seed for weights, the same for all networks.
// Weights of a candidate that start from weights of the original get the same numbers
// (train/mapped_weights.h). So two scores of one draw differ only because the networks differ. In a
// small data set, several draws share some images. The scores of the original are kept. Used by the
// evaluator `legality`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>

#include "base/result.h"
#include "model/model.h"
#include "model/weight_origin.h"
#include "train/initialize.h"
#include "train/minibatches.h"
#include "train/proxies.h"

namespace cambium::train {

// fisher_potential, or a fake in tests, which need no libtorch.
using FisherScore = std::function<Result<FisherReport>(const model::Model&, const ProxyBatch&,
                                                       const FisherOptions&)>;

struct DrawOptions {
  FisherOptions fisher;
  std::int64_t batch = 16;  // the same for all networks, because batch norms depend on it
  std::uint64_t seed = 1;   // of draw 0, for its weights; the others follow from it
  // The original's weights are kept for as many draws as fit; others are drawn again.
  std::int64_t most_bytes = std::int64_t{1} << 30;
};

class PairedDraws {
 public:
  // Draw k gets the k-th minibatch that `images` gives from now on.
  PairedDraws(model::Model original, Minibatches images, const DrawOptions& options,
              FisherScore score);

  // Refuses what scoring refuses, NoSamples if a batch has more images than the data set, and
  // NotPromising if the original has no score to compare with. The result is valid as long as this
  // object.
  Result<const FisherReport*> of_original(std::size_t draw);
  // Refuses what scoring refuses, origins that do not fit, and a score that is not finite
  // (NotPromising). `origins`: of the candidate's weights in the original.
  Result<FisherReport> of_candidate(const model::Model& candidate,
                                    std::span<const model::WeightOrigin> origins, std::size_t draw);
  const model::Model& original() const { return original_; }
  Hooks hooks() const { return options_.fisher.hooks; }

 private:
  struct Draw {
    ProxyBatch images;
    InitializeOptions weights;
    std::optional<FisherReport> report;  // of the original, once it was scored
  };
  Result<const Draw*> draw(std::size_t number);
  Status score_original(std::size_t number);
  const Beginning& beginning(std::size_t number);

  model::Model original_;
  Minibatches images_;
  DrawOptions options_;
  FisherScore score_;
  std::size_t kept_;
  std::deque<Draw> draws_;
  std::deque<Beginning> beginnings_;  // of the first draws
  Beginning other_;                   // of another draw
  std::size_t other_number_ = 0;
};

}  // namespace cambium::train
