// Turns the options of `cambium synth` into the budgets and the space of a synthesis, and changes
// of a space into options. Refuses bad options for engine/synth.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/synth.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/synthesis/admission.h"
#include "spaces/coordinate/synthesis/budgets.h"
#include "spaces/coordinate/synthesis/space.h"

namespace cambium::engine {

// The text of a document: of the catalogue's operator, standard input (`-`) or a file.
Result<std::string> synth_document(const std::string& what);

Result<spaces::coordinate::synthesis::Budgets> budgets_of(
    const SynthOptions& options, const spaces::coordinate::Problem& problem);

Result<std::unique_ptr<spaces::coordinate::synthesis::Space>> space_of(
    const SynthOptions& options, spaces::coordinate::Problem problem);

// The words to add to the command line so that its space admits an operator.
std::vector<std::string> words_of(const spaces::coordinate::synthesis::Admission& admission,
                                  const SynthOptions& given);

}  // namespace cambium::engine
