#include "cli/screen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/columns.h"
#include "base/escape.h"
#include "cli/common.h"

namespace cambium::cli {

namespace {

constexpr std::chrono::milliseconds kScreenRedraw{200};
constexpr std::chrono::seconds kScreenLine{5};

winsize size_of_terminal() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return size;
}

}  // namespace

Screen::Screen() : terminal_(::isatty(STDERR_FILENO) == 1) {}

Screen::~Screen() {
  clear();
  std::fflush(stderr);
}

bool Screen::is_due() const {
  return Clock::now() >= next_;
}

void Screen::clear() {
  if (drawn_ > 0) fmt::print(stderr, "\r\x1b[{}A\x1b[J", drawn_);
  drawn_ = 0;
}

void Screen::draw(const std::vector<std::string>& lines, const std::vector<std::string>& plain) {
  if (!terminal_) {
    for (const std::string& line : plain) say(line);
    next_ = Clock::now() + kScreenLine;
    return;
  }
  clear();
  const std::size_t fits = std::max<std::size_t>(height(), 2) - 1;
  drawn_ = std::min(lines.size(), fits);
  for (std::size_t i = 0; i < drawn_; ++i) {
    // A line that the terminal breaks would occupy two lines to clear.
    fmt::print(stderr, "{}\n", first_columns(terminal_text(lines[i]), width()));
  }
  std::fflush(stderr);
  next_ = Clock::now() + kScreenRedraw;
}

std::size_t Screen::width() const {
  if (!terminal_) return 0;
  const winsize size = size_of_terminal();
  return size.ws_col == 0 ? 80 : size.ws_col;
}

std::size_t Screen::height() const {
  const winsize size = size_of_terminal();
  return size.ws_row == 0 ? 24 : size.ws_row;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace cambium::cli
