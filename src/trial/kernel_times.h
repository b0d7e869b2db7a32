// The table of kernel times: the time of one call of each distinct lowered program on this machine.
// A program is timed once for each number of threads and of tuning trials. Its time is kept in
// memory and in the tuning database. Refuses what tuning refuses, and NoSchedule for a program that
// no schedule could run. Used by the evaluator `kernel-sum`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/fingerprint.h"
#include "base/machine.h"
#include "base/result.h"
#include "store/tuning_store.h"
#include "trial/tasks.h"

namespace cambium::trial {

struct KernelTime {
  double seconds = 0, spread = 0;  // the spread is relative
};

class KernelTimes {
 public:
  struct Setting {
    std::int64_t trials = 0;  // of tuning per program; 0: the default schedule
    int jobs = 1;             // for compiling
    std::string db;           // empty: nothing is kept beyond this object
    std::string machine_file;
    std::string runner;  // empty: the one in the folder of this program
    std::uint64_t seed = 1;
  };
  // What the table leaves to its maker (engine/search/kernel_sum_evaluator.h).
  struct Ports {
    // This machine with its ceilings, from this file or for it.
    std::function<Result<Machine>(const std::string& machine_file)> probe;
    // Tunes the tasks, each with all trials of the setting, into its database.
    std::function<Status(const std::vector<TuningTask>&, const Machine&, const Setting&)> tune;
  };
  explicit KernelTimes(Ports ports) : ports_(std::move(ports)) {}

  // The times of these tasks, in order. Programs that the table lacks are timed first.
  Result<std::vector<KernelTime>> of(const std::vector<TuningTask>& tasks, const Setting& setting);
  // The number of programs that this object has timed itself, rather than found in the database.
  std::int64_t timed() const { return timed_; }
  // This machine, with its ceilings if the setting has a file for them.
  Result<const Machine*> machine(const Setting& setting);

 private:
  // The database, the program, and how it is timed.
  using Key = std::tuple<std::string, Fingerprint, int, std::int64_t>;

  Status fill(const std::vector<const TuningTask*>& missing, const Setting& setting);
  // Takes times from the database. Returns the tasks that it does not know.
  Result<std::vector<const TuningTask*>> look_up(const std::vector<const TuningTask*>& tasks,
                                                 const Setting& setting, const std::string& db,
                                                 const Machine& machine, bool is_tuned);

  Ports ports_;
  std::map<Key, Result<KernelTime>> table_;
  std::map<std::string, Machine> machines_;  // by file
  std::int64_t timed_ = 0;
};

}  // namespace cambium::trial
