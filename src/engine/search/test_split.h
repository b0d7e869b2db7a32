// Checks before a search begins that its finals can judge models on the test split, so that no
// search fails after hours of training. Refuses what opening the data set and reading the split
// refuse, and ShapeMismatch for images that the model does not take. Called by searches that train.
#pragma once

#include <string>

#include "base/result.h"
#include "model/model.h"

namespace cambium::engine {

Status check_test_split(const model::Model& model, const std::string& data, int threads);

}  // namespace cambium::engine
