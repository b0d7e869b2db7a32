#include "base/features.h"

#include <algorithm>

#include <fmt/core.h>

namespace cambium {

Status require_feature(std::string_view name, std::span<const Feature> among) {
  const auto feature = std::find_if(among.begin(), among.end(),
                                    [&](const Feature& each) { return each.name == name; });
  CAMBIUM_CHECK(feature != among.end(), "asked for a feature that cmake/features.cmake lacks");
  if (feature->in) return Ok{};
  std::string option = "CAMBIUM_";
  for (const char c : name) option += static_cast<char>(c - 'a' + 'A');
  return Rejection(Reason::Unavailable, std::string(feature->purpose),
                   fmt::format("it was configured without {} ({})", name, option));
}

}  // namespace cambium
