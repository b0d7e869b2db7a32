#include "engine/documents.h"

#include <string>

#include <nlohmann/json.hpp>

namespace cambium::engine {

nlohmann::json document(std::string_view name, int version) {
  return {{"document", "cambium." + std::string(name)}, {"version", version}};
}

nlohmann::json json_of(const model::TensorType& type) {
  return {{"dtype", std::string(name_of(type.dtype))}, {"dims", type.dims}};
}

}  // namespace cambium::engine
