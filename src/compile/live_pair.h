// The least memory that running a model takes, whatever the memory plan: the largest two values
// that stand between fusion groups and are alive at the same time, in bytes. The caller holds the
// inputs and outputs, so they do not count.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace cambium::compile {

// `model` is a model after the passes.
std::int64_t largest_live_pair(const model::Model& model);

}  // namespace cambium::compile
