// Matches classes by name. A class keeps its number from training, whatever other classes a folder
// has and however their names sort. It is used wherever labels of one part of a data set meet a
// network that was trained on another part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cambium::data {

// The number of each of `names` among the trained classes. Refuses UnknownClass; its message says
// that `trained_by` has the trained classes.
Result<std::vector<std::int32_t>> class_numbers(const std::vector<std::string>& names,
                                                const std::vector<std::string>& trained,
                                                const std::string& trained_by);

}  // namespace cambium::data
