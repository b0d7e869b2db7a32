// Writes a file piece by piece under a unique temporary name next to its path, and moves it into
// place when it is complete. A reader sees the old file or the new one. A writer that is destroyed
// before finish() leaves nothing behind.
#pragma once

#include <string>
#include <string_view>

#include "base/launch.h"
#include "base/result.h"

namespace cambium {

class FileWriter {
 public:
  // All refuse Unwritable and then leave `path` unchanged. An existing folder, pipe or device is
  // not replaced.
  static Result<FileWriter> create(const std::string& path);
  Status write(std::string_view piece);
  Status finish();  // the last call

  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

 private:
  FileWriter(std::string path, std::string temporary, Descriptor file);
  Status flush();
  Rejection failed(int error) const;

  std::string path_;
  std::string temporary_;  // empty: moved from, or already in place
  Descriptor file_;
  std::string buffer_;  // pieces may be small
};

}  // namespace cambium
