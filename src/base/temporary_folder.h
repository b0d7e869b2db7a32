// A new folder that only this user may enter and that is removed with the value, for intermediate
// files. The owner holds a lock on it, which tells folders in use from those of killed processes,
// even across process namespaces. Refuses Unwritable, and then leaves nothing behind.
#pragma once

#include <string>

#include "base/launch.h"
#include "base/result.h"

namespace cambium {

class TemporaryFolder {
 public:
  // In the folder that TMPDIR names, or in /tmp, where the system cleans up.
  static Result<TemporaryFolder> make();
  // Named STEM.XXXXXX. Removes such folders of dead processes; a marker inside tells them from
  // other folders.
  static Result<TemporaryFolder> make_beside(const std::string& stem);

  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Keeps the folder and its content.
  void keep_files();

 private:
  TemporaryFolder(std::string path, Descriptor lock);
  static Result<TemporaryFolder> make_new(const std::string& stem);

  std::string path_;  // empty: moved from
  Descriptor lock_;
  bool keeps_files_ = false;
};

}  // namespace cambium
