// A bench that times every schedule once. So if two compared searches find the same schedule, they
// get the same time, and a continued run times nothing again. Times are kept in a file, by commit.
// Called by search.cpp.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tune/task.h"

namespace cambium::bench {

class KnownTimes : public tune::Bench {
 public:
  // Reads what the file has; a line that was cut off by a crash is left out.
  KnownTimes(tune::Bench& real, std::string path);

  Result<std::unique_ptr<tune::Built>> build(const tune::Task& task,
                                             const schedule::Trace& trace) override;
  Result<Measurement> time(const tune::Task& task, const tune::Built& built) override;
  // The known time of each candidate.
  std::vector<Result<Measurement>> compare(const tune::Task& task,
                                           const std::vector<const tune::Built*>& built) override;
  double now() override { return real_.now(); }

 private:
  struct Known;
  // Of a schedule that was refused: TriedBefore.
  std::optional<Result<Measurement>> find(const std::string& key);
  void add(const std::string& key, const Result<Measurement>& time);

  tune::Bench& real_;
  std::string path_;
  std::mutex mutex_;
  std::map<std::string, std::optional<Measurement>> times_;  // nothing: it was refused
};

}  // namespace cambium::bench
