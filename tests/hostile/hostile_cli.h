// The program with hostile texts: it shows all of them, and obeys none.
#pragma once

#include <string>
#include <vector>

#include "cli_testing.h"
#include "hostile_texts.h"

namespace cambium::tests {

class HostileCli : public Cli {
 protected:
  void TearDown() override { EXPECT_FALSE(fs::exists(canary_)) << "a text was run"; }

  static ProcessOutcome plain_run(const std::vector<std::string>& arguments) {
    ProcessOutcome outcome = run(arguments);
    std::string what = "cambium";
    for (const std::string& word : arguments) what += " " + word.substr(0, 60);
    EXPECT_EQ(outcome.death, Death::Exited) << what << ": " << outcome.text() << outcome.errors;
    EXPECT_LT(outcome.errors.size(), 20'000U) << what;
    expect_plain(outcome.output, what);
    expect_plain(outcome.errors, what);
    return outcome;
  }
  static void expect_plain_run(const std::vector<std::string>& arguments, int code) {
    const ProcessOutcome outcome = plain_run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments[0] << ": " << outcome.errors.substr(0, 500);
  }

  const std::string canary_ = path("canary");
  const std::vector<std::string> texts_ = hostile_texts(canary_);
};

}  // namespace cambium::tests
