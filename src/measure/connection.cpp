#include "measure/connection.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cambium::measure {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr double kStartSeconds = 10;  // a loaded machine may take its time

double seconds_until(SteadyClock::time_point deadline) {
  return std::chrono::duration<double>(deadline - SteadyClock::now()).count();
}

// Out of the way of the numbers that the runner knows.
int moved_up(int descriptor) {
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
  ::close(descriptor);
  return moved;
}

std::string runner_beside_us() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string self(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return self.substr(0, self.rfind('/') + 1) + "cambium-runner";
}

}  // namespace

Status Connection::spawn(int control, int memory) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, control, kControlDescriptor);
  ::posix_spawn_file_actions_adddup2(&actions, memory, kMemoryDescriptor);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kMemoryDescriptor + 1);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setpgroup(&attributes, 0);  // a ^C is for us; we then end it
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string limit = std::to_string(memory_bytes_);
  char* const arguments[] = {executable_.data(), limit.data(), nullptr};
  const int error =
      ::posix_spawn(&process_, executable_.c_str(), &actions, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return Ok{};
  process_ = -1;
  return Rejection(Reason::RunnerMissing, executable_ + ": " + std::strerror(error));
}

Status Connection::start() {
  if (process_ >= 0) {
    if (::waitpid(process_, nullptr, WNOHANG) == 0) return Ok{};
    process_ = -1;
    stop();
  }
  if (executable_.empty()) executable_ = runner_beside_us();
  int ends[2] = {-1, -1};
  memory_ = moved_up(::memfd_create("cambium", MFD_CLOEXEC));
  if (memory_ < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    stop();
    return Rejection(
        Reason::RunnerFailed,
        std::string("cannot create shared memory or a socket: ") + std::strerror(errno));
  }
  control_ = moved_up(ends[0]);
  const int theirs = moved_up(ends[1]);
  const Status spawned = spawn(theirs, memory_);
  ::close(theirs);
  if (!spawned) {
    stop();
    return spawned;
  }
  auto hello = receive(kStartSeconds);
  if (hello && hello->outcome == Outcome::Hello) return Ok{};
  stop();
  if (!hello && hello.rejection().reason() == Reason::RunnerFailed) {
    return std::move(hello).rejection();
  }
  return Rejection(Reason::RunnerFailed, "it sent no greeting");
}

void Connection::stop() {
  if (process_ >= 0) {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (control_ >= 0) ::close(control_);
  if (memory_ >= 0) ::close(memory_);
  process_ = control_ = memory_ = -1;
}

// Of a process that closed its end: it is dead or about to be.
std::string Connection::how_it_died() {
  int status = 0;
  for (int i = 0; i < 1000; ++i) {
    const pid_t ended = ::waitpid(process_, &status, WNOHANG);
    if (ended != 0) {
      process_ = -1;
      if (ended < 0) break;
      if (WIFEXITED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
      if (WIFSIGNALED(status)) {
        const char* const name = ::sigabbrev_np(WTERMSIG(status));
        return std::string("killed by SIG") + (name == nullptr ? "?" : name);
      }
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return "it closed the connection";
}

Result<Reply> Connection::receive(double seconds) {
  const auto deadline = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                                 std::chrono::duration<double>(seconds));
  std::string bytes;
  std::size_t wanted = sizeof(Header);
  while (bytes.size() < wanted) {
    const double left = seconds_until(deadline);
    pollfd waiting{control_, POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&waiting, 1, static_cast<int>(std::ceil(left * 1e3)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && left > 0) continue;
    if (ready <= 0) {
      return Rejection(Reason::KernelTimeout, static_cast<std::int64_t>(seconds * 1e3));
    }
    const std::size_t old = bytes.size();
    bytes.resize(wanted);
    const ssize_t got = ::recv(control_, bytes.data() + old, wanted - old, 0);
    bytes.resize(old + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Rejection(Reason::RunnerFailed, how_it_died());
    if (bytes.size() == sizeof(Header) && wanted == sizeof(Header)) {
      Header header;
      std::memcpy(&header, bytes.data(), sizeof header);
      CAMBIUM_REQUIRE(check_header(header));
      wanted += header.length;
    }
  }
  return decode_reply(std::string_view(bytes).substr(sizeof(Header)));
}

Result<Reply> Connection::ask(const Request& request, double seconds) {
  const std::string message = encode(request);
  std::string_view left = message;
  while (!left.empty()) {
    const ssize_t sent = ::send(control_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) break;  // it died: what it said, or how, is read below
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  auto reply = receive(seconds);
  if (!reply || reply->outcome == Outcome::Crashed) stop();
  return reply;
}

}  // namespace cambium::measure
