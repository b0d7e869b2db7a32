// Legality: whether a candidate has at least the original's Fisher Potential (docs/proxies.md),
// decided from paired draws. Draws more while the verdict is undecided. Refuses what the draws
// refuse. Used by the evaluator `legality`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/weight_origin.h"
#include "train/layer_changes.h"
#include "train/paired_draws.h"
#include "train/verdict.h"

namespace cambium::train {

enum class LegalityOf : std::uint8_t {
  Total,  // the sum over all layers, as in the paper
  // Every changed layer, by its own score. A layer counts only if the original has it and gives it
  // a score. If no layer counts, the total decides.
  Layers,
};
Result<LegalityOf> legality_kind(std::string_view name);  // "total", "layers"; refuses BadOption

struct LegalityOptions {
  LegalityOf of = LegalityOf::Total;
  VerdictOptions verdict;
};

struct Legality {
  Verdict verdict = Verdict::Undecided;
  double confidence = 0;  // in the sign of the change: of the candidate, or of its worst layer
  int draws = 0;          // in all
  Judgement total;        // of the sum over all layers
  double original = 0, candidate = 0;  // the totals, means over the draws
  std::vector<LayerChange> layers;
  double changed = 1;  // ratio of all changed layers together (layer_changes.h)

  // The total as a share of the original's, minus 1. It is above 0 exactly if the mean of the log
  // ratios is. -1 for a candidate without any score.
  double change() const;
};

// `origins`: of the candidate's weights in the original.
Result<Legality> legality_of(const model::Model& candidate,
                             std::span<const model::WeightOrigin> origins,
                             const LegalityOptions& options, PairedDraws& draws);

}  // namespace cambium::train
