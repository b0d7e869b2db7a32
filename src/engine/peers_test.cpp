#include "engine/peers.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "engine/tune.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

class Peers : public testing::Test {
 protected:
  // A script that stands for cambium-peers.
  std::string script(const std::string& body) const {
    const std::string path = folder_ / "cambium-peers";
    EXPECT_TRUE(write_file(path, "#!/bin/sh\n" + body).ok());
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  ScratchFolder folder_;
  model::Model model_ = parse_operator("matmul(4x5x6)")->model;
};

TEST_F(Peers, AnswerInLinesAndTheFastestIsTheBest) {
  const auto peers = ask_peers(script("grep -q matmul || exit 3\n"
                                      "echo '{\"peer\": \"slow\", \"seconds\": 2e-3}'\n"
                                      "echo '{\"peer\": \"fast\", \"seconds\": '$2'e-3}'\n"
                                      "echo '{\"peer\": \"none\", \"missing\": \"why not\"}'\n"),
                               model_, 1);
  ASSERT_TRUE(peers.ok()) << peers.rejection().message();
  ASSERT_EQ(peers->size(), 3u);
  EXPECT_EQ(best_peer(*peers)->peer, "fast");
  EXPECT_DOUBLE_EQ(best_peer(*peers)->seconds, 1e-3);
  EXPECT_EQ((*peers)[2].missing, "why not");
}

TEST_F(Peers, AreNoneWithoutTheProgram) {
  const auto peers = ask_peers("", model_, 1);
  ASSERT_TRUE(peers.ok());
  EXPECT_EQ(best_peer(*peers), nullptr);
}

TEST_F(Peers, RefuseWhatIsNoAnswer) {
  for (const char* line : {"{}", "hello", "{\"peer\": \"x\"}", "{\"peer\": 3, \"seconds\": 1}",
                           "{\"peer\": \"x\", \"seconds\": 1, \"missing\": \"both\"}"}) {
    const auto peers =
        ask_peers(script("cat > /dev/null; echo '" + std::string(line) + "'"), model_, 1);
    ASSERT_FALSE(peers.ok()) << line;
    EXPECT_EQ(peers.rejection().reason(), Reason::BadRecord) << line;
  }
  EXPECT_EQ(ask_peers(script("exit 4"), model_, 1).rejection().reason(), Reason::Unstartable);
  EXPECT_EQ(ask_peers(script("sleep 30"), model_, 1, 0.1).rejection().reason(),
            Reason::Unstartable);
}

}  // namespace
}  // namespace cambium::engine
