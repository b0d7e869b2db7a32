// The parts that all JSON documents of the engine share: name, version, and the form of types.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "model/tensor.h"

namespace cambium::engine {

// {"document": "cambium.NAME", "version": N}: docs/schema/NAME.json describes the rest.
nlohmann::json document(std::string_view name, int version);

nlohmann::json json_of(const model::TensorType& type);  // {"dtype": "f32", "dims": [1, 2]}

}  // namespace cambium::engine
