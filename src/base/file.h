// Whole files in and out. Reading takes a limit, so that a wrong path (a device, a disk image) is
// refused and not swallowed; writing is atomic: a reader sees the old file or the new one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cambium {

inline constexpr std::int64_t kFileLimit = std::int64_t{4} << 30;  // the largest model we know

// Refuses NotFound, Unreadable (also a folder) and TooLarge.
Result<std::string> read_file(const std::string& path, std::int64_t limit = kFileLimit);

// Writes beside `path`, syncs, renames. Refuses Unwritable, and then `path` is as it was.
Status write_file(const std::string& path, std::string_view content);

}  // namespace cambium
