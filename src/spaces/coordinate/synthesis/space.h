// Space: the explicit context of one synthesis. It holds the problem, its limits and rules, and the
// interned sizes, coordinates and states. Threads do not share it, and it is freed as a whole.
#pragma once

#include <memory>

#include "base/result.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/synthesis/coordinates.h"
#include "spaces/coordinate/synthesis/limits.h"
#include "spaces/coordinate/synthesis/rules/rule_set.h"
#include "spaces/coordinate/synthesis/sizes.h"
#include "spaces/coordinate/synthesis/state.h"

namespace cambium::spaces::coordinate::synthesis {

inline constexpr std::size_t kMaxAxes = 8;
// The most states that are remembered, some 120 bytes each. Work that needs more states ends.
inline constexpr std::size_t kMostStates = 10'000'000;

struct Space {
  // Refuses limits that are out of range or exclude every operator (BadOption), and what `complete`
  // refuses.
  static Result<std::unique_ptr<Space>> make(Problem problem, Limits limits = {},
                                             RuleSet rules = {});
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  // Refuses (SizeOutOfRange) a space with more different sizes than ids, because some were left
  // out. Ask again when the work is done.
  Status complete() const;
  // Refuses (SizeOutOfRange) a space with more than kMostStates states.
  Status has_room() const;

  const Problem problem;
  const Limits limits;
  const RuleSet rules;
  Sizes sizes;
  Coordinates coordinates;
  States states;

  // Axes, except those of fixed pairs, which every operator passes through.
  Few<CoordId, kMaxAxes> outputs;
  Few<SizeId, kMaxAxes> input;
  Few<std::uint8_t, kMaxAxes> input_axes;  // their places in problem.input
  StateId root = kNoState;                 // the outputs alone
  Occurrences allowed;                     // limits.occurrences
  struct Volume {
    double input = 1, output = 1;  // elements, axes of fixed pairs included
  };
  std::vector<Volume> volumes;  // by binding

 private:
  Space(Problem problem, Limits limits, RuleSet rules);
};

}  // namespace cambium::spaces::coordinate::synthesis
