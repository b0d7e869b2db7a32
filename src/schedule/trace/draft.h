// A draft: an unfinished schedule with a source of decisions. Rules are ordinary functions over it:
// they look at the program, sample, and apply steps. Every decision has a key. A decision that is
// wanted under its key is taken (snapped to a legal one). Any other decision is drawn by its law,
// or is the one that the rule prefers. To change a trace, run the rules again with other decisions
// wanted; their control flow may then differ. The default schedule takes every preferred decision.
// When a rule fails after some steps, it goes back to a mark (Schedule::mark), which removes its
// decisions too and is cheaper than working on a copy. A question without a legal answer (no
// options, unusable weights) makes the draft faulty: the rule gets some answer, and the caller of
// the rules refuses with fault().
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/machine.h"
#include "program/walk.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {

struct Tiling;

using Decisions = std::map<std::string, Decision, std::less<>>;  // by key
Decisions decisions_of(const Trace& trace);

// The key of a sampling instruction; null for other steps.
const std::string* key_of(const Step& step);
bool is_sample(const Step& step);
bool is_structural(const Step& step);
// The neighbours of the decision of a sampling instruction; empty for other steps.
std::vector<Decision> neighbours_of(const Step& step);

// How to make decisions that are not wanted: draw by the law; draw uniformly, among the options
// that the law can draw; or take what the rule prefers.
enum class Otherwise : std::uint8_t { Drawn, Uniform, Preferred };

struct DraftOptions {
  std::uint64_t seed = 1;
  Otherwise otherwise = Otherwise::Drawn;
  Decisions wanted = {};
  int threads = 1;  // number of threads that the kernel will use
  StepMemory* memory = nullptr;
  bool small_code = false;  // rules prefer the smallest code
};

struct MicroKernel {
  std::int64_t rows = 1, vectors = 1;
  friend bool operator==(const MicroKernel&, const MicroKernel&) = default;
};

class Draft {
 public:
  // The machine and the options must outlive the draft.
  Draft(Context& cx, const Program& program, const Machine& machine, const DraftOptions& options);

  Context& context() const { return schedule_.context(); }
  const Program& program() const { return schedule_.program(); }
  const Machine& machine() const { return *machine_; }
  int threads() const { return options_->threads; }
  bool wants_small_code() const { return options_->small_code; }
  const Schedule& schedule() const { return schedule_; }
  Schedule& schedule() { return schedule_; }

  // The first question without a legal answer, as BadDecision.
  const Status& fault() const { return fault_; }

  Result<Names> apply(const Step& step) { return schedule_.apply(step); }

  // Sets the prefix of keys, such as "tiling/conv/". Called by whoever runs a rule.
  void enter(std::string_view rule, std::string_view block);
  // The same if the site of the block is known. The site must live as long as the rule runs.
  void enter(std::string_view rule, const program::Site& site);

  // The current site of a block; a site without a block if no block has the name. Fast for the
  // entered block until a step is applied, because most rules first ask for this site, and then
  // refuse.
  program::Site find_site(std::string_view block) const;

  // The position of the chosen option.
  std::size_t choose(std::string_view key, const Names& options, std::size_t preferred = 0,
                     const Ints& weights = {});
  // The same for a choice of structure; see SampleCategorical.
  std::size_t branch(std::string_view key, const Names& options, std::size_t preferred = 0,
                     const Ints& weights = {});
  // One of some numbers.
  std::int64_t choose_number(std::string_view key, const Ints& numbers, std::size_t preferred = 0,
                             const Ints& weights = {});
  // An empty `preferred` means that the outermost part has the whole extent.
  Ints perfect_tile(std::string_view key, std::int64_t extent, std::int64_t parts,
                    std::int64_t innermost, const Ints& preferred = {});
  Ints imperfect_tile(std::string_view key, std::int64_t extent, std::int64_t parts,
                      std::int64_t innermost, const Ints& preferred = {});
  Ints partitioned_tile(std::string_view key, std::int64_t extent, std::int64_t parts,
                        std::int64_t at, std::int64_t multiple, std::int64_t innermost,
                        const Ints& preferred = {});
  // One of the places.
  std::string compute_location(std::string_view key, const std::string& block, const Names& places,
                               std::size_t preferred = 0);
  std::string layout(std::string_view key, const std::string& buffer, const Names& layouts,
                     std::size_t preferred = 0, const Ints& weights = {});
  MicroKernel micro_kernel(std::string_view key, const std::vector<MicroKernel>& shapes,
                           std::size_t preferred = 0, const Ints& weights = {});

 private:
  template <class Sample>
  Sample decided(Sample sample, const Decision& preferred, const Status& possible);
  template <class Sample>
  Ints tile(Sample sample, const Tiling& tiling, const Ints& preferred);
  std::int64_t choice_among(std::string_view key, const Names& options, std::size_t preferred,
                            const Ints& weights, bool structural);
  std::string full_key(std::string_view key) const;

  Schedule schedule_;
  const Machine* machine_;
  const DraftOptions* options_;
  std::string prefix_;
  const program::Site* entered_ = nullptr;
  program::Stmt entered_in_ = nullptr;  // the program's root when it was entered
  Status fault_ = Ok{};
};

}  // namespace cambium::schedule
