// Rules that end a training early when its curve shows that it will not be good, and what they
// would have done to curves that are known to the end. Pure; the trainer asks after every epoch,
// and a search shares one rule among its candidates.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cambium::train {

// Validation accuracy (or any score where more is better) after epoch 1, 2, ...
using Curve = std::vector<double>;

class StoppingRule {
 public:
  virtual ~StoppingRule() = default;
  virtual std::string text() const = 0;
  // Whether a training with this curve so far goes on. The reason if it does not.
  virtual std::optional<std::string> stops(const Curve& so_far, std::int64_t epochs) const = 0;
  // Takes in a curve, finished or stopped, so that later ones are compared with it.
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

// Successive halving, asynchronous: at epochs first, first * eta, first * eta^2, ... a curve goes
// on if it is among the best 1/eta of those that got there (itself included).
std::unique_ptr<StoppingRule> halving_rule(std::int64_t first, double eta);

// A share of what the first curve that it was taught had after the same epoch. A search teaches it
// the original's, so that what it does to a candidate depends on no other candidate.
std::unique_ptr<StoppingRule> original_rule(double share);

// "none", "curve:0.5", "milestones:1=0.3,5=0.6", "halving:1,3", "below-original:0.6". Refuses
// BadOption.
Result<std::unique_ptr<StoppingRule>> stopping_rule_of(std::string_view text);

// What a rule does to fully known curves, in this order: the epochs that it saves, and the good
// ones (within `tolerance` of the best final score) that it would have thrown away.
struct StoppingStudy {
  std::int64_t curves = 0, stopped = 0;
  std::int64_t epochs = 0, saved = 0;
  std::int64_t good = 0, good_lost = 0;
  double best_lost = 0;  // best final score over all minus best that survived
};
StoppingStudy study(StoppingRule& rule, const std::vector<Curve>& curves, double tolerance);

}  // namespace cambium::train
