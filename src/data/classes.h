// Classes are matched by name: a class keeps the number that it was trained under, whichever of the
// classes a folder has and however its other names sort. Called wherever labels of one part of a
// data set meet a network that was trained on another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cambium::data {

// For each of `names` its number among the trained classes. Refuses UnknownClass; `trained_by` is
// what has the trained classes, for the message.
Result<std::vector<std::int32_t>> class_numbers(const std::vector<std::string>& names,
                                                const std::vector<std::string>& trained,
                                                const std::string& trained_by);

}  // namespace cambium::data
