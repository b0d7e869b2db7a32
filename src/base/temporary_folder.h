// A new folder that only this user may enter and that is gone with the value. It belongs to whoever
// has it locked, so that what a killed process left can be told from what is in use, by whatever
// number processes are known there. Refuses Unwritable, and then leaves nothing. For everything
// that is written on the way.
#pragma once

#include <string>

#include "base/launch.h"
#include "base/result.h"

namespace cambium {

class TemporaryFolder {
 public:
  // Where the system keeps such files, and clears up itself: in the folder that TMPDIR names, or in
  // /tmp.
  static Result<TemporaryFolder> make();
  // STEM.XXXXXX. Those of processes that died are taken away; a marker inside tells them from
  // folders of others.
  static Result<TemporaryFolder> make_beside(const std::string& stem);

  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // What is in it at the end stays, with the folder.
  void keep_files();

 private:
  TemporaryFolder(std::string path, Descriptor lock);
  static Result<TemporaryFolder> make_new(const std::string& stem);

  std::string path_;  // empty: it was moved away
  Descriptor lock_;
  bool keeps_files_ = false;
};

}  // namespace cambium
