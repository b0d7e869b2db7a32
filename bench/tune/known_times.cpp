#include "tune/known_times.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/log.h"
#include "commit.h"

namespace cambium::bench {

struct KnownTimes::Known : tune::Built {
  std::string key;
  std::unique_ptr<tune::Built> code;  // nothing: its time is known
};

KnownTimes::KnownTimes(tune::Bench& real, std::string path) : real_(real), path_(std::move(path)) {
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    if (!row.is_object() || row.value("commit", "") != commit()) continue;
    std::optional<Measurement> time;
    if (row.contains("seconds")) {
      time.emplace();
      time->value = row["seconds"];
      time->spread = row["spread"];
      time->samples = row["samples"];
    }
    times_.emplace(row.value("key", ""), time);
  }
}

std::optional<Result<Measurement>> KnownTimes::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = times_.find(key);
  if (found == times_.end()) return std::nullopt;
  if (!found->second) return Result<Measurement>(Rejection(Reason::TriedBefore));
  return Result<Measurement>(*found->second);
}

void KnownTimes::add(const std::string& key, const Result<Measurement>& time) {
  if (!time.ok() && tune::is_fault_of_bench(time.rejection().reason())) return;
  const std::lock_guard lock(mutex_);
  times_.emplace(key, time.ok() ? std::optional(*time) : std::nullopt);
  nlohmann::json row = {{"key", key}, {"commit", std::string(commit())}};
  if (time.ok()) {
    row.update({{"seconds", time->value}, {"spread", time->spread}, {"samples", time->samples}});
  } else {
    row["refused"] = time.rejection().message();
  }
  std::ofstream file(path_, std::ios::app);
  file << '\n' << json_text(row) << std::flush;  // a line that was cut off takes no other along
  if (!file) log_warning(path_ + " cannot be written: its times will be taken again");
}

Result<std::unique_ptr<tune::Built>> KnownTimes::build(const tune::Task& task,
                                                       const schedule::Trace& trace) {
  auto known = std::make_unique<Known>();
  Hasher hasher;
  hasher.add(task.fingerprint).add(task.threads).add(schedule::to_text(trace));
  known->key = hasher.done().text();
  if (const auto time = find(known->key)) {
    if (!time->ok()) return time->rejection();
    return std::unique_ptr<tune::Built>(std::move(known));
  }
  auto code = real_.build(task, trace);
  if (!code.ok()) {
    add(known->key, code.rejection());
    return code.rejection();
  }
  known->code = std::move(*code);
  return std::unique_ptr<tune::Built>(std::move(known));
}

Result<Measurement> KnownTimes::time(const tune::Task& task, const tune::Built& built) {
  const auto& known = static_cast<const Known&>(built);
  if (const auto time = find(known.key)) return *time;
  Result<Measurement> time = real_.time(task, *known.code);
  add(known.key, time);
  return time;
}

std::vector<Result<Measurement>> KnownTimes::compare(const tune::Task& task,
                                                     const std::vector<const tune::Built*>& built) {
  std::vector<Result<Measurement>> times;
  for (const tune::Built* each : built) times.push_back(time(task, *each));
  return times;
}

}  // namespace cambium::bench
