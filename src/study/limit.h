// Limits: bounds on metrics that a user sets, in absolute numbers or relative to the original, and
// whether a candidate is within them. Refuses BadOption for a limit that cannot be read. Used by
// the search and by whatever picks the best candidate of a study.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/scores.h"

namespace cambium::study {

// The largest value that is allowed; for accuracy the smallest.
struct Limit {
  Metric metric = Metric::Macs;
  double bound = 0;  // in the metric's own unit: seconds, a share of 1, a count

  bool holds(double value) const {
    return more_is_better(metric) ? value >= bound : value <= bound;
  }
};

// `text` as on a command line: `0.5x` of the original, `3ms`, `2e9`, `1.5 G`, `64MiB`, `92%`.
// Refuses text that cannot be read, and a share of a metric that the original lacks.
Result<Limit> limit_of(Metric metric, std::string_view text, const Scores& original);
// `--max-accuracy-drop 1%`: accuracy at least the original's minus one percentage point.
Result<Limit> accuracy_drop(std::string_view text, const Scores& original);

// A bound as the user wrote it. Relative bounds refer to the original under the same evaluations.
struct LimitText {
  Metric metric = Metric::Macs;
  std::string text;      // "0.5x", "3ms", "2e9"
  bool is_drop = false;  // of accuracy: "1%" below the original

  bool is_relative() const;
};

// In words: "latency at most 0.5x the original's".
std::string text_of(const LimitText& limit);

// The limits against this original. `is_exploring` leaves out the limits that apply only in the
// finals: those on accuracy, and absolute limits on latency. A relative limit whose reference is
// unknown excludes nobody while exploring, and is held by nobody afterwards.
Result<std::vector<Limit>> limits_of(const std::vector<LimitText>& texts, const Scores& original,
                                     bool is_exploring);
bool hold(const std::vector<Limit>& limits, const Scores& scores);

}  // namespace cambium::study
