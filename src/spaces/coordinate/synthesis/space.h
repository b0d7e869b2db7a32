// Space: everything one synthesis works in, an explicit context: the problem, its limits and rules,
// and the interned sizes, coordinates and states. Not shared between threads; freed as a whole.
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
// More states than these, some 120 bytes each, are not remembered: whoever needs more ends.
inline constexpr std::size_t kMostStates = 10'000'000;

struct Space {
  // Refuses limits that no operator could keep (BadOption), and what `complete` refuses.
  static Result<std::unique_ptr<Space>> make(Problem problem, Limits limits = {},
                                             RuleSet rules = {});
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  // Refuses (SizeOutOfRange) a space that has more different sizes than there are ids: some were
  // left out. To be asked again when work is done.
  Status complete() const;

  const Problem problem;
  const Limits limits;
  const RuleSet rules;
  Sizes sizes;
  Coordinates coordinates;
  States states;

  // Axes without those of fixed pairs, which every operator passes through.
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
