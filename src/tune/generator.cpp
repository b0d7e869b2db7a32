#include "tune/generator.h"

#include <utility>

#include "program/clone.h"
#include "schedule/trace/step_memory.h"
#include "tune/draft_model.h"

namespace cambium::tune {
namespace {

// A context grows by what every candidate leaves in it (30 MB for these, of a large convolution),
// and knows more the longer it lives.
constexpr int kCandidatesPerContext = 1024;
// Small enough to share evenly and to let timing in, large enough to cost nothing.
constexpr std::int64_t kGrain = 4;

}  // namespace

struct Generator::Workshop {
  explicit Workshop(const Generator& owner) : owner_(owner) {}

  // A context with the lowered program in it.
  void refresh() {
    if (cx_ != nullptr && made_ < kCandidatesPerContext) return;
    memory_ = schedule::StepMemory();
    cx_ = std::make_unique<program::Context>();
    made_ = 0;
    program_ = program::clone_into(*cx_, *owner_.task_.program);
  }

  Result<Individual> make(schedule::DraftOptions wish, const Taken& taken) {
    refresh();
    ++made_;
    wish.threads = owner_.task_.threads;
    wish.memory = &memory_;
    CAMBIUM_TRY(schedule::Schedule made,
                schedule::generate(*cx_, program_, owner_.machine_, owner_.space_, wish));
    return seen(std::move(made), &taken);
  }

  Result<Individual> remake(const schedule::Trace& trace) {
    refresh();
    ++made_;
    CAMBIUM_TRY(schedule::Schedule made, schedule::replay(*cx_, program_, trace));
    return seen(std::move(made), nullptr);
  }

  RefusalCounts refusals;

 private:
  Result<Individual> seen(schedule::Schedule made, const Taken* taken) {
    Individual individual;
    individual.scheduled = fingerprinter_(made.program());
    if (taken != nullptr && taken->contains(individual.scheduled)) {
      return Rejection(Reason::TriedBefore);
    }
    const int threads = owner_.task_.threads;
    const Analysis analysis = analyse(made.program(), owner_.machine_);
    const DraftEstimate draft = draft_estimate(analysis, owner_.machine_, threads);
    individual.features = features_of(analysis, draft, owner_.machine_, threads);
    individual.draft_seconds = draft.seconds;
    individual.trace = std::move(made).trace();
    return individual;
  }

  const Generator& owner_;
  std::unique_ptr<program::Context> cx_;
  program::Program program_;
  schedule::StepMemory memory_;
  program::Fingerprinter fingerprinter_;
  int made_ = 0;
};

Generator::Generator(const Task& task, const schedule::Space& space, const Machine& machine,
                     ThreadPool& pool, Cores& cores, const std::atomic<bool>* stop)
    : task_(task), space_(space), machine_(machine), pool_(pool), cores_(cores), stop_(stop) {
  for (int i = 0; i < pool.threads(); ++i) workshops_.push_back(std::make_unique<Workshop>(*this));
}

Generator::~Generator() = default;

template <class Make>
std::vector<std::optional<Individual>> Generator::all(std::size_t count, const Make& make) {
  std::vector<std::optional<Individual>> made(count);
  pool_.parallel_for_workers(
      static_cast<std::int64_t>(count), kGrain,
      [&](std::int64_t begin, std::int64_t end, int worker) {
        if (stop_ != nullptr && *stop_) return;
        const Cores::Hold core(cores_);
        Workshop& workshop = *workshops_[static_cast<std::size_t>(worker)];
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          Result<Individual> one = make(workshop, i);
          if (one.ok()) {
            made[i] = std::move(one).value();
          } else {
            ++workshop.refusals[std::string(name_of(one.rejection().reason()))];
          }
        }
      });
  for (const auto& workshop : workshops_) {
    for (const auto& [reason, times] : workshop->refusals) refusals_[reason] += times;
    workshop->refusals.clear();
  }
  return made;
}

std::vector<std::optional<Individual>> Generator::make(
    std::span<const schedule::DraftOptions> wishes, const Taken& taken) {
  return all(wishes.size(),
             [&](Workshop& workshop, std::size_t i) { return workshop.make(wishes[i], taken); });
}

std::vector<std::optional<Individual>> Generator::remake(std::span<const schedule::Trace> traces) {
  return all(traces.size(),
             [&](Workshop& workshop, std::size_t i) { return workshop.remake(traces[i]); });
}

}  // namespace cambium::tune
