// What this build is: its version and which heavy libraries were found when it was configured
// (cmake/features.cmake). Printed by `cambium version`.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace cambium {

struct Feature {
  std::string_view name;     // as in CAMBIUM_<NAME>, in lower case
  std::string_view purpose;  // what the feature is used for
  std::string_view version;  // empty if this build lacks the feature
  bool in = false;
};

std::string_view version();
std::string_view compiler();
std::span<const Feature> features();

// Refuses Unavailable if this build lacks the feature. Ask before starting work that needs it.
Status require_feature(std::string_view name, std::span<const Feature> among = features());

}  // namespace cambium
