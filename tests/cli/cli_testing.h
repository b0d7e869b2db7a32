// The program from the outside: a folder for each test, runs of the program, documents checked
// against their schemas, and refusals in the form that every command keeps.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "schema.h"

namespace cambium::tests {

namespace fs = std::filesystem;

class Cli : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string file(const std::string& name, std::string_view content) const {
    EXPECT_TRUE(write_file(path(name), content).ok());
    return path(name);
  }

  static ProcessOutcome run(std::vector<std::string> arguments, double seconds = 300) {
    arguments.insert(arguments.begin(), CAMBIUM_PROGRAM);
    ProcessRequest request{arguments, "", {}};
    request.limits.wall_seconds = seconds;
    request.limits.output_bytes = 64 << 20;
    auto outcome = run_process(request);
    EXPECT_TRUE(outcome.ok()) << outcome.rejection().message();
    return std::move(outcome).value();
  }

  // Sends the signal (INT or TERM) once standard error says `said`, or after a minute. The outcome
  // has the exit code as a shell sees it.
  ProcessOutcome signalled(const std::vector<std::string>& arguments, const std::string& signal,
                           const std::string& said) const {
    const std::string script =
        "errors=$1; said=$2; signal=$3; shift 3; : > \"$errors\"\n"
        "\"$@\" 2> \"$errors\" & p=$!\n"
        "n=0; until grep -q \"$said\" \"$errors\" || [ $n -ge 600 ]; do sleep 0.1; n=$((n + 1)); "
        "done\n"
        "kill -$signal $p; wait $p; code=$?; cat \"$errors\" >&2; exit $code\n";
    ProcessRequest request{
        {"sh", "-c", script, "sh", path("errors"), said, signal, CAMBIUM_PROGRAM}, "", {}};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.limits.wall_seconds = 300;
    auto outcome = run_process(request);
    EXPECT_TRUE(outcome.ok()) << outcome.rejection().message();
    return std::move(outcome).value();
  }

  // Exit code 2, nothing on standard output, one line on standard error that says all of `words`.
  static void expect_refusal(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& words) {
    const ProcessOutcome outcome = run(arguments);
    EXPECT_EQ(outcome.text(), "exit code 2") << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
    EXPECT_EQ(outcome.errors.rfind("cambium: ", 0), 0u) << outcome.errors;
    for (const std::string& word : words) {
      EXPECT_NE(outcome.errors.find(word), std::string::npos) << word << " in " << outcome.errors;
    }
  }

  static nlohmann::json document(std::vector<std::string> arguments, const std::string& schema) {
    arguments.emplace_back("--json");
    const ProcessOutcome outcome = run(arguments);
    EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
    const auto parsed = parse_json(outcome.output);
    EXPECT_TRUE(parsed.ok()) << outcome.output;
    const auto text = read_file(CAMBIUM_SOURCE_DIR "/docs/schema/" + schema + ".json");
    EXPECT_TRUE(text.ok()) << schema;
    EXPECT_EQ(misfit(*parsed, parse_json(*text).value()), "");
    return *parsed;
  }

  ScratchFolder folder_;
};

inline bool has_onnx() {
  return require_feature("onnx").ok();
}
inline bool has_llvm() {
  return require_feature("llvm").ok();
}

}  // namespace cambium::tests
