// Writes without waiting for the disk. A report has hundreds of files and can be made again, so
// only its index waits (base/file.h). Refuses Unwritable. Called by this folder.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::report {

Status write_unsynced(const std::string& path, std::string_view content);

}  // namespace cambium::report
