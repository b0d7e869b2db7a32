// Whether results could be written to a path, asked before the work that they come from. Nothing is
// left behind. Refuses Unwritable.
#pragma once

#include <string>

#include "base/result.h"

namespace cambium {

// One that is there would be replaced.
Status check_output_file(const std::string& path);
// One that is there, or that could be made together with those around it.
Status check_output_folder(const std::string& path);

}  // namespace cambium
