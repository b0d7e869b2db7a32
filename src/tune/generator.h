// Makes candidates: runs the rules with wanted decisions, names the scheduled program by its
// fingerprint, and lets the models see it. What comes out depends on what was wanted only, never on
// the threads. Contexts live for some hundred candidates, so memory stays flat. Refusals are
// counted, not returned: in a search they are ordinary and cost nothing. Called by strategies.
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
#include "schedule/draft.h"
#include "tune/cores.h"
#include "tune/features.h"
#include "tune/task.h"

namespace cambium::tune {

// A schedule and what the models see of it.
struct Individual {
  schedule::Trace trace;
  Fingerprint scheduled;
  Features features;
  double draft_seconds = 0;
  double score = 0;      // of the cost model: lower is better
  std::string strategy;  // what proposed it
};

using Taken = std::unordered_set<Fingerprint>;              // programs that need no second look
using RefusalCounts = std::map<std::string, std::int64_t>;  // by the name of the reason

class Generator {
 public:
  // What it is given must live as long. The program of the task must parse. Once `stop` is set, it
  // makes no more.
  Generator(const Task& task, const schedule::Space& space, const Machine& machine,
            ThreadPool& pool, Cores& cores, const std::atomic<bool>* stop = nullptr);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  // One per wish; nothing where the rules or the verifier refused (counted under their reason) and
  // where the program is among `taken` (TriedBefore).
  std::vector<std::optional<Individual>> make(std::span<const schedule::DraftOptions> wishes,
                                              const Taken& taken);
  // The same from traces that were made earlier; nothing where one does not replay.
  std::vector<std::optional<Individual>> remake(std::span<const schedule::Trace> traces);

  const RefusalCounts& refusals() const { return refusals_; }

 private:
  struct Workshop;  // what one worker has for itself
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
