// Weighted choices among options, for the samplers of samples.h: draws an option, finds an option
// again after the options have changed, and checks them. Weights are relative; without weights all
// options are equally likely. An option of weight 0 is never drawn, but may be preferred or wanted.
#pragma once

#include <optional>
#include <string_view>

#include "base/random.h"
#include "schedule/steps/applied.h"

namespace cambium::schedule {

// Refuses BadDecision under that key.
Status check_choice(const std::string& key, std::size_t options, const Ints& weights,
                    std::int64_t choice);

// The probability of an option is its share of the weights.
std::int64_t draw_choice(Rng& rng, std::size_t options, const Ints& weights);

// The option with that text. If there is none: among numbers, the option with the nearest ratio to
// it; otherwise the option at that position, or the last one.
std::int64_t snap_choice(const Names& options, const std::string& text, std::int64_t position);

// Whether draw_choice can return it.
bool is_drawable(const Ints& weights, std::int64_t choice);

// A text that is a positive number and nothing else.
std::optional<std::int64_t> number_of(std::string_view text);

// The ratio of two positive numbers, the larger over the smaller: a distance that orders pairs like
// the difference of their logarithms, but is computed alike on every machine.
double ratio_of(std::int64_t a, std::int64_t b);

}  // namespace cambium::schedule
