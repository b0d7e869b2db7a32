// Verdict: whether a candidate has at least the original's Fisher Potential, decided from paired
// draws (docs/proxies.md). Pure functions of numbers. Used by the evaluator `legality`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cambium::train {

enum class Verdict : std::int8_t { Illegal = -1, Undecided = 0, Legal = 1 };
std::string_view name_of(Verdict verdict);  // "legal"

struct VerdictOptions {
  int draws = 4;        // before the first verdict
  int most_draws = 32;  // while it is undecided; `draws` at least
  // A verdict is wrong with a probability of at most 1 - confidence, all looks together.
  double confidence = 0.95;
};

// The numbers of draws at which a verdict is sought: `draws`, then twice as many each time, and
// `most_draws` in the end.
std::vector<int> looks(const VerdictOptions& options);

// log(candidate / original) of two scores of one draw. Scores that differ by no more than rounding
// give exactly 0; a candidate's score of 0 gives minus infinity. The original's is above 0, and the
// candidate's is not negative.
double log_ratio(double candidate, double original);

struct Judgement {
  Verdict verdict = Verdict::Undecided;
  double mean = 0;   // of the log ratios
  double error = 0;  // the standard error of the mean; 0 for one draw
  // Each end bounds the true mean with the confidence that a verdict needs at one look. Infinite
  // for one draw.
  double low = 0, high = 0;
  // The confidence that the true mean has the sign of this mean, for all looks together; 0 for one
  // draw.
  double confidence = 0;
};

// Judges the log ratios of all draws so far. Legal: the true mean is at least 0 with the confidence
// asked for, by Student's t distribution. Illegal: it is below 0. If all draws are 0, the candidate
// is legal. If a single draw is all that the options allow, its sign decides, as in the paper. A
// draw of minus infinity makes the candidate illegal.
Judgement judged(std::span<const double> log_ratios, const VerdictOptions& options);

}  // namespace cambium::train
