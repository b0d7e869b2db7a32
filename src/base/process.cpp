#include "base/process.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <tuple>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/launch.h"

namespace cambium {
namespace {

using Clock = std::chrono::steady_clock;

// The input as a file in memory: nothing has to be fed while the child runs, and a child that does
// not read it cannot block us or raise SIGPIPE.
Descriptor input_file(const std::string& text) {
  Descriptor file = above_standard(Descriptor(::memfd_create("stdin", MFD_CLOEXEC)));
  std::size_t done = 0;
  while (file.get() >= 0 && done < text.size()) {
    const ssize_t written = ::write(file.get(), text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Descriptor();
    done += static_cast<std::size_t>(written);
  }
  if (file.get() >= 0) (void)::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// Reads what is there. False at the end of the stream.
bool drain(int descriptor, std::size_t cap, std::string& kept, bool& cut) {
  std::array<char, 1 << 16> buffer;
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  const std::size_t take = std::min(static_cast<std::size_t>(got), cap - kept.size());
  kept.append(buffer.data(), take);
  cut |= take < static_cast<std::size_t>(got);
  return got != 0;
}

// Collects output until the child is dead (pidfd becomes readable) or the time is over.
// True when the child died by itself.
bool watch(int child, const ProcessRequest& request, Clock::time_point end, Pipe& output,
           Pipe& errors, ProcessOutcome& outcome) {
  const ProcessLimits& limits = request.limits;
  const std::int64_t longest = request.stop == nullptr ? 1'000'000 : 50;  // milliseconds
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 || (request.stop != nullptr && *request.stop)) return false;
    pollfd sources[3] = {
        {child, POLLIN, 0}, {output.read.get(), POLLIN, 0}, {errors.read.get(), POLLIN, 0}};
    const int timeout = static_cast<int>(std::min<std::int64_t>(left + 1, longest));
    if (::poll(sources, 3, timeout) < 0 && errno != EINTR) return false;
    if (sources[1].revents != 0 &&
        !drain(output.read.get(), limits.output_bytes, outcome.output, outcome.output_cut)) {
      output.read.reset();  // poll ignores a descriptor of -1
    }
    if (sources[2].revents != 0 &&
        !drain(errors.read.get(), limits.output_bytes, outcome.errors, outcome.errors_cut)) {
      errors.read.reset();
    }
    if (sources[0].revents != 0) return true;
  }
}

bool speaks_of_memory(std::string errors) {
  std::transform(errors.begin(), errors.end(), errors.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* words : {"bad_alloc", "out of memory", "out of space", "memoryerror",
                            "cannot allocate memory", "memory exhausted"}) {
    if (errors.find(words) != std::string::npos) return true;
  }
  return false;
}

void judge(const ProcessLimits& limits, int status, bool died_alone, ProcessOutcome& outcome) {
  if (WIFEXITED(status)) {
    outcome.code = WEXITSTATUS(status);
  } else {
    outcome.death = Death::Signalled;
    outcome.code = WTERMSIG(status);
  }
  const bool killed = outcome.death == Death::Signalled && outcome.code == SIGKILL;
  if (!died_alone) {
    outcome.death = Death::WallTime;
    outcome.code = SIGKILL;
  } else if (limits.cpu_seconds > 0 && outcome.death == Death::Signalled &&
             outcome.code == SIGXCPU) {
    outcome.death = Death::CpuTime;
  } else if (killed || (limits.memory_bytes > 0 && !outcome.succeeded() &&
                        speaks_of_memory(outcome.errors))) {
    outcome.death = Death::Memory;  // nobody else but the kernel sends SIGKILL to our children
  }
}

}  // namespace

std::string ProcessOutcome::text() const {
  switch (death) {
    case Death::Exited: return fmt::format("exit code {}", code);
    case Death::Signalled: {
      const char* name = ::sigabbrev_np(code);
      return name != nullptr ? fmt::format("killed by SIG{}", name)
                             : fmt::format("killed by signal {}", code);
    }
    case Death::WallTime: return fmt::format("killed after {:.1f} s", wall_seconds);
    case Death::CpuTime: return "used up its processor time";
    case Death::Memory: return "ran out of memory";
  }
  return "?";
}

Result<ProcessOutcome> run_process(const ProcessRequest& request) {
  CAMBIUM_CHECK(!request.argv.empty(), "a process without a name");
  const std::string& name = request.argv.front();
  Pipe output, errors;
  Descriptor input = input_file(request.input);
  if (input.get() < 0 || !open_pipe(output) || !open_pipe(errors)) {
    return Rejection(Reason::Unstartable, name, std::generic_category().message(errno));
  }
  const auto start = Clock::now();
  pid_t child = 0;
  const int error = spawn(request.argv, request.limits, input.get(), output.write.get(),
                          errors.write.get(), child);
  if (error == ENOENT) return Rejection(Reason::NotFound, name);
  if (error != 0)
    return Rejection(Reason::Unstartable, name, std::generic_category().message(error));
  input.reset();
  output.write.reset();
  errors.write.reset();

  ProcessOutcome outcome;
  const auto allowed = std::chrono::duration<double>(request.limits.wall_seconds);
  // By number: the header of glibc 2.36 forgets extern "C".
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  const bool died_alone =
      handle.get() >= 0 &&
      watch(handle.get(), request, start + std::chrono::duration_cast<Clock::duration>(allowed),
            output, errors, outcome);
  (void)::kill(-child,
               SIGKILL);  // the child, or what it left behind; not yet reaped, so not reused
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  // What was written just before death is still in the pipes; a process that left the group may
  // hold them open, so what is not there now is not waited for.
  for (auto [pipe, kept, cut] : {std::tuple{&output, &outcome.output, &outcome.output_cut},
                                 std::tuple{&errors, &outcome.errors, &outcome.errors_cut}}) {
    if (pipe->read.get() < 0) continue;
    (void)::fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
    pollfd source = {pipe->read.get(), POLLIN, 0};
    while (::poll(&source, 1, 0) > 0 && (source.revents & POLLIN) != 0 &&
           drain(pipe->read.get(), request.limits.output_bytes, *kept, *cut)) {
    }
  }
  judge(request.limits, status, died_alone, outcome);
  return outcome;
}

}  // namespace cambium
