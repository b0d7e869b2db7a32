// search_toy FILE STRATEGY SPACE ORDER: runs or resumes a toy search in a study and says each
// evaluation when it is made, so that whoever kills it can see what was made twice; in the end the
// rows of the finals. For killed_test.cpp.
#include <cstdlib>
#include <iostream>
#include <string>

#include <unistd.h>

#include "search/testing/fake_executor.h"
#include "search/testing/toy_search.h"

namespace {

// Lines in one write: whoever reads has whole ones, but for the last.
void say(const std::string& lines) {
  if (::write(STDOUT_FILENO, lines.data(), lines.size()) < 0) std::exit(5);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cambium::search;
  if (argc != 5) return 2;
  testing::ToySearch search(argv[3], argv[1]);
  testing::FakeExecutor executor(std::strtoull(argv[4], nullptr, 10));
  executor.milliseconds = 1;
  executor.watch = [](const Job& job) { say("evaluation " + testing::text_of(job.key) + "\n"); };
  const auto report = search.run(testing::toy_options(argv[2]), executor);
  if (!report.ok()) {
    std::cerr << report.rejection().message() << "\n";
    return 3;
  }
  say("done\n" + testing::rows_text(*report));
  return 0;
}
