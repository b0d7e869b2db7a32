// The least memory that a model needs to run under any memory plan, in bytes: the two largest
// values that are passed between fusion groups and are alive at the same time. Inputs and outputs
// of the model do not count, because the caller holds them.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace cambium::compile {

// `model` is a model after the passes.
std::int64_t largest_live_pair(const model::Model& model);

}  // namespace cambium::compile
