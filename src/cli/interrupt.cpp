#include "cli/interrupt.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "cli/common.h"

namespace cambium::cli {
namespace {

std::atomic<bool> stop_wanted{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<int> stop_signal{0};       // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler sets them");

constexpr int kSignalled = 128;  // shells add the signal to this

void on_interrupt(int signal) {
  int none = 0;
  stop_signal.compare_exchange_strong(none, signal);  // before other threads see stop_wanted
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

int code_after_interrupt(int code) {
  const int signal = stop_signal.load();
  return code == kDone && signal != 0 ? kSignalled + signal : code;
}

// A separate thread, because a signal handler may not remove files.
EndOnInterrupt::EndOnInterrupt(std::string folder)
    : watcher_([this, folder = std::move(folder), &stop = stops_on_interrupt()] {
        constexpr std::chrono::milliseconds kLook{50};
        for (; !is_over_; std::this_thread::sleep_for(kLook)) {
          if (!stop) continue;
          std::error_code ignored;
          std::filesystem::remove_all(folder, ignored);
          std::_Exit(code_after_interrupt(kDone));
        }
      }) {}

EndOnInterrupt::~EndOnInterrupt() {
  is_over_ = true;
  watcher_.join();
}

}  // namespace cambium::cli
