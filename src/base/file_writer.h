// A file that is written piece by piece: beside its path, under a name that nobody else has, until
// it is whole and takes its place. A reader sees the old file or the new one. A writer that goes
// before it has finished leaves nothing.
#pragma once

#include <string>
#include <string_view>

#include "base/launch.h"
#include "base/result.h"

namespace cambium {

class FileWriter {
 public:
  // All refuse Unwritable; `path` is then as it was. What is there and is no regular file (a
  // folder, a pipe, a device) is not replaced.
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
  std::string temporary_;  // empty: it was moved away, or has taken its place
  Descriptor file_;
  std::string buffer_;  // pieces may be small
};

}  // namespace cambium
