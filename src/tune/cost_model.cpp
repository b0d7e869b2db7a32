#include "tune/cost_model.h"

#include <cmath>

#include "tune/ranking.h"

namespace cambium::tune {
namespace {

class DraftOnly : public CostModel {
 public:
  std::vector<double> score(std::span<const Features>,
                            std::span<const double> drafts) const override {
    std::vector<double> scores;
    scores.reserve(drafts.size());
    for (double seconds : drafts) scores.push_back(std::log(seconds));
    return scores;
  }
  Result<ModelQuality> train(std::span<const Example> examples, std::uint64_t) override {
    std::vector<double> scores;
    scores.reserve(examples.size());
    for (const Example& e : examples) scores.push_back(std::log(e.draft_seconds));
    return quality_of(examples, scores);
  }
};

}  // namespace

std::unique_ptr<CostModel> draft_only_model() {
  return std::make_unique<DraftOnly>();
}

}  // namespace cambium::tune
