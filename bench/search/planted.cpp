#include "search/planted.h"

#include <algorithm>

#include "base/exact_log.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/structure.h"

namespace cambium::bench {

namespace coordinate = spaces::coordinate;
using study::Metric;

Result<study::Scores> planted_scores(const coordinate::CoordinateSpace& space,
                                     const spaces::Edit& edit) {
  CAMBIUM_TRY(const coordinate::EditDocument document,
              coordinate::read_edit_document(edit.document));
  const coordinate::Family* family = &space.families().front();
  for (const coordinate::Family& each : space.families()) {
    if (each.places.front().name == edit.sites.front()) family = &each;
  }
  CAMBIUM_TRY(const coordinate::Operator op, coordinate::parse(family->problem, document.op));
  CAMBIUM_TRY(const coordinate::FamilyCost cost, coordinate::cost_of(*family, op));
  const coordinate::FamilyCost original = coordinate::original_cost(*family);

  const std::vector<std::uint64_t> leaves = coordinate::leaves_of(op);
  const std::size_t outputs = coordinate::output_count(op);
  double axes = 0, mixed = 0;
  for (std::size_t axis = 1; axis < op.data.size(); ++axis) {  // behind the batch
    ++axes;
    if ((leaves[coordinate::place_of(op.data[axis])] >> outputs) != 0) ++mixed;
  }
  const double size = std::max(1e-3, cost.parameters / original.parameters);
  const double small = -exact_log(size) / exact_log(2.0);  // halved so often
  Rng luck = Rng(11).split(edit.document);
  const double accuracy =
      0.37 + 0.6 * mixed / axes - 0.08 * std::clamp(small, 0.0, 10.0) + 0.02 * luck.normal();

  study::Scores scores;
  scores.set(Metric::Accuracy, {std::clamp(accuracy, 0.1, 1.0)});
  scores.set(Metric::Macs, {cost.macs / original.macs});
  scores.set(Metric::Parameters, {size});
  // Code is not as fast as its MACs say: what shuffles data takes longer.
  const double views = static_cast<double>(op.coordinates.size() - outputs);
  scores.set(Metric::Latency,
             {cost.macs / original.macs * (0.7 + 0.06 * views) * (0.9 + 0.2 * luck.uniform())});
  return scores;
}

study::Scores planted_original() {
  study::Scores scores;
  for (const Metric metric :
       {Metric::Accuracy, Metric::Macs, Metric::Parameters, Metric::Latency}) {
    scores.set(metric, {1});
  }
  return scores;
}

search::RewardOptions planted_reward(Metric cost) {
  search::RewardOptions reward;
  reward.kind = search::RewardOptions::Kind::Ratio;
  reward.least = 0.9;
  reward.cost = cost;
  return reward;
}

}  // namespace cambium::bench
