// Derives new decisions from those of a trace: changes one a little (mutation), draws one again by
// its law (a Metropolis-Hastings step), or mixes those of two traces (crossover). The rules then
// run again with these decisions wanted, so every result is legal. Called by strategies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/random.h"
#include "schedule/trace/draft.h"

namespace cambium::tune {

// Structure decides which instructions follow. Parallel is a number or choice whose key says so.
enum class DecisionKind : std::uint8_t {
  Tile,
  MicroKernel,
  Layout,
  Location,
  Number,
  Parallel,
  Structure
};
inline constexpr std::size_t kDecisionKinds = 7;

// The probability of each kind in a mutation, among the kinds that the trace has.
inline constexpr std::array<double, kDecisionKinds> kMutationWeights = {0.50, 0.14, 0.08, 0.08,
                                                                        0.08, 0.06, 0.06};

// Nothing for a step that is no sampling instruction.
std::optional<DecisionKind> kind_of(const schedule::Step& step);

// One changed decision.
struct Change {
  std::string key;
  schedule::Decision decision;
};

// One of the decisions, chosen by the weight of its kind and moved to a neighbour. Nothing if no
// decision has a neighbour.
std::optional<Change> mutation(const schedule::Trace& trace, Rng& rng);

// One of the decisions, all equally likely, drawn again by its law.
std::optional<Change> redraw(const schedule::Trace& trace, Rng& rng);

// Takes each group of dependent decisions from one of the two traces. Decisions of one rule and
// block depend on each other if the traces differ in a structural decision among them; all others
// are independent. If the traces have several blocks, the decisions of a block stay together half
// of the time, which keeps a good loop nest whole.
schedule::Decisions crossed(const schedule::Trace& first, const schedule::Trace& second, Rng& rng);

}  // namespace cambium::tune
