// Advice for an operator outside a space: the options of `cambium synth` that would admit it.
// Widens every limit and switches every rule off, then takes back each change that is not needed.
// Called by explain_operator.
#pragma once

#include <string>
#include <vector>

#include "engine/synth.h"

namespace cambium::engine {

// Words to add to the command line, such as `--max-merges 2`; each of them is needed. Empty if no
// options help.
std::vector<std::string> options_for(const SynthOptions& options,
                                     const spaces::coordinate::Problem& problem,
                                     const spaces::coordinate::Operator& op);

}  // namespace cambium::engine
