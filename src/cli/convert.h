// A model from one form to another; `cambium convert` and `cambium zoo export` are both this.
#pragma once

#include <string>

#include "cli/common.h"

namespace cambium::cli {

int convert(const ModelOptions& from, const std::string& to);

}  // namespace cambium::cli
