// Edits of the loop-nest space for the parts of the benchmark. Refuses what the space refuses.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/search/spaces.h"
#include "model/model.h"

namespace cambium::bench {

// The space alone, over these targets of a model (a selector).
Result<engine::Spaces> nest_space(const model::Model& base, const std::string& targets);

// A document or a name of the catalogue, at every target that it fits; empty: the model itself.
Result<model::Model> with_document(const model::Model& base, const std::string& targets,
                                   const std::string& written);

}  // namespace cambium::bench
