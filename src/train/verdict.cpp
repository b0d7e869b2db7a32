#include "train/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/student.h"

namespace cambium::train {
namespace {

// A network that computes the same as another one in another order has its score up to a few parts
// in 10,000,000 (tests/train/equal_beginnings_test.cpp).
constexpr double kRounding = 1e-4;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Verdict verdict_of(double low, double high) {
  if (low >= 0) return Verdict::Legal;
  return high < 0 ? Verdict::Illegal : Verdict::Undecided;
}

// The standard error of the mean.
double error_of(std::span<const double> values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count);
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Illegal: return "illegal";
    case Verdict::Undecided: return "undecided";
    case Verdict::Legal: break;
  }
  return "legal";
}

std::vector<int> looks(const VerdictOptions& options) {
  std::vector<int> all = {std::min(options.draws, options.most_draws)};
  while (all.back() < options.most_draws) {
    all.push_back(all.back() > options.most_draws / 2 ? options.most_draws : 2 * all.back());
  }
  return all;
}

double log_ratio(double candidate, double original) {
  CAMBIUM_CHECK(original > 0 && candidate >= 0, "scores that can be compared");
  const double log = std::log(candidate / original);
  return std::fabs(log) <= kRounding ? 0 : log;
}

Judgement judged(std::span<const double> log_ratios, const VerdictOptions& options) {
  CAMBIUM_CHECK(!log_ratios.empty(), "a verdict needs a draw");
  Judgement out;
  const auto count = static_cast<double>(log_ratios.size());
  for (const double each : log_ratios) out.mean += each / count;
  const auto is_tie = [](double each) { return each == 0; };
  if (out.mean == -kInfinite || std::all_of(log_ratios.begin(), log_ratios.end(), is_tie)) {
    out.low = out.high = out.mean;
    out.verdict = verdict_of(out.low, out.high);
    out.confidence = 1;
    return out;
  }
  if (log_ratios.size() == 1) {
    if (options.most_draws == 1) out.verdict = verdict_of(out.mean, out.mean);
    out.low = -kInfinite;
    out.high = kInfinite;
    return out;
  }
  // A wrong verdict needs one look at which the bound on its side is wrong, so each look may be
  // wrong with an equal share of the probability.
  const auto chances = static_cast<double>(looks(options).size());
  const int freedom = static_cast<int>(log_ratios.size()) - 1;
  out.error = error_of(log_ratios, out.mean);
  const double reach =
      out.error * student_quantile(1 - (1 - options.confidence) / chances, freedom);
  out.low = out.mean - reach;
  out.high = out.mean + reach;
  out.verdict = verdict_of(out.low, out.high);
  const double t = std::fabs(out.mean) / out.error;  // infinite if all draws are equal
  out.confidence = std::max(0.0, 1 - chances * (1 - student_cdf(t, freedom)));
  return out;
}

}  // namespace cambium::train
