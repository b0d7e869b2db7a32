// Advice for an operator that lies outside of a space: the options of `cambium synth` with which it
// is in it. Found by widening every limit and switching every rule off, and taking back what is not
// needed. Called by explain_operator.
#pragma once

#include <string>
#include <vector>

#include "engine/synth.h"

namespace cambium::engine {

// As words of a command line, `--max-merges 2`, to be added to those that the options come from;
// none of them can be left out. Empty where no options help.
std::vector<std::string> options_for(const SynthOptions& options,
                                     const spaces::coordinate::Problem& problem,
                                     const spaces::coordinate::Operator& op);

}  // namespace cambium::engine
