// Along which axis of each value of a model the samples of a batch lie. A graph has a fixed batch,
// written into attributes of some nodes (the dimensions of a Reshape, say); whoever runs it with
// another batch changes those along these axes. Asked by training, recognition and PyTorch source.
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
  std::int64_t batch = 1;  // of the graph: the first dimension of its first input
  // By node index: the axis of its outputs, whose dimension is `batch` times something (several
  // axes may have been merged); kNoAxis: samples are not told apart in it.
  std::vector<std::int64_t> axis;
  // Why the graph runs with its own batch only: a node that mixes samples or counts them.
  std::optional<Rejection> fixed;
};

BatchAxes batch_axes_of(const Model& model);
// Of the body of a Composite: one axis for each of its inputs, as the graph around it has them.
BatchAxes batch_axes_of(const Model& body, std::int64_t batch,
                        std::span<const std::int64_t> inputs);

// The same computation for another batch. Refuses what inference does: a constant that holds the
// batch, say.
Result<Model> with_batch(const Model& model, const BatchAxes& axes, std::int64_t batch);

}  // namespace cambium::model
