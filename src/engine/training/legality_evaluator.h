// The evaluator `legality`: reads the options of a job, keeps the paired draws of the original for
// the next job, and returns the verdict as values. docs/proxies.md explains them. Refuses BadJob,
// BadOption, and what reading the images and scoring refuse. Made by training_evaluators().
#pragma once

#include <memory>

#include "engine/search/evaluator.h"
#include "engine/training/datasets.h"
#include "train/paired_draws.h"

namespace cambium::engine {

// Options: of (total, layers), hooks, draws (before the first verdict), most_draws, batch,
// confidence (percent), weights (mapped: where the candidate's weights start from the original's,
// both have the same numbers; fresh: each network draws its own). Values:
//   legal          1 legal, -1 illegal, 0 undecided
//   confidence     in that sign, or in the side on which the mean lies
//   fisher_change  the total as a share of the original's, less 1
//   changed_layers_change   the same of all changed layers together, if they have a score
//   fisher_total, draws, changed_layers, sensitive_layers
// and the artifact kFisherLayers.
Evaluator legality_evaluator(std::shared_ptr<Datasets> datasets, train::FisherScore score);

}  // namespace cambium::engine
