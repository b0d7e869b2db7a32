#include "cli/screen.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

namespace cambium::cli {
namespace {

// Draws on a terminal of this size.
std::string drawn(const std::vector<std::string>& lines, winsize size) {
  int terminal = -1, screen = -1;
  EXPECT_EQ(::openpty(&terminal, &screen, nullptr, nullptr, &size), 0);
  std::fflush(stderr);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(screen, STDERR_FILENO);
  Screen().draw(lines, {});
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(screen);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(terminal, text.data(), 4096), 0)));
  ::close(terminal);
  return text;
}

TEST(Screen, CutsLinesWhereTheTerminalEnds) {
  const std::string text = drawn({"abcdefgh"}, {24, 4, 0, 0});
  EXPECT_NE(text.find("abcd"), std::string::npos) << text;
  EXPECT_EQ(text.find("abcde"), std::string::npos) << text;
}

// Test programs and some consoles report such sizes.
TEST(Screen, ShowsLinesOnATerminalThatDoesNotTellItsSize) {
  const std::string text = drawn({"12 of 60 trials"}, {0, 0, 0, 0});
  EXPECT_NE(text.find("12 of 60 trials"), std::string::npos) << text;
}

}  // namespace
}  // namespace cambium::cli
