// Weighted choices among options, for the samplers of samples.h: draws one, finds one again when
// the options have changed, and checks them. Weights are relative; without weights all options are
// equally likely. An option of weight 0 is never drawn, but may be preferred or wanted.
#pragma once

#include <optional>
#include <string_view>

#include "base/random.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

// Refuses BadDecision under that key.
Status check_choice(const std::string& key, std::size_t options, const Ints& weights,
                    std::int64_t choice);

// Each with the probability of its share in the weights.
std::int64_t draw_choice(Rng& rng, std::size_t options, const Ints& weights);

// The option of that text; else, where all are numbers, the one of the nearest ratio to it; else
// the one at that position, or the last.
std::int64_t snap_choice(const Names& options, const std::string& text, std::int64_t position);

// Whether it is one that drawing can give.
bool is_drawable(const Ints& weights, std::int64_t choice);

// A text that is a positive number and nothing else.
std::optional<std::int64_t> number_of(std::string_view text);

// How far two positive numbers are apart: the larger over the smaller. (Comparing these is
// comparing differences of logarithms, with arithmetic that is the same everywhere.)
double ratio_of(std::int64_t a, std::int64_t b);

}  // namespace cambium::schedule
