#include "measure/runner/crash.h"

#include <atomic>
#include <cstring>

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/protocol.h"

namespace cambium::measure {
namespace {

constexpr int kMostRanges = 1000;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// A signal handler can reach nothing but what is global.
GuardedRange ranges[kMostRanges];  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> range_count{0};   // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic_flag has_crashed;      // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
alignas(16) char stack[64 << 10];  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

std::int64_t did_write(void* context) {
#if defined(__x86_64__)
  const auto* const machine = &static_cast<ucontext_t*>(context)->uc_mcontext;
  return (machine->gregs[REG_ERR] & 2) != 0 ? 1 : 0;
#else
  (void)context;
  return -1;
#endif
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (has_crashed.test_and_set()) ::pause();  // another thread is telling it already
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  std::int64_t job = -1, buffer = -1;
  Touch touch = Touch::Elsewhere;
  for (int i = 0; i < range_count && signal == SIGSEGV; ++i) {
    const GuardedRange& range = ranges[i];
    if (address < range.guard_begin || address >= range.guard_end) continue;
    job = range.job;
    buffer = range.buffer;
    touch = address < range.begin ? Touch::Before
                                  : (address < range.end ? Touch::Inside : Touch::After);
  }
  // A Reply without text: outcome, no letters, five numbers, no reals.
  const std::uint64_t body[] = {static_cast<std::uint64_t>(Outcome::Crashed),
                                0,
                                5,
                                static_cast<std::uint64_t>(signal),
                                static_cast<std::uint64_t>(job),
                                static_cast<std::uint64_t>(buffer),
                                static_cast<std::uint64_t>(touch),
                                static_cast<std::uint64_t>(did_write(context)),
                                0};
  const Header header{kMagic, kVersion, sizeof body};
  char message[sizeof header + sizeof body];
  std::memcpy(message, &header, sizeof header);
  std::memcpy(message + sizeof header, body, sizeof body);
  (void)::send(kControlDescriptor, message, sizeof message, MSG_NOSIGNAL);
  ::_exit(1);
}

}  // namespace

void install_crash_handler() {
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  (void)::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigfillset(&action.sa_mask);
  for (const int signal : kSignals) (void)::sigaction(signal, &action, nullptr);
}

void forget_ranges() {
  range_count = 0;
}

void watch_range(const GuardedRange& range) {
  if (range_count == kMostRanges) return;
  ranges[range_count] = range;
  ++range_count;
}

}  // namespace cambium::measure
