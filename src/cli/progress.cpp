#include "cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/screen.h"

namespace cambium::cli {

namespace {

constexpr std::int64_t kBarWidth = 24;
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{5};

}  // namespace

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(start_ + (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainLine))) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::update(std::int64_t done, std::int64_t total) {
  const Clock::time_point now = Clock::now();
  if (now < next_ || total <= 0) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string text = progress_text(what_, done, total, seconds);
  if (terminal_) {
    fmt::print(stderr, "\r{} {}\x1b[K", bar_text(done, total), text);
    std::fflush(stderr);
    drawn_ = true;
    next_ = now + kRedraw;
  } else {
    fmt::print(stderr, "{}\n", text);
    next_ = now + kPlainLine;
  }
}

std::string bar_text(std::int64_t done, std::int64_t total) {
  const std::int64_t share = total > 0 ? done * kBarWidth / total : 0;
  const std::int64_t filled = std::clamp<std::int64_t>(share, 0, kBarWidth);
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kBarWidth - filled), '.');
}

std::string progress_text(const std::string& what, std::int64_t done, std::int64_t total,
                          double seconds) {
  std::string text =
      fmt::format("{} of {} {}, {} %", done, total, what, total > 0 ? done * 100 / total : 0);
  if (done > 0 && done < total) {
    const double left = seconds * static_cast<double>(total - done) / static_cast<double>(done);
    text += fmt::format(", {} left", duration_text(left));
  }
  return text;
}

}  // namespace cambium::cli
