// Writes a model in another format, for `cambium convert` and `cambium zoo export`.
#pragma once

#include <string>

#include "cli/common.h"

namespace cambium::cli {

int convert(const ModelOptions& from, const std::string& to);

}  // namespace cambium::cli
