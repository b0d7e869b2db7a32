// Rules that end a training early if its curve is not promising, and replays of these rules on
// complete curves. Pure; the trainer asks after every epoch, and a search shares one rule among its
// candidates.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cambium::train {

// Validation accuracy (or any score of which more is better) after epoch 1, 2, ...
using Curve = std::vector<double>;

class StoppingRule {
 public:
  virtual ~StoppingRule() = default;
  virtual std::string text() const = 0;
  // Nothing if a training with this curve so far continues; otherwise the reason why it stops.
  virtual std::optional<std::string> stops(const Curve& so_far, std::int64_t epochs) const = 0;
  // Learns a curve, finished or stopped, with which later ones are compared.
  virtual void learn(const Curve& curve, bool finished) = 0;
};

// Canvas: accuracy(e) >= lambda(e) * best(e), where best(e) is the best accuracy that any curve had
// after epoch e and lambda rises linearly from theta, after the first epoch, to 1, after the last.
std::unique_ptr<StoppingRule> curve_rule(double theta);

// Syno: a minimal accuracy after given epochs.
struct Milestone {
  std::int64_t epoch = 1;
  double accuracy = 0;
};
std::unique_ptr<StoppingRule> milestone_rule(std::vector<Milestone> milestones);

// Asynchronous successive halving: at epochs first, first * eta, first * eta^2, ... a curve
// continues if it is among the best 1/eta of those that got there (itself included).
std::unique_ptr<StoppingRule> halving_rule(std::int64_t first, double eta);

// A share of the first learned curve's value after the same epoch. A search lets it learn the
// original's curve, so the decision about a candidate depends on no other candidate.
std::unique_ptr<StoppingRule> original_rule(double share);

// "none", "curve:0.5", "milestones:1=0.3,5=0.6", "halving:1,3", "below-original:0.6". Refuses
// BadOption.
Result<std::unique_ptr<StoppingRule>> stopping_rule_of(std::string_view text);

// What a rule does to complete curves, in this order: how many epochs it saves, and how many good
// curves (within `tolerance` of the best final score) it would have stopped.
struct StoppingStudy {
  std::int64_t curves = 0, stopped = 0;
  std::int64_t epochs = 0, saved = 0;
  std::int64_t good = 0, good_lost = 0;
  double best_lost = 0;  // best final score of all minus the best that was not stopped
};
StoppingStudy study(StoppingRule& rule, const std::vector<Curve>& curves, double tolerance);

}  // namespace cambium::train
