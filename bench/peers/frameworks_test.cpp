#include "peers/frameworks.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "model/builder.h"

namespace cambium::bench {
namespace {

// A folder whose scripts are ours, run by the shell.
struct Scripts {
  explicit Scripts(const std::string& text) {
    EXPECT_TRUE(write_file(folder / "onnx_runtime_peer.py", text).ok());
    options.folder = folder.path();
    options.python = "/bin/sh";
    options.rounds = 3;
  }
  FrameworkComparison compared() const {
    model::Builder b("m");
    const model::Value x = b.input("x", {DType::F32, {4}});
    b.output("y", b.add(model::Unary{model::UnaryFn::Relu}, {x}));
    const model::Model model = std::move(b).finish().value();
    return compare_framework(
        Framework::OnnxRuntime, model, [] {}, options);
  }

  ScratchFolder folder;
  FrameworkOptions options;
};

constexpr const char* kHello = "echo '{\"name\": \"fake\", \"version\": \"1\", \"note\": \"n\"}'\n";

TEST(Frameworks, TakeTurnsWithTheProcessOfAPeer) {
  const Scripts scripts(std::string(kHello) +
                        "while read line; do echo \"$line\" >> ${0%/*}/asked\n"
                        "echo '{\"seconds\": 0.5}'; done\n");
  const FrameworkComparison found = scripts.compared();
  EXPECT_EQ(found.missing, "");
  EXPECT_EQ(found.peer, "fake");
  EXPECT_EQ(found.comparison.rounds, 3);
  EXPECT_EQ(found.comparison.theirs_seconds, 0.5);
  EXPECT_NEAR(found.comparison.ratio * found.comparison.ours_seconds, 0.5, 1e-9);
  EXPECT_EQ(json_of(found)["version"], "1");
  const auto asked = read_file(scripts.folder / "asked");
  ASSERT_TRUE(asked.ok());
  EXPECT_EQ(*asked, "burst 0.001 0.0003 8\nburst 0.001 0.0003 8\nburst 0.001 0.0003 8\n");
}

TEST(Frameworks, BeginNoRoundAfterTheirTime) {
  Scripts scripts(std::string(kHello) +
                  "while read line; do sleep 0.05; echo '{\"seconds\": 0.05}'; done\n");
  scripts.options.most_seconds = 0.01;
  EXPECT_EQ(scripts.compared().comparison.rounds, 1);
}

TEST(Frameworks, AreMissingForTheReasonTheyGive) {
  const FrameworkComparison found =
      Scripts("echo '{\"missing\": \"it has no such operator\"}'\n").compared();
  EXPECT_EQ(found.peer, "onnxruntime");
  EXPECT_EQ(found.missing, "it has no such operator");
  EXPECT_EQ(json_of(found)["missing"], "it has no such operator");
}

TEST(Frameworks, AreMissingWhenTheyCannotBeStartedOrEnd) {
  Scripts nowhere("");
  nowhere.options.python = "/nowhere/python";
  EXPECT_NE(nowhere.compared().missing.find("/nowhere/python"), std::string::npos);
  EXPECT_EQ(Scripts("exit 1\n").compared().missing, "it ended without a word");
  EXPECT_NE(Scripts(kHello).compared().missing.find("ended"), std::string::npos);
  const Scripts babbling(std::string(kHello) + "while read line; do echo well; done\n");
  EXPECT_NE(babbling.compared().missing.find("well"), std::string::npos);
}

}  // namespace
}  // namespace cambium::bench
