#include "base/conversation.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/launch.h"

namespace cambium {
namespace {

// A line that is not read for so long is not waited for.
constexpr int kDeafMilliseconds = 5000;
// What is kept of a child's last words.
constexpr off_t kLastWords = 2000;

// What a pipe carries must not end us with SIGPIPE when no block reads it.
bool write_to_pipe(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd full{descriptor, POLLOUT, 0};
    if (::poll(&full, 1, kDeafMilliseconds) <= 0) return false;
  }
  return true;
}

// Holds SIGPIPE back from this thread for as long as it lives.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    (void)::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    const timespec now{0, 0};
    while (::sigtimedwait(&pipe_, nullptr, &now) > 0) {
    }
    (void)::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
};

}  // namespace

struct Conversation::State {
  pid_t child = -1;
  int status = 0;  // once it was waited for
  Descriptor to, from, errors;
  std::string heard;  // not yet a whole line, or several
  bool is_closed = false;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { (void)end(); }

  // Without reaping it.
  bool is_dead() const {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == child;
  }

  int end() {
    if (child < 0) return status;
    // Whoever has just closed its output is about to die of its own, and how is worth knowing.
    for (int i = 0; is_closed && i < 100 && !is_dead(); ++i) ::usleep(1000);
    (void)::kill(-child, SIGKILL);  // not yet reaped, so the number is not another's
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    child = -1;
    return status;
  }

  std::string last_words() const {
    const off_t size = ::lseek(errors.get(), 0, SEEK_END);
    std::string words(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kLastWords)), '\0');
    const ssize_t got =
        ::pread(errors.get(), words.data(), words.size(), std::max<off_t>(0, size - kLastWords));
    words.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    while (!words.empty() && words.back() == '\n') words.pop_back();
    return words;
  }
};

Conversation::Conversation(std::unique_ptr<State> state) : state_(std::move(state)) {}
Conversation::Conversation(Conversation&&) noexcept = default;
Conversation& Conversation::operator=(Conversation&&) noexcept = default;
Conversation::~Conversation() = default;

Result<Conversation> Conversation::start(const std::vector<std::string>& argv,
                                         const ProcessLimits& limits) {
  CAMBIUM_CHECK(!argv.empty(), "a process without a name");
  auto state = std::make_unique<State>();
  Pipe to, from;
  state->errors = above_standard(Descriptor(::memfd_create("stderr", MFD_CLOEXEC)));
  if (state->errors.get() < 0 || !open_pipe(to) || !open_pipe(from)) {
    return Rejection(Reason::Unstartable, argv[0], std::generic_category().message(errno));
  }
  // Several writers of one file: each writes at its end.
  (void)::fcntl(state->errors.get(), F_SETFL, O_APPEND);
  const int error =
      spawn(argv, limits, to.read.get(), from.write.get(), state->errors.get(), state->child);
  if (error != 0) {
    state->child = -1;
    if (error == ENOENT) return Rejection(Reason::NotFound, argv[0]);
    return Rejection(Reason::Unstartable, argv[0], std::generic_category().message(error));
  }
  state->to = std::move(to.write);
  state->from = std::move(from.read);
  (void)::fcntl(state->to.get(), F_SETFL, O_NONBLOCK);
  (void)::fcntl(state->from.get(), F_SETFL, O_NONBLOCK);
  return Conversation(std::move(state));
}

bool Conversation::say(std::string_view line) {
  const WithoutPipeSignal quiet;
  return write_to_pipe(state_->to.get(), line) && write_to_pipe(state_->to.get(), "\n");
}

std::optional<std::string> Conversation::hear() {
  std::array<char, 1 << 16> buffer;
  while (!state_->is_closed && state_->heard.find('\n') == std::string::npos) {
    const ssize_t got = ::read(state_->from.get(), buffer.data(), buffer.size());
    if (got > 0) {
      state_->heard.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      state_->is_closed = true;
    } else if (errno == EAGAIN) {
      return std::nullopt;
    }
  }
  const std::size_t end = state_->heard.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = state_->heard.substr(0, end);
  state_->heard.erase(0, end + 1);
  return line;
}

int Conversation::descriptor() const {
  return state_->from.get();
}

bool Conversation::is_over() const {
  return state_->is_closed && state_->heard.find('\n') == std::string::npos;
}

std::string Conversation::end() {
  const int status = state_->end();
  ProcessOutcome outcome;
  if (WIFEXITED(status)) {
    outcome.code = WEXITSTATUS(status);
  } else {
    outcome.death = Death::Signalled;
    outcome.code = WTERMSIG(status);
  }
  const std::string words = state_->last_words();
  return words.empty() ? outcome.text()
                       : fmt::format("{}; it said last: {}", outcome.text(), words);
}

}  // namespace cambium
