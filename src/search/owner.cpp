#include "search/owner.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace cambium::search {
namespace {

// The namespace of process numbers: containers may share the name of a machine, but not the numbers
// of processes.
std::string process_numbers() {
  char name[64] = {};
  return ::readlink("/proc/self/ns/pid", name, sizeof name - 1) > 0 ? name : "pid";
}

std::string this_machine() {
  char name[256] = {};
  const bool is_known = ::gethostname(name, sizeof name - 1) == 0;
  return (is_known ? std::string(name) : "unknown") + " " + process_numbers();
}

}  // namespace

std::string new_owner() {
  static std::atomic<std::int64_t> count = 0;
  return fmt::format("{}/{}/{}", this_machine(), ::getpid(), ++count);
}

bool is_gone(const std::string& owner) {
  const auto parts = split(owner, '/');
  if (parts.size() != 3 || parts[0] != this_machine()) return false;
  const auto process = parse_int(parts[1], 1, INT_MAX);
  return process.ok() && ::kill(static_cast<pid_t>(*process), 0) != 0 && errno == ESRCH;
}

}  // namespace cambium::search
