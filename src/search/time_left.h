// TimeLeft: estimates how long the planned jobs take, from the durations of earlier jobs of the
// same kind. The estimate is smooth: apart from elapsed time, it changes by at most a factor of
// kMostChange from one job to the next. Refuses nothing. Used by the driver.
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

  // The expected number of jobs of one kind, and how many of them run at a time.
  struct Planned {
    std::string kind;
    double jobs = 0;
    int at_a_time = 1;
  };
  static std::string kind_of(const std::string& evaluator, double fidelity);

  // A job has ended, in this or an earlier run. A pending evaluation says nothing.
  void note(const store::Evaluation& evaluation);
  // Plans another phase. Durations of jobs are kept.
  void restart() { told_.reset(); }
  // Seconds left at the time `now` of any clock; 0: no job of some kind has ended yet.
  double at(double now, std::span<const Planned> planned);

 private:
  double planned_seconds(std::span<const Planned> planned) const;

  struct Mean {
    double seconds = 0;
    std::int64_t count = 0;
  };
  struct Told {
    double left = 0, at = 0;
    std::int64_t jobs = 0;  // that had ended
  };
  std::map<std::string, Mean> means_;  // by kind
  std::int64_t jobs_ = 0;
  std::optional<Told> told_;
};

}  // namespace cambium::search
