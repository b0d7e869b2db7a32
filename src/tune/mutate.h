// Other decisions from those of a trace: one changed a little (mutation), one drawn again by its
// law (a step of Metropolis and Hastings), or those of two traces mixed (crossover). Gives
// decisions to want; the rules then run again with them, so whatever comes out is legal. Called by
// strategies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/random.h"
#include "schedule/draft.h"

namespace cambium::tune {

// Structure: which instructions follow. Parallel: a number or choice whose key says so.
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

// How likely a mutation is of each kind, among those that a trace has.
inline constexpr std::array<double, kDecisionKinds> kMutationWeights = {0.50, 0.14, 0.08, 0.08,
                                                                        0.08, 0.06, 0.06};

// Nothing for steps that sample nothing.
std::optional<DecisionKind> kind_of(const schedule::Step& step);

// One decision that differs.
struct Change {
  std::string key;
  schedule::Decision decision;
};

// One of the decisions, by the weight of its kind, moved to a neighbour. Nothing when none has any.
std::optional<Change> mutation(const schedule::Trace& trace, Rng& rng);

// One of the decisions, all alike, drawn again by its law.
std::optional<Change> redraw(const schedule::Trace& trace, Rng& rng);

// Each group of decisions that depend on each other from one of the two traces. Decisions under one
// rule and block depend on each other where the traces differ in a structural one of them; all
// others stand alone. Where the traces have several blocks, those of a block stay together half of
// the time: a good nest is kept whole.
schedule::Decisions crossed(const schedule::Trace& first, const schedule::Trace& second, Rng& rng);

}  // namespace cambium::tune
