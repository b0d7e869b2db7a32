// A synthetic accuracy of operators of the coordinate space, for searches that train nothing. It is
// higher for operators that mix channels, see neighbours, and have more parameters, plus a small
// pseudo-random term that depends on the operator. MACs and parameters are the true ones.
#pragma once

#include "base/result.h"
#include "search/reward.h"
#include "spaces/coordinate/search/space.h"
#include "study/scores.h"

namespace cambium::bench {

// Values relative to the original, whose values are 1. Refuses an edit of another space.
Result<study::Scores> planted_scores(const spaces::coordinate::CoordinateSpace& space,
                                     const spaces::Edit& edit);
study::Scores planted_original();
// Rewards accuracy below nine tenths of the original, and above that a low cost.
search::RewardOptions planted_reward(study::Metric cost);

}  // namespace cambium::bench
