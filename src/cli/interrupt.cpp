#include "cli/interrupt.h"

#include <csignal>

namespace cambium::cli {
namespace {

std::atomic<bool> stop_wanted{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void on_interrupt(int signal) {
  if (stop_wanted.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

const std::atomic<bool>& stops_on_interrupt() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) (void)::sigaction(signal, &action, nullptr);
  return stop_wanted;
}

}  // namespace cambium::cli
