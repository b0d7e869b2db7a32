// Makes candidates: runs the rules with wanted decisions, names the scheduled program by its
// fingerprint, and computes its features. The result depends only on the wishes, never on threads.
// A context lives for a limited number of candidates, so memory stays flat. Refusals are counted,
// not returned: in a search they are normal and cost nothing. Called by strategies.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/thread_pool.h"
#include "program/context.h"
#include "program/fingerprint.h"
#include "schedule/trace/draft.h"
#include "tune/cores.h"
#include "tune/features.h"
#include "tune/task.h"

namespace cambium::tune {

// A schedule with its features.
struct Individual {
  schedule::Trace trace;
  Fingerprint scheduled;
  Features features;
  double draft_seconds = 0;
  double score = 0;      // of the cost model: lower is better
  std::string strategy;  // the strategy that proposed it
};

using Taken = std::unordered_set<Fingerprint>;  // programs that must not be proposed again
using RefusalCounts = std::map<std::string, std::int64_t>;  // by the name of the reason

class Generator {
 public:
  // Its arguments must outlive it. Once `stop` is set, it makes no more.
  Generator(const Task& task, const schedule::Space& space, const Machine& machine,
            ThreadPool& pool, Cores& cores, const std::atomic<bool>* stop = nullptr);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // One result per wish. Nothing if the rules or the verifier refused (counted under their reason),
  // or if the program is in `taken` (TriedBefore).
  std::vector<std::optional<Individual>> make(std::span<const schedule::DraftOptions> wishes,
                                              const Taken& taken);
  // The same from earlier traces; nothing if a trace does not replay.
  std::vector<std::optional<Individual>> remake(std::span<const schedule::Trace> traces);

  const RefusalCounts& refusals() const { return refusals_; }

 private:
  struct Workshop;  // the private state of one worker
  template <class Make>
  std::vector<std::optional<Individual>> all(std::size_t count, const Make& make);

  const Task& task_;
  const schedule::Space& space_;
  const Machine& machine_;
  ThreadPool& pool_;
  Cores& cores_;
  const std::atomic<bool>* stop_;
  std::vector<std::unique_ptr<Workshop>> workshops_;
  RefusalCounts refusals_;
};

}  // namespace cambium::tune
