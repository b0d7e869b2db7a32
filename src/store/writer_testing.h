// A process that writes into a database, says what it has written, and is killed at work. For tests
// of what is kept then.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>

#include "base/check.h"
#include "base/conversation.h"
#include "base/random.h"

namespace cambium::store {

class Writer {
 public:
  explicit Writer(const std::vector<std::string>& argv) : process_(started(argv)) {}

  // Waits until it has said so many lines in all, however long that takes.
  void hear(std::size_t lines) {
    while (said_.size() < lines && !process_.is_over()) {
      pollfd source{process_.descriptor(), POLLIN, 0};
      (void)::poll(&source, 1, 1000);
      take();
    }
  }
  // All lines that it said until now, when it is killed.
  std::vector<std::string> kill() {
    const std::string how = process_.end();
    EXPECT_EQ(how.rfind("killed by SIGKILL", 0), 0u) << how;
    take();
    return std::move(said_);
  }

 private:
  static Conversation started(const std::vector<std::string>& argv) {
    auto process = Conversation::start(argv, {});
    CAMBIUM_CHECK(process.ok(), process.rejection().message());
    return std::move(process).value();
  }
  void take() {
    while (auto line = process_.hear()) said_.push_back(*std::move(line));
  }

  Conversation process_;
  std::vector<std::string> said_;
};

// Of a writer that is killed a moment after it has said `least` lines or up to twice as many; now
// and then it is killed while it starts.
inline std::vector<std::string> said_before_kill(const std::vector<std::string>& argv,
                                                 std::size_t least, Rng& random) {
  Writer writer(argv);
  const bool is_early = random.chance(0.1);
  if (!is_early) writer.hear(least + random.below(least));
  std::this_thread::sleep_for(
      std::chrono::duration<double>(random.uniform(0, is_early ? 0.04 : 0.005)));
  return writer.kill();
}

}  // namespace cambium::store
