// Checks that results can be written to a path before the work that produces them starts. Leaves
// nothing behind. Refuses Unwritable.
#pragma once

#include <string>

#include "base/result.h"

namespace cambium {

// A file; an existing one would be replaced.
Status check_output_file(const std::string& path);
// A folder that exists, or that could be made together with its parents.
Status check_output_folder(const std::string& path);

}  // namespace cambium
