// An accuracy planted over the operators of the coordinate space, for searches that train nothing:
// higher for what mixes channels and sees neighbours, and the more parameters there are, with a
// little that depends on the operator as if by chance. MACs and parameters are the true ones.
#pragma once

#include "base/result.h"
#include "search/metric.h"
#include "search/reward.h"
#include "spaces/coordinate/search/space.h"

namespace cambium::bench {

// Of what the original has, which is 1 in everything. Refuses an edit that is none of the space.
Result<search::Scores> planted_scores(const spaces::coordinate::CoordinateSpace& space,
                                      const spaces::Edit& edit);
search::Scores planted_original();
// Accuracy until nine tenths are kept, then less of this cost.
search::RewardOptions planted_reward(search::Metric cost);

}  // namespace cambium::bench
