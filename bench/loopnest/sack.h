// Knapsack problems like those of the strategy `compose`, with synthetic numbers: ResNet-34 has 36
// sites, DenseNet-161 has 160. All options of a site lie on a front, so none can be dropped. This
// is the slowest case.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/knapsack.h"

namespace cambium::bench {

// Each option is cheaper than the original, option 0, and gains less.
search::Knapsack sack_of(std::size_t sites, std::int32_t options);
// The same. A tenth of the options of every site (or of every second one, as in blocks of two
// convolutions) changes what the next site reads, and every such pair was measured.
search::Knapsack linked_sack_of(std::size_t sites, std::int32_t options, std::size_t apart);

}  // namespace cambium::bench
