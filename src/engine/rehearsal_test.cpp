#include "engine/rehearsal.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "base/text.h"

namespace cambium::engine {
namespace {

// A program in place of the compiler: what it does once it has read what it was given.
class Rehearsal : public testing::Test {
 protected:
  Status with(const std::string& script) const {
    const std::string path = folder_ / "compiler";
    EXPECT_TRUE(write_file(path, "#!/bin/sh\ncat > " + (folder_ / "asked") + "\necho x >> " +
                                     (folder_ / "calls") + "\n" + script)
                    .ok());
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::filesystem::remove(folder_ / "calls");
    return rehearse_build(path, host_machine(), "program", {});
  }
  std::size_t calls() const { return split(*read_file(folder_ / "calls"), '\n').size() - 1; }

  ScratchFolder folder_;
};

TEST_F(Rehearsal, RefusesWhatAProcessDiesOf) {
  for (const char* death : {"kill -SEGV $$", "kill -ABRT $$", "exit 3"}) {
    const Status refused = with(std::string("echo compiling; ") + death);
    ASSERT_FALSE(refused.ok()) << death;
    EXPECT_EQ(refused.rejection().reason(), Reason::CodegenFailed);
    EXPECT_EQ(calls(), 1U);
  }
  EXPECT_NE(read_file(folder_ / "asked")->find("\"program\""), std::string::npos);
}

TEST_F(Rehearsal, RefusesNothingForWhatIsNotTheCandidatesFault) {
  EXPECT_TRUE(with("echo compiling").ok());
  EXPECT_TRUE(with("echo no such command >&2; exit 2").ok()) << "it never compiled";
  for (const char* signal : {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "PIPE", "ALRM"}) {
    EXPECT_TRUE(with(std::string("echo compiling; kill -") + signal + " $$").ok()) << signal;
    EXPECT_EQ(calls(), 1U) << signal;
  }
  EXPECT_TRUE(rehearse_build("", host_machine(), "program", {}).ok());
  EXPECT_TRUE(rehearse_build(folder_ / "none", host_machine(), "program", {}).ok());
}

// A kill from outside hits it once; for want of memory it is killed whenever it is tried.
TEST_F(Rehearsal, IsTriedAgainWhereItWasKilled) {
  const std::string mark = folder_ / "mark";
  EXPECT_TRUE(
      with("echo compiling; [ -e " + mark + " ] && exit 0; touch " + mark + "; kill -KILL $$")
          .ok());
  EXPECT_EQ(calls(), 2U);
  EXPECT_FALSE(with("echo compiling; kill -KILL $$").ok());
  EXPECT_EQ(calls(), 2U);
}

bool has_begun_to_compile = false;

TEST(RehearsalAnswer, CompilesWhatItIsAskedAndRefusesWhatIsNoQuestion) {
  const auto begin = [] { has_begun_to_compile = true; };
  for (const char* request : {"", "{", "[]", "{}", R"({"machine": 3})", R"({"machine": {}})"}) {
    EXPECT_FALSE(answer_rehearsal(request, begin).ok()) << request;
  }
  EXPECT_FALSE(has_begun_to_compile);
}

}  // namespace
}  // namespace cambium::engine
