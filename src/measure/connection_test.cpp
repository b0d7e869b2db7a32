#include "measure/connection.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

namespace cambium::measure {
namespace {

TEST(Connection, StartsAnotherRunnerWhenOneWasKilledWhileItWaited) {
  Connection connection(CAMBIUM_RUNNER, 1 << 28);
  ASSERT_TRUE(connection.start().ok());
  const pid_t first = connection.process();
  ASSERT_TRUE(connection.start().ok());
  EXPECT_EQ(connection.process(), first);
  ::kill(first, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(first), &info, WEXITED | WNOWAIT), 0);
  ASSERT_TRUE(connection.start().ok());
  EXPECT_NE(connection.process(), first);
}

TEST(Connection, RefusesARequestThatAsksForNothingAndLives) {
  Connection connection(CAMBIUM_RUNNER, 1 << 28);
  ASSERT_TRUE(connection.start().ok());
  const auto reply = connection.ask(Request{}, 60);
  ASSERT_TRUE(reply.ok()) << reply.rejection().message();
  EXPECT_EQ(reply->outcome, Outcome::Refused);
  EXPECT_TRUE(connection.ask(Request{}, 60).ok());
}

TEST(Connection, RefusesAreasOutsideTheSharedMemory) {
  Connection connection(CAMBIUM_RUNNER, 1 << 28);
  ASSERT_TRUE(connection.start().ok());
  Request request;
  request.jobs.resize(1);
  for (const Area& area : {Area{1 << 20, 1, 0, 1, false}, Area{0, 0, 0, 0, false},
                           Area{0, ~0ULL, 0, 1, false}, Area{0, 1, 4096, 1, false}}) {
    request.jobs[0].object = area;
    const auto reply = connection.ask(request, 60);
    ASSERT_TRUE(reply.ok()) << reply.rejection().message();
    EXPECT_EQ(reply->outcome, Outcome::Refused);
    EXPECT_NE(reply->text.find("outside the shared memory"), std::string::npos);
  }
}

}  // namespace
}  // namespace cambium::measure
