#include "report/files.h"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace cambium::report {

Status write_unsynced(const std::string& path, std::string_view content) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (file) return Ok{};
  return Rejection{Reason::Unwritable, path, std::generic_category().message(errno)};
}

}  // namespace cambium::report
