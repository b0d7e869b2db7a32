#include "engine/search/evaluator.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cambium::engine {

Result<std::int64_t> integer_option(const nlohmann::json& options, const char* name,
                                    std::int64_t otherwise) {
  const auto found = options.find(name);
  if (found == options.end()) return otherwise;
  if (!found->is_number_integer()) {
    return Rejection(Reason::BadJob, fmt::format("option '{}' is no whole number", name));
  }
  return found->get<std::int64_t>();
}

Result<std::string> text_option(const nlohmann::json& options, const char* name,
                                const std::string& otherwise) {
  const auto found = options.find(name);
  if (found == options.end()) return otherwise;
  if (!found->is_string()) {
    return Rejection(Reason::BadJob, fmt::format("option '{}' is no text", name));
  }
  return found->get<std::string>();
}

}  // namespace cambium::engine
