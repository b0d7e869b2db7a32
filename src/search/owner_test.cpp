#include "search/owner.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cambium::search {
namespace {

TEST(Owner, IsAnotherOneEachTimeAndAliveAsLongAsItsProcess) {
  const std::string one = new_owner();
  EXPECT_NE(one, new_owner());
  EXPECT_FALSE(is_gone(one));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const std::string machine = one.substr(0, one.find('/'));
  EXPECT_TRUE(is_gone(machine + "/" + std::to_string(child) + "/1"));
  EXPECT_FALSE(is_gone("elsewhere/" + std::to_string(child) + "/1"));
  EXPECT_FALSE(is_gone("nonsense"));
  // The same machine seen from another container, where this number may be anybody's.
  const std::string host = machine.substr(0, machine.find(' '));
  EXPECT_FALSE(is_gone(host + " pid:[1]/" + std::to_string(child) + "/1"));
}

}  // namespace
}  // namespace cambium::search
