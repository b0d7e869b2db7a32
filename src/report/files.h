// Writing without waiting for the disk: a report has hundreds of files and can be made again, so
// only its index is worth the wait (base/file.h). Refuses Unwritable.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium::report {

Status write_unsynced(const std::string& path, std::string_view content);

}  // namespace cambium::report
