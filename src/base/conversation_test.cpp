#include "base/conversation.h"

#include <chrono>
#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>

#include "base/process_testing.h"

namespace cambium {
namespace {

Conversation talk_to(const std::string& script, const ProcessLimits& limits = {}) {
  auto started = Conversation::start({"sh", "-c", script}, limits);
  EXPECT_TRUE(started.ok());
  return std::move(started).value();
}

// Waits for the next line, or for the end; for a minute, which is enough on any machine.
std::optional<std::string> next_line(Conversation& child) {
  for (int i = 0; i < 3000; ++i) {
    if (std::optional<std::string> line = child.hear()) return line;
    if (child.is_over()) return std::nullopt;
    pollfd source{child.descriptor(), POLLIN, 0};
    (void)::poll(&source, 1, 20);
  }
  return std::nullopt;
}

TEST(Conversation, AnswersEveryLineInTurn) {
  Conversation child = talk_to("while read -r line; do echo \"got $line\"; done");
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(child.say("line " + std::to_string(i)));
    EXPECT_EQ(next_line(child), "got line " + std::to_string(i));
  }
}

TEST(Conversation, GivesLinesThatCameTogetherOneByOne) {
  Conversation child = talk_to("printf 'one\\ntwo\\nthr'; sleep 0.05; printf 'ee\\n'");
  EXPECT_EQ(next_line(child), "one");
  EXPECT_EQ(next_line(child), "two");
  EXPECT_EQ(next_line(child), "three");
  EXPECT_EQ(next_line(child), std::nullopt);
  EXPECT_TRUE(child.is_over());
}

TEST(Conversation, PassesLinesThatAreLongerThanAPipe) {
  Conversation child = talk_to("head -n 1 | wc -c");
  ASSERT_TRUE(child.say(std::string(1 << 20, 'x')));
  EXPECT_EQ(next_line(child), std::to_string((1 << 20) + 1));
}

TEST(Conversation, SaysHowTheChildDiedAndItsLastWords) {
  Conversation child = talk_to("read -r line; echo 'no such luck' >&2; kill -SEGV $$");
  ASSERT_TRUE(child.say("go"));
  EXPECT_EQ(next_line(child), std::nullopt);
  EXPECT_EQ(child.end(), "killed by SIGSEGV; it said last: no such luck");
  EXPECT_EQ(child.end(), "killed by SIGSEGV; it said last: no such luck") << "asked again";
}

// Of a child that died by itself before.
TEST(Conversation, KillsWhatADeadChildLeftRunning) {
  Conversation child = talk_to("sleep 100 >/dev/null & echo $!");
  const auto left = next_line(child);
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(next_line(child), std::nullopt);
  EXPECT_EQ(child.end(), "exit code 0");
  EXPECT_TRUE(comes_to_its_end(*left));
}

TEST(Conversation, TalkingToTheDeadIsRefusedAndDoesNotKillUs) {
  Conversation child = talk_to("exit 3");
  EXPECT_EQ(next_line(child), std::nullopt);
  // The kernel takes its streams away one after the other.
  bool is_heard = true;
  for (int i = 0; i < 12'000 && is_heard; ++i) {
    is_heard = child.say("hello");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_FALSE(is_heard);
  EXPECT_EQ(child.end(), "exit code 3");
}

TEST(Conversation, EndsAChildThatIsSilent) {
  Conversation child = talk_to("sleep 100");
  EXPECT_EQ(child.hear(), std::nullopt);
  EXPECT_FALSE(child.is_over());
  EXPECT_EQ(child.end(), "killed by SIGKILL");
}

TEST(Conversation, AChildDoesNotOutliveWhoStartedIt) {
  std::optional<Conversation> child;
  std::thread([&child] { child.emplace(talk_to("exec sleep 100")); }).join();
  EXPECT_EQ(next_line(*child), std::nullopt);
  EXPECT_TRUE(child->is_over());
}

TEST(Conversation, RefusesAProgramThatIsNotThere) {
  const auto started = Conversation::start({"/nowhere/cambium"}, {});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.rejection().reason(), Reason::NotFound);
}

}  // namespace
}  // namespace cambium
