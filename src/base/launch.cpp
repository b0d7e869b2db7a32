#include "base/launch.h"

#include <cerrno>
#include <cmath>

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace cambium {

Descriptor above_standard(Descriptor low) {
  if (low.get() < 0 || low.get() > 2) return low;
  return Descriptor(::fcntl(low.get(), F_DUPFD_CLOEXEC, 3));
}

bool open_pipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe = {above_standard(Descriptor(ends[0])), above_standard(Descriptor(ends[1]))};
  return pipe.read.get() >= 0 && pipe.write.get() >= 0;
}

namespace {

// All that the child needs between vfork and exec, made ready before: there it may only make
// system calls.
struct Launch {
  std::vector<char*> argv;
  int streams[3];
  int report;  // write end of a pipe that closes on exec; carries the errno of what failed
  const ProcessLimits* limits;
};

// Limits are set by the child itself: from outside they would come too late for what it has
// already started.
bool set_limits(const ProcessLimits& limits) {
  const auto set = [](__rlimit_resource resource, rlim_t soft, rlim_t hard) {
    const rlimit value{soft, hard};
    return ::setrlimit(resource, &value) == 0;
  };
  bool done = set(RLIMIT_CORE, 0, 0);
  if (limits.memory_bytes > 0) {
    const auto bytes = static_cast<rlim_t>(limits.memory_bytes);
    done = done && set(RLIMIT_DATA, bytes, bytes);
  }
  if (limits.cpu_seconds > 0) {
    const auto seconds = static_cast<rlim_t>(std::ceil(limits.cpu_seconds));
    done = done && set(RLIMIT_CPU, seconds, seconds + 1);  // SIGXCPU, then SIGKILL
  }
  return done;
}

[[noreturn]] void become(const Launch& launch) {
  (void)::setpgid(0, 0);
  // Nobody would read what an orphan finds out.
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int signal = 1; signal < NSIG; ++signal) (void)::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
  bool ready = true;
  for (int i = 0; i < 3; ++i) ready = ready && ::dup2(launch.streams[i], i) >= 0;
  // Whatever somebody opened without O_CLOEXEC would leak, and keep a pipe open that others await.
  (void)::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (ready && set_limits(*launch.limits)) ::execvp(launch.argv[0], launch.argv.data());
  const int error = errno;
  (void)!::write(launch.report, &error, sizeof error);
  ::_exit(127);
}

// vfork with an exec at once, as posix_spawn does it (which cannot set limits). Never a plain fork:
// in a process with threads that copies locks nobody will open, runs the at-fork handlers of BLAS
// libraries, and copies the page tables of a large search. Signals wait, because a handler would
// run in the parent's memory.
pid_t start(const Launch& launch) {
  sigset_t all, before;
  ::sigfillset(&all);
  (void)::pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t child = ::vfork();
  if (child == 0) become(launch);
  const int error = errno;
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return child;
}

}  // namespace

int spawn(const std::vector<std::string>& argv, const ProcessLimits& limits, int input, int output,
          int errors, pid_t& child) {
  Pipe report;
  if (!open_pipe(report)) return errno;
  Launch launch{{}, {input, output, errors}, report.write.get(), &limits};
  for (const std::string& argument : argv) {
    launch.argv.push_back(const_cast<char*>(argument.c_str()));
  }
  launch.argv.push_back(nullptr);
  child = start(launch);
  if (child < 0) return errno;
  report.write.reset();
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(report.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got != sizeof error) return 0;  // closed by exec
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return error;
}

}  // namespace cambium
