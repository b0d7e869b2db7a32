// TimeLeft: how long what is planned takes, from how long jobs of its kind took. Stable for people
// to read: a single long job moves it little, and between two jobs what is told changes by no more
// than kMostChange beside the time that passes. Told by the driver.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "search/funnel.h"
#include "store/study.h"

namespace cambium::search {

class TimeLeft {
 public:
  static constexpr double kMostChange = 1.25;

  // Jobs of one stage that are still to come, as far as that is known, and how many of them run at
  // a time.
  struct Planned {
    std::string kind;
    double jobs = 0;
    int at_a_time = 1;
  };
  static std::string kind_of(const std::string& evaluator, double fidelity);

  // A job has ended, in this run or in one before. One that waits for another machine says nothing.
  void note(const store::Evaluation& evaluation);
  // Something else is planned from now on: it has no past, but jobs keep theirs.
  void restart() { told_.reset(); }
  // In seconds, at a time on any clock of seconds; 0: there is a kind of job that none was seen of.
  double at(double now, std::span<const Planned> planned);

 private:
  double planned_seconds(std::span<const Planned> planned) const;

  struct Mean {
    double seconds = 0;
    std::int64_t count = 0;
  };
  struct Told {
    double left = 0, at = 0;
    std::int64_t jobs = 0;  // that had ended by then
  };
  std::map<std::string, Mean> means_;  // by kind
  std::int64_t jobs_ = 0;
  std::optional<Told> told_;
};

}  // namespace cambium::search
