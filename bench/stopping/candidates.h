// Small convolutional networks that a search might propose, good and bad ones, drawn by a seed. The
// benchmark of stopping rules trains them. Called by cambium-bench-stopping.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "model/model.h"

namespace cambium::bench {

// Three stages of blocks over images of [channels, size, size]. Refuses BadOption for images that
// are too small to be halved twice.
Result<model::Model> candidate(std::uint64_t seed, std::int64_t number, std::int64_t channels,
                               std::int64_t size, std::int64_t classes);

}  // namespace cambium::bench
