// Layer changes: compares the layers of a candidate with those of the original, by their shares of
// Fisher Potential. Says which layers changed, and whether a layer is sensitive: it is the only
// changed layer, and its own score fell. Used by the evaluator `legality`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"
#include "train/proxies.h"

namespace cambium::train {

// A layer of the original and the layer of the candidate in its place, as positions in the lists of
// their scores. One of the two may be missing. An operator that replaces a whole block is paired
// with several layers.
struct LayerPair {
  std::string name;  // of the layer in the original; of that in the candidate if it has no other
  std::vector<std::size_t> original, candidate;
  bool is_changed = false;
};

// Pairs layers by the names of their operators: what stands in the place of `conv1` is called
// `conv1.SPACE` or, if it is several operators, `conv1.a`, `conv1.b`. A layer has changed if it is
// another operator, or if its weights or results have other sizes. The end of a block (hooks
// BlockOutputs) has changed if any node of the block has. In the order of the original; layers that
// only the candidate has come last.
std::vector<LayerPair> paired_layers(const model::Model& original,
                                     std::span<const LayerScore> of_original,
                                     const model::Model& candidate,
                                     std::span<const LayerScore> of_candidate, Hooks hooks);

struct LayerChange {
  std::string name;
  double original = 0, candidate = 0;  // means over the draws
  // The log ratio of each draw (verdict.h). Empty if the original's score is 0 in some draw, or if
  // the original has no such layer, so there is nothing to compare with.
  std::vector<double> log_ratios;
  // exp of their mean; exactly 1 within rounding. Not a number if there are none.
  double ratio = 1;
  bool is_changed = false, is_sensitive = false;
};

// One row for each pair. Draw k of both networks had the same images and the same seed.
std::vector<LayerChange> layer_changes(const std::vector<LayerPair>& pairs,
                                       std::span<const FisherReport> original,
                                       std::span<const FisherReport> candidate);

// The ratio of all changed layers together, of the sums of their scores. 1 if none has changed.
double ratio_of_changed(const std::vector<LayerPair>& pairs, std::span<const FisherReport> original,
                        std::span<const FisherReport> candidate);

}  // namespace cambium::train
