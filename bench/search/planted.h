// An accuracy planted over the operators of the coordinate space, for searches that train nothing:
// higher for what mixes channels and sees neighbours, and the more parameters there are, with a
// little that depends on the operator as if by chance. MACs and parameters are the true ones.
#pragma once

#include "base/result.h"
#include "search/reward.h"
#include "spaces/coordinate/search/space.h"
#include "study/scores.h"

namespace cambium::bench {

// Of what the original has, which is 1 in everything. Refuses an edit that is none of the space.
Result<study::Scores> planted_scores(const spaces::coordinate::CoordinateSpace& space,
                                     const spaces::Edit& edit);
study::Scores planted_original();
// Accuracy until nine tenths are kept, then less of this cost.
search::RewardOptions planted_reward(study::Metric cost);

}  // namespace cambium::bench
