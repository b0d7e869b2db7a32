#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"

namespace cambium {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPattern = "XXXXXX";  // mkdtemp puts letters there
// Tells a folder of ours from one of the user's that is called alike. It holds the folder's name,
// so that a copy under another name is the user's.
constexpr const char* kMarker = ".cambium-temporary";

Descriptor open_folder(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

Rejection no_folder(const std::string& stem, int error) {
  return Rejection(Reason::Unwritable, stem + ".*",
                   "no folder can be made: " + std::generic_category().message(error));
}

bool is_ours(const fs::path& folder) {
  constexpr std::int64_t kLongestName = 4096;
  const auto name = read_file((folder / kMarker).string(), kLongestName);
  return name.ok() && *name == folder.filename().string();
}

// The marker goes last: what a process leaves that is killed meanwhile is found again.
void remove_with_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename() != kMarker) files.push_back(entry.path());
  }
  bool is_left = static_cast<bool>(error);
  for (const fs::path& file : files) {
    fs::remove_all(file, error);
    is_left = is_left || error;
  }
  if (is_left) return;
  fs::remove(folder / kMarker, error);
  fs::remove(folder, error);
}

// As std::filesystem::temp_directory_path, but a variable that is empty counts as not set.
Result<std::string> system_folder() {
  std::string name = "/tmp";
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    name = value;
    break;
  }
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) return name;
  return Rejection(Reason::Unwritable, name, "TMPDIR must name a folder for temporary files");
}

// What has our marker and nobody's lock.
void remove_orphans(const fs::path& stem) {
  std::error_code ignored;
  const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  const std::string start = stem.filename().string() + ".";
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(start) && name.size() == start.size() + kPattern.size()) {
      found.push_back(entry.path());
    }
  }
  for (const fs::path& path : found) {
    const Descriptor lock = open_folder(path.string());
    if (lock.get() < 0 || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (is_ours(path)) remove_with_files(path);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string path, Descriptor lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      lock_(std::move(other.lock_)),
      keeps_files_(other.keeps_files_) {}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  // An empty one goes this way even where no descriptor is left to list it.
  if (!fs::remove(path_, ignored) && !keeps_files_) remove_with_files(path_);
}

void TemporaryFolder::keep_files() {
  keeps_files_ = true;
  std::error_code ignored;
  fs::remove(*this / kMarker, ignored);  // or the next one would take it for an orphan
}

Result<TemporaryFolder> TemporaryFolder::make() {
  CAMBIUM_TRY(const std::string folder, system_folder());
  return make_new((fs::path(folder) / "cambium").string());
}

Result<TemporaryFolder> TemporaryFolder::make_beside(const std::string& stem) {
  remove_orphans(stem);
  CAMBIUM_TRY(TemporaryFolder folder, make_new(stem));
  // Locked before: nobody ever sees it marked and without a lock while this process lives.
  CAMBIUM_REQUIRE(write_file(folder / kMarker, fs::path(folder.path()).filename().string()));
  return folder;
}

Result<TemporaryFolder> TemporaryFolder::make_new(const std::string& stem) {
  std::string path = stem + "." + std::string(kPattern);
  if (::mkdtemp(path.data()) == nullptr) return no_folder(stem, errno);
  Descriptor lock = open_folder(path);
  if (lock.get() < 0) {
    const int error = errno;
    (void)::rmdir(path.c_str());
    return no_folder(stem, error);
  }
  // A file system that has no locks has no orphans either that anybody would take away.
  (void)::flock(lock.get(), LOCK_EX);
  return TemporaryFolder(path, std::move(lock));
}

}  // namespace cambium
