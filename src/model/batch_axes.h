// The axis of each value along which the samples of a batch lie. A graph has a fixed batch size,
// which also occurs in attributes of some nodes (such as the dimensions of a Reshape). Running the
// graph with another batch size changes the extents of these axes. Used by training, recognition
// and PyTorch export.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/model.h"

namespace cambium::model {

inline constexpr std::int64_t kNoAxis = -1;

struct BatchAxes {
  std::int64_t batch = 1;  // the first dimension of the graph's first input
  // By node index: the batch axis of the outputs, whose extent is a multiple of `batch` (several
  // axes may have been merged). kNoAxis: the value has no batch axis.
  std::vector<std::int64_t> axis;
  // Why the graph runs only with its own batch size: a node mixes samples or counts them.
  std::optional<Rejection> fixed;
};

BatchAxes batch_axes_of(const Model& model);
// For the body of a Composite. Takes the batch axis of each input, as the surrounding graph has it.
BatchAxes batch_axes_of(const Model& body, std::int64_t batch,
                        std::span<const std::int64_t> inputs);

// The same computation for another batch size. Refuses what inference refuses, for example a
// constant that contains the batch size.
Result<Model> with_batch(const Model& model, const BatchAxes& axes, std::int64_t batch);

}  // namespace cambium::model
