// Reads and writes whole files. Reading has a size limit, so that a wrong path (a device, a disk
// image) is refused. Writing is atomic: a reader sees the old file or the new one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium {

inline constexpr std::int64_t kFileLimit = std::int64_t{4} << 30;  // the largest model we know

// Refuses NotFound, Unreadable (also a folder) and TooLarge.
Result<std::string> read_file(const std::string& path, std::int64_t limit = kFileLimit);

// Writes a file next to `path`, syncs it and renames it. Refuses Unwritable and then leaves `path`
// unchanged.
Status write_file(const std::string& path, std::string_view content);

}  // namespace cambium
